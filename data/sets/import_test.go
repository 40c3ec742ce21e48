package sets

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/option"
)

// miniatures stand for the sets that are recognized.
var miniatures = []layouts{{small, smallPython}, {smallFine, finePython}}

// python archive entries of a layout.
func pythonEntries(of, l layout) (list []entry) {
	for i, name := range l.files() {
		list = append(list, entry{name: l.folder + "/" + name, kind: '0', body: pickled(of, i, l.labels)})
	}
	return list
}

// npyOf makes an array file.
func npyOf(descr, shape string, content []byte) []byte {
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", descr, shape)
	out := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(head)))
	return append(append(out, head...), content...)
}

// npz makes a zip of files, given as name, content, name, content, ...
func npz(files ...any) []byte {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		f, err := w.Create(files[i].(string) + ".npy")
		if err != nil {
			panic(err)
		}
		if _, err := f.Write(files[i+1].([]byte)); err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// interleaved are the bytes of the images of s as images have them: (n, rows, cols, channels).
func interleaved(s data.Split) []byte {
	out := make([]byte, 0, len(s.Pixels))
	for i := range s.Len() {
		for j := range 1024 {
			for ch := range 3 {
				out = append(out, s.Bytes(i)[ch*1024+j])
			}
		}
	}
	return out
}

// narrow makes labels of one byte.
func narrow(labels []int32) (out []byte) {
	for _, l := range labels {
		out = append(out, byte(l))
	}
	return out
}

// wide makes labels of 8 bytes.
func wide(labels []int32) (out []byte) {
	for _, l := range labels {
		out = binary.LittleEndian.AppendUint64(out, uint64(l))
	}
	return out
}

func TestRecognizeEveryLayout(t *testing.T) {
	want := filled(t, small)
	train, test := want.Train, want.Test
	for _, tt := range []struct {
		name, path, what string
		b                []byte
	}{
		{"binary archive", "x", "archive", gzipped(pack(entries(small)...))},
		{"binary archive, not compressed", "x.bin", "archive", pack(entries(small)...)},
		{"python archive", "anything.gz", "small python archive", gzipped(pack(pythonEntries(small, smallPython)...))},
		{"finer python archive", "a", "fine python archive", gzipped(pack(pythonEntries(smallFine, finePython)...))},
		{"arrays of images", "k.npz", "NumPy arrays", npz(
			"x_train", npyOf("|u1", "(6, 32, 32, 3)", interleaved(train)), "y_train",
			npyOf("<i8", "(6, 1)", wide(train.Labels)),
			"x_test", npyOf("|u1", "(2, 32, 32, 3)", interleaved(test)), "y_test",
			npyOf("|u1", "(2,)", narrow(test.Labels)))},
		{"arrays of planes", "k", "NumPy arrays", npz(
			"train_images", npyOf("|u1", "(6, 3, 32, 32)", train.Pixels), "train_labels",
			npyOf("|u1", "(6,)", narrow(train.Labels)),
			"test_images", npyOf("|u1", "(2, 3072)", test.Pixels), "test_labels",
			npyOf("<i8", "(2,)", wide(test.Labels)))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), tt.path)
			write(t, path, tt.b)
			s, src, err := recognize(path, miniatures, reading{})
			if err != nil {
				t.Fatal(err)
			}
			if s.Digest != want.Digest && !strings.HasPrefix(tt.what, "fine") {
				t.Errorf("digests %v, want %v", s.Digest, want.Digest)
			}
			if !strings.HasSuffix(src.What, tt.what) || src.Bytes != int64(len(tt.b)) || len(src.SHA256) != 64 ||
				src.Published {
				t.Errorf("recognized %+v, want %s of %d bytes", src, tt.what, len(tt.b))
			}
		})
	}
}

