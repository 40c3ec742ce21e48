package sets

import (
	"archive/tar"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/option"
)

// pngOf is img as a PNG.
func pngOf(t *testing.T, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// animated is a PNG that says in front of its image that it has n frames.
func animated(t *testing.T, n uint32) []byte {
	b := plain(".png", 32, 32, red)
	chunk := binary.BigEndian.AppendUint32([]byte("acTL"), n)
	chunk = binary.BigEndian.AppendUint32(chunk, 0)
	sum := binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(chunk))
	const header = 8 + 12 + 13 // the signature and IHDR
	return slices.Concat(b[:header], []byte{0, 0, 0, 8}, chunk, sum, b[header:])
}

// frames is a GIF of n frames.
func frames(t *testing.T, n int) []byte {
	t.Helper()
	g := &gif.GIF{}
	for range n {
		g.Image = append(g.Image, image.NewPaletted(image.Rect(0, 0, 32, 32), color.Palette{red, blue}))
		g.Delay = append(g.Delay, 5)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, g); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// pages is a TIFF whose first page of one gray pixel is followed by another directory.
func pages(next byte) []byte {
	b := []byte{'I', 'I', 42, 0, 10, 0, 0, 0, 77, 0, 9, 0}
	for _, e := range [][3]int{{0x100, 3, 1}, {0x101, 3, 1}, {0x102, 3, 8}, {0x103, 3, 1}, {0x106, 3, 1}, {0x111, 4, 8},
		{0x115, 3, 1}, {0x116, 3, 1}, {0x117, 4, 1}} {
		b = append(b, byte(e[0]), byte(e[0]>>8), byte(e[1]), 0, 1, 0, 0, 0, byte(e[2]), 0, 0, 0)
	}
	return append(b, next, 0, 0, 0)
}

// What a picture loses is counted, once an import.
func TestLossesAreCounted(t *testing.T) {
	deep := image.NewNRGBA64(image.Rect(0, 0, 32, 32))
	for i := range deep.Pix {
		deep.Pix[i] = 255
	}
	clear := image.NewNRGBA(image.Rect(0, 0, 32, 32))
	gray := image.NewGray(image.Rect(0, 0, 32, 32))
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 32, 32)), nil); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, content := range map[string][]byte{
		"deep.png": pngOf(t, deep), "clear.png": pngOf(t, clear), "wide.png": plain(".png", 48, 32, red),
		"large.png": plain(".png", 64, 64, red), "gray.png": pngOf(t, gray), "one.gif": frames(t, 1),
		"two.gif": frames(t, 3), "apng.png": animated(t, 2), "still.png": animated(t, 1), "one.tif": pages(0),
		"two.tif": pages(8), "gray.jpg": b.Bytes(), "turned.jpg": exifJPEG(t, 6),
	} {
		write(t, filepath.Join(dir, "train/a", name), content)
	}
	files(t, dir, "train/b/0.png", "test/a/0.png")
	for _, tt := range []struct {
		image string
		want  map[string]int
	}{
		{"", map[string]int{"reduced from 16 bits": 1, "with transparency": 1, "with several frames or pages": 3,
			"cropped around the middle, to a square": 1, "resized to 32 × 32": 3, "turned upright": 1,
			"turned from color to gray": 0}},
		{"32,48,1", map[string]int{"turned from color to gray": 11, "resized to 32 × 48": 14,
			"cropped around the middle, to the proportions 48 : 32": 12}},
	} {
		fit := Fit{}
		if tt.image != "" {
			fit, _ = ParseFit(tt.image)
		}
		r, err := ImportFrom(t.Context(), dir, ImportOptions{Dir: t.TempDir(), Name: "x", Image: fit, DryRun: true})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		for _, l := range r.Inventory.Losses {
			for why := range tt.want {
				if strings.HasPrefix(l.Why, why) {
					got[why] = l.N
				}
			}
		}
		for why, want := range tt.want {
			if got[why] != want {
				t.Errorf("%s: %d %s, want %d: %+v", tt.image, got[why], why, want, r.Inventory.Losses)
			}
		}
	}
}

// The images of arrays are counted likewise.
func TestLossesOfArraysAreCounted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npz")
	x, y := npyOf("|u1", "(4, 28, 30, 3)", make([]byte, 4*28*30*3)), npyOf("|u1", "(4,)", []byte{0, 1, 0, 1})
	write(t, path, npz("x_train", x, "y_train", y, "x_test", x, "y_test", y))
	for size, want := range map[string]string{
		"32,32,3": "8 cropped around the middle, to a square; 8 resized to 32 × 32",
		"28,28,1": "8 turned from color to gray; 8 cropped around the middle, to a square", "keep": "",
	} {
		fit, _ := ParseFit(size)
		s, _, err := RecognizeAs(path, fit)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range s.Inventory.Losses {
			got = append(got, fmt.Sprint(l.N, " ", l.Why))
		}
		if strings.Join(got, "; ") != want || s.Altered != (want != "") {
			t.Errorf("%s: %q, altered %v", size, got, s.Altered)
		}
	}
}

