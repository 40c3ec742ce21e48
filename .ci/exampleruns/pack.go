package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"fmt"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/internal/exampleruns"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/run"
)

// A file of an archive.
type file struct {
	name string
	b    []byte
}

// left are the files of a run that its archive leaves out: those that the program draws again.
var left = regexp.MustCompile(`^(figures|tb)/|^\.attnconv\.lock$`)

// snapshot is the weights after an epoch, without the solver's state. The page draws where heads look after each.
var snapshot = regexp.MustCompile(`^checkpoints/epoch-\d+\.ckpt$`)

// strip removes the checkpoints but the best of the run in a folder, and the solver's state from that.
func strip(dir string) error {
	all, err := filepath.Glob(filepath.Join(dir, "checkpoints", "step-*.ckpt"))
	if err != nil {
		return err
	}
	best, err := os.Readlink(filepath.Join(dir, "checkpoints", "best.ckpt"))
	if err != nil {
		return err
	}
	for _, path := range all {
		if filepath.Base(path) != best {
			if err := os.Remove(path); err != nil {
				return err
			}
			continue
		}
		f, err := ckpt.Read(path)
		if err != nil {
			return err
		}
		f.Tensors = slices.DeleteFunc(f.Tensors, func(t ckpt.Tensor) bool {
			return strings.HasPrefix(t.Name, "optim.")
		})
		if err := ckpt.Write(path, f); err != nil {
			return err
		}
	}
	return nil
}

// pack packs the run in a folder.
func pack(dir string, r exampleruns.Run) error {
	d, err := run.Open(dir, "")
	if err != nil {
		return err
	}
	id, name := d.Status().ID, filepath.Base(dir)
	place := strings.NewReplacer(
		name, strings.TrimSuffix(name, id)+r.ID, `"id": "`+id+`"`, `"id": "`+r.ID+`"`,
	)
	last := fmt.Sprintf("checkpoints/epoch-%03d.ckpt", d.Status().Epochs)
	var all []file
	err = fs.WalkDir(os.DirFS(dir), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || left.MatchString(name) ||
			snapshot.MatchString(name) && (d.Status().Encoding == "" || r.Bare && name != last) {
			return err
		}
		b, err := os.ReadFile(filepath.Join(dir, name))
		switch name {
		case "run.json":
			b = []byte(place.Replace(string(ended(b))))
		case "summary.json":
			b = []byte(place.Replace(string(b)))
		}
		all = append(all, file{name, b})
		return err
	})
	if err != nil {
		return err
	}
	return write(r.Name, all)
}

// process matches the lines of run.json about the process that trained the run, and about its machine.
var process = regexp.MustCompile(`(?m)^  "(space|locked|data_dir)": .*\n`)

// ended returns run.json without the process and the machine.
func ended(b []byte) []byte {
	b = process.ReplaceAll(b, nil)
	for key, none := range map[string]string{"pid": "0", "machine": `""`, "leg": `""`} {
		b = regexp.MustCompile(`(?m)^  "`+key+`": .*,$`).ReplaceAll(b, []byte(`  "`+key+`": `+none+","))
	}
	return b
}

// packImages packs the first test image of each class.
func packImages() error {
	test, classes := sets.SomeShapes(200)
	var all []file
	for class, name := range classes {
		i := slices.Index(test.Labels, int32(class))
		if i < 0 {
			return fmt.Errorf("no %s among the first test images", name)
		}
		var b bytes.Buffer
		if err := png.Encode(&b, test.Image(i)); err != nil {
			return err
		}
		all = append(all, file{name + ".png", b.Bytes()})
	}
	return write(exampleruns.Images, all)
}

// write writes an archive without times.
func write(name string, all []file) error {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	for _, f := range all {
		w, err := z.Create(f.name)
		if err != nil {
			return err
		}
		if _, err := w.Write(f.b); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	path := filepath.Join(to, name+".zip")
	fmt.Printf("%s: %d files, %.2f MB\n", path, len(all), float64(b.Len())/1e6)
	return os.WriteFile(path, b.Bytes(), 0o666)
}

// compare compares the weights of a run with those that are packed.
func compare(dir string, r exampleruns.Run) error {
	files, err := exampleruns.Open(r.Name)
	if err != nil {
		return err
	}
	packed, err := run.Unpack(context.Background(), filepath.Join(filepath.Dir(dir), "packed"), files)
	if err != nil {
		return err
	}
	all, err := filepath.Glob(filepath.Join(packed, "checkpoints", "*.ckpt"))
	if err != nil {
		return err
	}
	for _, path := range all {
		want, err := ckpt.Read(path)
		if err != nil {
			return err
		}
		name := filepath.Base(path)
		got, err := ckpt.Read(filepath.Join(dir, "checkpoints", name))
		if err != nil {
			return err
		}
		const digest = "attnconv.tensor_sha256"
		if got.Meta[digest] != want.Meta[digest] {
			return fmt.Errorf("%s: the weights have SHA-256 %s, want the packed ones: %s",
				name, got.Meta[digest], want.Meta[digest])
		}
	}
	fmt.Printf("%s: %d checkpoints have the packed weights\n", r.Name, len(all))
	return nil
}