func TestRecognizeFolders(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, small, filepath.Join(dir, "a", small.folder), nil)
	for i, name := range smallPython.files() {
		write(t, filepath.Join(dir, "b", name), pickled(small, i, "labels"))
	}
	write(t, filepath.Join(dir, "c", "small.tgz"), gzipped(pack(entries(small)...)))
	tree(t, filepath.Join(dir, "d"), 6, "red", "blue")
	for _, tt := range []struct{ path, what, name string }{
		{"a", "folder", "small"},
		{"b", "small python folder", "small"},
		{"c", "archive", "small"},
		{"d", "folder of images, not all of them lossless and of 32 × 32", ""},
	} {
		s, src, err := recognize(filepath.Join(dir, tt.path), miniatures, reading{})
		if err != nil || !strings.HasSuffix(src.What, tt.what) || s.Name != tt.name {
			t.Errorf("%s: recognized %+v (%v), want %s called %q", tt.path, src, err, tt.what, tt.name)
		}
	}
	missing := (*data.MissingError)(nil)
	if _, _, err := recognize(filepath.Join(dir, "e"), miniatures, reading{}); !errors.As(err, &missing) {
		t.Errorf("nothing there: %v, want a *Missing", err)
	}
}

func TestNumberedImagesKeepTheirOrder(t *testing.T) {
	all := []imageFile{{"cat/00012.png", 3}, {"cat/3.png", 3}, {"dog/0007-dog.png", 5}}
	byNumber(all)
	if got := []string{all[0].path, all[1].path, all[2].path}; !slices.Equal(got,
		[]string{"cat/3.png", "dog/0007-dog.png", "cat/00012.png"}) {
		t.Errorf("by number: %v", got)
	}
	same := []imageFile{{"cat/2.png", 3}, {"cat/1.png", 3}, {"dog/1.png", 5}}
	if byNumber(same); same[0].path != "cat/2.png" {
		t.Errorf("numbers that repeat from class to class order nothing, got %v", same)
	}
}

func TestExactImagesAreNotAltered(t *testing.T) {
	s := filled(t, small)
	dir := t.TempDir()
	for _, part := range []struct {
		name string
		data.Split
	}{{"train", s.Train}, {"test", s.Test}} {
		for i := range part.Len() {
			var b bytes.Buffer
			if err := png.Encode(&b, part.Image(i).(*image.NRGBA)); err != nil {
				t.Fatal(err)
			}
			class := s.Classes[part.Labels[i]]
			write(t, filepath.Join(dir, part.name, class, fmt.Sprint(i)+".png"), b.Bytes())
		}
	}
	got, err := OpenFolder(dir)
	if err != nil || got.Altered {
		t.Fatalf("altered: %v (%v), want exact copies", got, err)
	}
	again, err := OpenFolder(dir)
	if err != nil || again.Digest != got.Digest {
		t.Errorf("digest %v, then %v (%v)", got.Digest, again.Digest, err)
	}
}