// Arrays of NumPy become test images of given classes: bytes of the wanted size, floats as they are.
func TestOpenArrays(t *testing.T) {
	dir := t.TempDir()
	at := func(name string, b []byte) string {
		write(t, filepath.Join(dir, name), b)
		return filepath.Join(dir, name)
	}
	classes, fit := []string{"a", "b"}, Fit{Shape: [3]int{4, 4, 1}}
	y := at("y.npy", npyOf("<i4", "(2, 1)", []byte{1, 0, 0, 0, 0, 0, 0, 0}))
	s, err := OpenArrays(at("x.npy", npyOf("|u1", "(2, 8, 8)", bytes.Repeat([]byte{7}, 128))), y, classes, fit)
	if err != nil || s.Test.Len() != 2 || s.Train.Len() != 0 || s.Test.Bytes(1)[15] != 7 || !s.Altered ||
		!slices.Equal(s.Test.Labels, []int32{1, 0}) || !slices.Equal(s.Classes, classes) {
		t.Errorf("bytes: %+v, %v", s, err)
	}
	f := at("f.npy", npyOf("<f4", "(2, 4, 4, 1)", bytes.Repeat([]byte{0, 0, 0x80, 0x3f}, 32)))
	if s, err := OpenArrays(f, y, classes, fit); err != nil || s.Test.Values(1)[15] != 1 || s.Altered {
		t.Errorf("floats: %v", err)
	}
	cut, other := at("cut.npy", npyOf("|u1", "(1, 2, 2)", make([]byte, 3))), at("z.npy", []byte("x"))
	for _, tt := range []struct {
		images, labels string
		classes        []string
		fit            Fit
		want           string
	}{
		{f, y, classes[:1], fit, "want labels below 1"}, {f, f, classes, fit, "want 2 integers, one for each image"},
		{f, y, classes, Fit{Shape: [3]int{5, 4, 1}}, "floats are never resized"},
		{y, y, classes, fit, "want bytes (n, rows"}, {cut, y, classes, fit, "the file has 3"},
		{other, y, classes, fit, "not an array"},
	} {
		_, err := OpenArrays(tt.images, tt.labels, tt.classes, tt.fit)
		wantCorrupt(t, err, tt.want)
	}
}

// exifJPEG is a JPEG of 32 × 32 with an orientation.
func exifJPEG(t *testing.T, way byte) []byte {
	b := plain(".jpg", 32, 32, red)
	exif := []byte("Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00" + string(rune(way)) +
		"\x00\x00\x00\x00\x00\x00\x00")
	head := []byte{0xff, 0xe1, 0, byte(2 + len(exif))}
	return slices.Concat(b[:2], head, exif, b[2:])
}

// All broken pictures are listed, or left out and named.
func TestBrokenPictures(t *testing.T) {
	dir := t.TempDir()
	files(t, dir, slices.Concat(pictures("train/cat", 6), pictures("train/dog", 6), pictures("test/dog", 2))...)
	write(t, filepath.Join(dir, "train/cat/empty.jpg"), nil)
	write(t, filepath.Join(dir, "train/cat/page.jpg"), []byte("<!DOCTYPE html>"))
	write(t, filepath.Join(dir, "test/dog/cut.jpg"), plain(".jpg", 64, 64, red)[:640])
	if err := os.Symlink("nowhere", filepath.Join(dir, "train/dog/link.png")); err != nil {
		t.Fatal(err)
	}
	_, err := OpenFolder(dir)
	for _, want := range []string{"4 of 18 images cannot be read", "empty.jpg: the file is empty",
		"page.jpg: want an image", "cut.jpg: want a whole image", "link.png: want a readable file", "--skip-broken"} {
		wantCorrupt(t, err, want)
	}
	r, err := ImportFrom(t.Context(), dir, ImportOptions{Dir: t.TempDir(), SkipBroken: true})
	left := "test/dog/cut.jpg train/cat/empty.jpg train/cat/page.jpg train/dog/link.png"
	if err != nil || r.Train != 12 || r.Test != 2 || r.Inventory.Taken != 14 ||
		strings.Join(leftNames(r.Inventory), " ") != left {
		t.Errorf("without the broken ones: %+v, %v", r, err)
	}
	write(t, filepath.Join(dir, "train/owl/cut.jpg"), []byte("x"))
	_, err = ImportFrom(t.Context(), dir, ImportOptions{Dir: t.TempDir(), SkipBroken: true})
	wantCorrupt(t, err, "no training images of owl: every picture there is broken")
}

