package sets

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/data"
)

// idx is an IDX file.
func idx(kind byte, elements []byte, dims ...int) []byte {
	b := []byte{0, 0, kind, byte(len(dims))}
	for _, d := range dims {
		b = binary.BigEndian.AppendUint32(b, uint32(d))
	}
	return append(b, elements...)
}

func gzipBytes(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(b)
	w.Close()
	return out.Bytes()
}

// idxFolder writes files of a set with 3 + 2 images of 4 × 5, changed by edit.
func idxFolder(t testing.TB, edit func(files map[string][]byte)) string {
	pixels := make([]byte, 60)
	for i := range pixels {
		pixels[i] = uint8(4 * i)
	}
	files := map[string][]byte{
		"train-images-idx3-ubyte":   idx(8, pixels, 3, 4, 5),
		"train-labels-idx1-ubyte":   idx(8, []byte{0, 2, 1}, 3),
		"t10k-images-idx3-ubyte.gz": gzipBytes(idx(8, pixels[20:], 2, 4, 5)),
		"t10k-labels-idx1-ubyte.gz": gzipBytes(idx(8, []byte{1, 1}, 2)),
	}
	edit(files)
	dir := filepath.Join(t.TempDir(), "digits")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// IDX files are recognized by their folder or by any one of them, packed or not, and keep their size.
func TestIDXFilesAreASet(t *testing.T) {
	dir := idxFolder(t, func(map[string][]byte) {})
	for _, path := range []string{dir, filepath.Join(dir, "train-labels-idx1-ubyte"),
		filepath.Join(dir, "t10k-images-idx3-ubyte.gz")} {
		s, src, err := Recognize(path)
		if err != nil {
			t.Fatal(err)
		}
		if src.What != "IDX files" || s.Name != "" || s.Shape() != [3]int{4, 5, 1} || s.Train.Len() != 3 ||
			s.Test.Len() != 2 ||
			!slices.Equal(s.Train.Labels, []int32{0, 2, 1}) || !slices.Equal(s.Classes, []string{"0", "1", "2"}) ||
			s.Train.Bytes(1)[7] != 4*27 || s.Test.Bytes(0)[0] != 80 {
			t.Errorf("%s: %v, %+v", path, src, s)
		}
	}
	stored := t.TempDir()
	s, src, err := Recognize(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Import(s, src, dir, stored, "", false); err != nil {
		t.Fatal(err)
	}
	if got, err := Open(data.Options{Name: "digits"}, stored); err != nil || got.Digest != s.Digest ||
		got.Shape() != s.Shape() {
		t.Errorf("imported, it is %+v, %v", got, err)
	}
}

// Floats stay floats, whichever their size.
func TestIDXFloats(t *testing.T) {
	dir := idxFolder(t, func(f map[string][]byte) {
		f["train-images-idx3-ubyte"] = idx(0x0D, bytes.Repeat([]byte{0x3f, 0xc0, 0, 0}, 60), 3, 4, 5)
		delete(f, "t10k-images-idx3-ubyte.gz")
		f["t10k-images-idx3-ubyte"] = idx(0x0E, bytes.Repeat([]byte{0xbf, 0xf0, 0, 0, 0, 0, 0, 0}, 40), 2, 4, 5)
	})
	s, _, err := Recognize(dir)
	if err != nil || s.Train.Floats[59] != 1.5 || s.Test.Floats[39] != -1 || s.Train.Pixels != nil {
		t.Errorf("got %+v, %v", s, err)
	}
}

// Every file that is not what its header says is refused, before memory is taken for what it claims.
func TestHostileIDXFiles(t *testing.T) {
	const images, labels = "train-images-idx3-ubyte", "train-labels-idx1-ubyte"
	good := make([]byte, 60)
	for _, tt := range []struct {
		name, file string
		b          []byte
		want       string
	}{
		{"no IDX", images, []byte("hello, world"), "it does not begin as IDX"},
		{"an unknown type", images, idx(7, good, 3, 4, 5), "it does not begin as IDX"},
		{"five dimensions", images, idx(8, good, 3, 4, 5, 1, 1), "it does not begin as IDX"},
		{"a header cut off", images, idx(8, good, 3, 4, 5)[:10], "its header ends early"},
		{"cut off", images, idx(8, good[1:], 3, 4, 5), "take 76 bytes, and the file has 75"},
		{"bytes left over", images, idx(8, append(good, 1), 3, 4, 5), "take 76 bytes, and the file has 77"},
		{"more than there is", images, idx(8, good, 1<<30, 28, 28), "take 841813590032 bytes, and the file has 76"},
		{"more than memory", images, idx(8, good, 60000, 4096, 4096), "want an IDX file"},
		{"more than gzip can make", images, gzipBytes(idx(8, good, 60000, 28, 28)),
			"take 47040016 bytes, and the file has"},
		{"packed and cut off", images, gzipBytes(idx(8, good[1:], 3, 4, 5)), "image 3 is not whole"},
		{"packed and left over", images, gzipBytes(idx(8, append(good, 1), 3, 4, 5)), "it goes on"},
		{"a wrong checksum", images, func() []byte {
			b := gzipBytes(idx(8, good, 3, 4,
				5))
			b[len(b)-6] ^= 1
			return b
		}(), "checksum"},
		{"no images", images, idx(8, nil, 0, 4, 5), "dimension 1 is 0"},
		{"labels for images", images, idx(8, good, 60), "want images (n, rows, cols)"},
		{"integers for images", images, idx(0x0B, make([]byte, 120), 3, 4, 5),
			"want images (n, rows, cols) of bytes or floats"},
		{"no number", images, idx(0x0D, bytes.Repeat([]byte{0xff}, 240), 3, 4, 5), "value 1 is NaN"},
		{"wide images", images, idx(8, make([]byte, 5000), 1, 1, 5000), "rows and columns"},
		{"other images", images, idx(8, good, 3, 5, 4), "training images of 5 × 4 grey and others of 4 × 5 grey"},
		{"too few labels", labels, idx(8, []byte{1, 2}, 2), "want 3 integers, one per image"},
		{"labels with a point", labels, idx(0x0D, make([]byte, 12), 3), "want 3 integers"},
		{"a negative label", labels, idx(0x0C, bytes.Repeat([]byte{0xff}, 12), 3),
			"label 1: want 0 to 65535, got a negative number"},
		{"a large label", labels, idx(0x0C, bytes.Repeat([]byte{0, 1, 0, 0}, 3), 3),
			"label 1: want 0 to 65535, got 65536"},
		{"no labels", labels, nil, "and it is not there"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := idxFolder(t, func(f map[string][]byte) {
				if f[tt.file] = tt.b; tt.b == nil {
					delete(f, tt.file)
				}
			})
			_, _, err := Recognize(dir)
			wantCorrupt(t, err, tt.want)
		})
	}
	two := idxFolder(t, func(f map[string][]byte) { f["emnist-letters-train-images-idx3-ubyte"] = f[images] })
	_, _, err := Recognize(two)
	wantCorrupt(t, err, "it holds IDX files of 2 sets")
	if _, _, err := Recognize(filepath.Join(two, "emnist-letters-train-images-idx3-ubyte")); err == nil ||
		!strings.Contains(err.Error(), "emnist-letters-train-labels-idx1-ubyte") {
		t.Errorf("got %v, want the name of the file that it lacks", err)
	}
}

// The published files are Fashion-MNIST by their content, whatever they are called; MNIST's, of the same names and
// sizes, are not.
func TestFashionMNISTIsKnownByItsDigest(t *testing.T) {
	folder := Installed("fashion-mnist")
	if folder == "" {
		t.Skip("Debian's package dataset-fashion-mnist is not installed")
	}
	s, _, err := Recognize(folder)
	if err != nil || s.Name != "fashion-mnist" || !s.Published || s.Classes[9] != "ankle_boot" || s.HeldOut != 5000 {
		t.Fatalf("got %v, %v", s, err)
	}
	s.Train.Pixels[400] ^= 1
	s.Name = ""
	if adopt(finish(s)); s.Name != "" || s.Published {
		t.Errorf("images that differ in one bit are called %q", s.Name)
	}
}

func FuzzIDX(f *testing.F) {
	f.Add(idx(8, make([]byte, 20), 1, 4, 5), idx(8, []byte{1}, 1))
	f.Add(gzipBytes(idx(0x0D, make([]byte, 80), 1, 4, 5)), idx(0x0C, []byte{0, 0, 1, 0}, 1))
	f.Add(idx(8, nil, 1<<31, 1<<31, 1<<31), gzipBytes(idx(9, []byte{1}, 1))[:20])
	f.Fuzz(func(t *testing.T, images, labels []byte) {
		var s data.Split
		err := readIDXImages(&s, "images", bytes.NewReader(images), int64(len(images)))
		if err == nil {
			err = readIDXLabels(&s, "labels", bytes.NewReader(labels), int64(len(labels)))
		}
		if bad := (*data.CorruptError)(nil); err != nil && !errors.As(err, &bad) {
			t.Errorf("got %v, want a *Corrupt", err)
		}
		if err == nil && checkImages(s, mostClasses) != nil {
			t.Errorf("took %d images: %v", s.Len(), checkImages(s, mostClasses))
		}
	})
}

// A small packed file that has many images costs little more than they do. A slice that grew would take several times
// as much.
func TestPackedIDXCostsItsImages(t *testing.T) {
	const size = 16 << 20
	packed := gzipBytes(idx(8, make([]byte, size), size/64, 8, 8))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var s data.Split
	if err := readIDXImages(&s, "f", bytes.NewReader(packed), int64(len(packed))); err != nil || len(s.Pixels) != size {
		t.Fatalf("%d bytes, %v", len(s.Pixels), err)
	}
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > size*5/4 {
		t.Errorf("%d bytes of images took %d", size, after.TotalAlloc-before.TotalAlloc)
	}
}