func TestImportCanBeOpened(t *testing.T) {
	dir, from := t.TempDir(), filepath.Join(t.TempDir(), "My Flowers.d")
	tree(t, filepath.Join(from, "train"), 6, "red", "blue")
	tree(t, filepath.Join(from, "val"), 2, "red", "blue")
	tree(t, filepath.Join(from, "test"), 3, "red", "blue")
	s, src, err := Recognize(from)
	if err != nil {
		t.Fatal(err)
	}
	folder, err := Import(s, src, from, dir, "", false)
	if err != nil || folder != filepath.Join(dir, "my-flowers") {
		t.Fatalf("imported to %s (%v), want my-flowers", folder, err)
	}
	got, err := Open(data.Options{Name: folder}, dir)
	if err != nil {
		t.Fatal(err)
	}
	if got.Digest != s.Digest || valDigest(got) != valDigest(s) || got.Val.Len() != 4 || got.Name != folder ||
		!slices.Equal(got.Classes, s.Classes) || !got.Altered {
		t.Errorf("got %s with %v, want what was imported: %v", got.Name, got.Digest, s.Digest)
	}
	_, err = Import(s, src, from, dir, "", false)
	if present := (*ExistsError)(nil); !errors.As(err, &present) || present.Path != folder {
		t.Errorf("imported twice: %v, want a *Present", err)
	}
	if _, err := Import(s, src, from, dir, "my-flowers", true); err != nil {
		t.Errorf("replaced: %v", err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("left in the data folder: %v, want my-flowers alone", left)
	}
}

// An imported set of CIFAR is found by its name, and held out from as it always is.
func TestImportStandsForItsSet(t *testing.T) {
	dir := t.TempDir()
	s := filled(t, small)
	if _, err := Import(s, Source{What: "small python archive"}, "x.tgz", dir, "", false); err != nil {
		t.Fatal(err)
	}
	got, err := layouts{small, smallPython}.open(dir)
	if err != nil || got.Name != "small" || got.Digest != s.Digest || got.HeldOut != s.HeldOut {
		t.Errorf("got %+v (%v), want the set by its name", got, err)
	}
	if got, want := holdoutOf("cifar10"), newReader(cifar10).set("").Stream; got != want {
		t.Errorf("imported CIFAR-10 is held out from by %s, want %s", got, want)
	}
}

func TestImportNames(t *testing.T) {
	s := filled(t, small)
	s.Name = ""
	for _, tt := range []struct{ path, name, want, wrong string }{
		{"flowers.npz", "", "flowers", ""},
		{"a/b c/", "", "b-c", ""},
		{"x", "ok-1.2", "ok-1.2", ""},
		{"x", "cifar10", "", `"cifar10" is the name of another set`},
		{"x", "auto", "", "is the name of another set"},
		{"x", "../up", "", "is no name"},
		{"x", ".hidden", "", "is no name"},
		{"x", "Größe", "", "is no name"},
		{"....", "", "", "is no name"},
	} {
		dir := t.TempDir()
		folder, err := Import(s, Source{}, tt.path, dir, tt.name, false)
		bad := (*option.Error)(nil)
		if tt.wrong != "" && (!errors.As(err, &bad) || !strings.Contains(err.Error(), tt.wrong)) {
			t.Errorf("%s as %q: %v, want %s", tt.path, tt.name, err, tt.wrong)
		}
		if tt.wrong == "" && (err != nil || filepath.Base(folder) != tt.want) {
			t.Errorf("%s as %q: %s (%v), want %s", tt.path, tt.name, folder, err, tt.want)
		}
	}
	s.Name = "cifar10"
	if _, err := Import(s, Source{}, "x", t.TempDir(), "mine", false); err == nil {
		t.Error("CIFAR-10 was imported as mine")
	}
}

func TestImportedSetsAreChecked(t *testing.T) {
	for _, tt := range []struct {
		name, file string
		change     func(b []byte) []byte
		want       string
	}{
		{"an image changed", "train.bin", func(b []byte) []byte { b[99] ^= 1; return b }, "their digest differs"},
		{"cut off", "test.bin", func(b []byte) []byte { return b[:99] }, "test.bin: want 6146 bytes, got 99"},
		{"a label out of range", "train.bin", func(b []byte) []byte { b[0] = 9; return b },
			"record 1: want a label below 4"},
		{"no JSON", packedFile, func(b []byte) []byte { return b[:20] }, "want what data import wrote"},
		{"from the future", packedFile, swap(`"v": 1`, `"v": 3`), "v is 3: this program reads 1 and 2"},
		{"no classes", packedFile, swap(`"a",`, ``), "want a label below 3"},
		{"too many", packedFile, swap(`"train": 6`, `"train": 6000000000`), "images: want 1 to"},
		{"negative", packedFile, swap(`"val": 0`, `"val": -1`), "images: want 1 to"},
		{"a path for a name", packedFile, swap(`"small"`, `"../small"`), "is no name"},
		{"more held out than there is", packedFile, swap(`"pictures"`, `"val_size": 7, "pictures"`), "val_size is 7"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			folder, err := Import(filled(t, small), Source{}, "", dir, "", false)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(folder, tt.file)
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			write(t, path, tt.change(b))
			_, err = layouts{small}.open(dir)
			wantCorrupt(t, err, tt.want)
		})
	}
}

func swap(old, new string) func([]byte) []byte {
	return func(b []byte) []byte { return bytes.Replace(b, []byte(old), []byte(new), 1) }
}