// EMNIST's pictures are put upright, its classes have names, and one without images is named.
func TestEMNIST(t *testing.T) {
	dir := t.TempDir()
	for part, n := range map[string]int{"train": 3, "test": 1} {
		x := bytes.Repeat([]byte{1, 2, 3, 4}, n) // rows 1 2 and 3 4: as shown 1 3 and 2 4
		write(t, filepath.Join(dir, "emnist-letters-"+part+"-images-idx3-ubyte"), idx(8, x, n, 2, 2))
		write(t, filepath.Join(dir, "emnist-letters-"+part+"-labels-idx1-ubyte"), idx(8, []byte{1, 2, 1}[:n], n))
	}
	write(t, filepath.Join(dir, "emnist-letters-mapping.txt"), []byte("1 65 97\n2 66 98\n3 67 99\n"))
	write(t, filepath.Join(dir, "notes.txt"), []byte("mine"))
	r, got := report(t, dir)
	s, _, err := Recognize(dir)
	if got != "3 0 1 of 0 Aa Bb" || err != nil || !slices.Equal(s.Train.Bytes(2), []uint8{1, 3, 2, 4}) {
		t.Errorf("%s, picture %v, %v", got, s.Train.Bytes(2), err)
	}
	v := r.Inventory
	if v.Taken != 4 || !slices.Equal(v.Read, []string{"emnist-letters-mapping.txt"}) ||
		!slices.Equal(leftNames(v), []string{"notes.txt"}) || !strings.Contains(v.Notes[0], "put upright") ||
		!slices.Contains(v.Notes, "no training images of 1 class (0)") ||
		!slices.Contains(v.Notes, "no test images of 1 class (Bb)") {
		t.Errorf("%+v", v)
	}
	write(t, filepath.Join(dir, "emnist-letters-mapping.txt"), []byte("1 A\n"))
	_, _, err = Recognize(dir)
	wantCorrupt(t, err, "want lines of a label and the codes")
}

// IDX files are found in the folders that torchvision and programs that unpack make.
func TestFoldersOfIDXFiles(t *testing.T) {
	from := idxFolder(t, func(map[string][]byte) {})
	want, _, err := Recognize(from)
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	copyTo := func(dir string, name func(file string) string) {
		entries, _ := os.ReadDir(from)
		for _, e := range entries {
			b, _ := os.ReadFile(filepath.Join(from, e.Name()))
			write(t, filepath.Join(dir, name(e.Name())), b)
		}
	}
	copyTo(filepath.Join(root, "MNIST/raw"), func(file string) string { return file })
	copyTo(filepath.Join(root, "own"), func(file string) string { return file + "/" + file })
	for _, dir := range []string{"MNIST", "MNIST/raw", "own"} {
		s, src, err := Recognize(filepath.Join(root, dir))
		if err != nil || src.What != "IDX files" || s.Digest != want.Digest || s.Inventory.Left != nil {
			t.Errorf("%s: %+v, %v", dir, src, err)
		}
	}
	copyTo(filepath.Join(root, "KMNIST/raw"), func(file string) string { return file })
	_, _, err = Recognize(root)
	wantCorrupt(t, err, "it holds IDX files of 3 sets")
	if err := os.RemoveAll(filepath.Join(root, "own")); err != nil {
		t.Fatal(err)
	}
	_, _, err = Recognize(root)
	wantCorrupt(t, err, "it holds IDX files of 2 sets, whose names begin with "+filepath.Join(root, "KMNIST/raw"))
	if err := os.RemoveAll(filepath.Join(root, "KMNIST")); err != nil {
		t.Fatal(err)
	}
	if s, _, err := Recognize(root); err != nil || s.Digest != want.Digest {
		t.Errorf("the outer folder: %v", err)
	}
}

// Arrays that were not read are named, and arrays of test images only are a set to evaluate.
func TestArraysOfOneSplit(t *testing.T) {
	x, y := npyOf("|u1", "(4, 32, 32, 3)", make([]byte, 4*3072)), npyOf("|u1", "(4,)", []byte{0, 2, 0, 1})
	for _, tt := range []struct {
		arrays           []any
		train, val, test int
		left, note       string
	}{
		{[]any{"x_train", x, "y_train", y, "x_test", x, "y_test", y, "x_extra", x, "names", y}, 4, 0, 4, "names x_extra", ""},
		{[]any{"x_test", x, "y_test", y}, 0, 0, 4, "", "no training images: "},
		{[]any{"x", x, "y", y}, 0, 0, 4, "", "the arrays name no split: they became the test images"},
		{[]any{"images", x, "labels", y, "z", y}, 0, 0, 4, "z", "the arrays name no split"},
	} {
		path := filepath.Join(t.TempDir(), "a.npz")
		write(t, path, npz(tt.arrays...))
		dir := t.TempDir()
		r, err := ImportFrom(t.Context(), path, ImportOptions{Dir: dir})
		if err != nil || r.Train != tt.train || r.Val != tt.val || r.Test != tt.test || len(r.Classes) != 3 ||
			strings.Join(leftNames(r.Inventory), " ") != tt.left ||
			!strings.Contains(strings.Join(r.Inventory.Notes, "\n"), tt.note) {
			t.Errorf("%v: %+v, %v", tt.left, r, err)
		}
		s, err := Open(data.Options{Name: "a"}, dir)
		if err != nil {
			t.Fatal(err)
		}
		found, err := find(dir, "a")
		if err != nil {
			t.Fatal(err)
		}
		v, err := found[0].Verify(t.Context())
		if err != nil || !v.Holds || len(v.Checks) != 1+min(tt.train, 1) {
			t.Errorf("verified: %+v, %v", v, err)
		}
		test, err := s.Part("test", data.Options{})
		if _, _, _, bad := s.Split(data.Options{}); err != nil || test.Len() != 4 || (tt.train == 0) != (bad != nil) {
			t.Errorf("%v: %d test images, %v; split: %v", tt.left, test.Len(), err, bad)
		}
		wrong := (*option.Error)(nil)
		if _, err := s.Part("val", data.Options{}); tt.train == 0 && (!errors.As(err, &wrong) || s.Digest.Train != "") {
			t.Errorf("validation images of no images: %v, digest %q", err, s.Digest.Train)
		}
	}
}

// A small file of black pictures is refused, and many pictures of one color are said.
func TestPackedBlackPictures(t *testing.T) {
	const n = 1 << 17
	dir := idxFolder(t, func(files map[string][]byte) {
		files["train-images-idx3-ubyte"] = gzipBytes(idx(8, make([]byte, n*28*28), n, 28, 28))
	})
	_, _, err := Recognize(dir)
	wantCorrupt(t, err, "to which images do not pack")
	path := filepath.Join(t.TempDir(), "a.npz")
	y := npyOf("|u1", fmt.Sprintf("(%d,)", n), make([]byte, n))
	write(t, path, npz("x_test", npyOf("|u1", fmt.Sprintf("(%d, 28, 28)", n), make([]byte, n*28*28)), "y_test", y))
	_, _, err = Recognize(path)
	wantCorrupt(t, err, "fewer than images pack to")
	write(t, path, npz("x_test", npyOf("|u1", "(200, 28, 28)", make([]byte, 200*28*28)), "y_test",
		npyOf("|u1", "(200,)", make([]byte, 200))))
	if r, _ := report(t, path); !slices.Contains(r.Inventory.Notes, "200 of 200 pictures are of a single color") {
		t.Errorf("%q", r.Inventory.Notes)
	}
}

// Of an archive or a folder of CIFAR, other files and another copy are named.
func TestMembersThatWereLeft(t *testing.T) {
	b := gzipped(pack(append(entries(small), entry{name: "s/readme.html", kind: tar.TypeReg, body: []byte("x")},
		entry{name: "s/extra.bin", kind: tar.TypeReg, body: []byte("x")})...))
	dir := t.TempDir()
	write(t, filepath.Join(dir, small.archive+".tar.gz"), b)
	s, _, err := recognize(filepath.Join(dir, small.archive+".tar.gz"), []layouts{{small}}, reading{})
	if err != nil || s.Inventory.Taken != small.trainLen()+small.perTest ||
		!slices.Equal(leftNames(s.Inventory), []string{"s/extra.bin", "s/readme.html",
			"small-bin/readme.html"}) {
		t.Errorf("an archive: %+v, %v", s.Inventory, err)
	}
	writeFiles(t, small, filepath.Join(dir, small.folder), nil)
	files(t, filepath.Join(dir, small.folder), "mine.txt", "sub/a.bin")
	s, _, err = recognize(dir, []layouts{{small}}, reading{})
	want := []string{filepath.Join(dir, small.archive+".tar.gz"), "mine.txt", "sub/"}
	if err != nil || !slices.Equal(leftNames(s.Inventory), want) {
		t.Errorf("a folder: %+v, %v", s.Inventory, err)
	}
}
