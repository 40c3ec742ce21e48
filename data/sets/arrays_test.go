package sets

import (
	"bytes"
	"errors"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/memory"
)

func TestHostileArrays(t *testing.T) {
	x, y := npyOf("|u1", "(1, 32, 32, 3)", make([]byte, 3072)), npyOf("|u1", "(1,)", []byte{1})
	with := func(xTrain, yTrain []byte) []byte {
		return npz("x_train", xTrain, "y_train", yTrain, "x_test", x, "y_test", y)
	}
	for _, tt := range []struct {
		name string
		b    []byte
		want string
	}{
		{"no zip", []byte("PK\x03\x04 and nothing more"), "want a zip file of arrays"},
		{"cut off", with(x, y)[:400], "want a zip file of arrays"},
		{"nothing in it", append([]byte("PK\x03\x04"), npz()...), "got none"},
		{"other names", npz("weights", x), "want arrays x_train and y_train, and got weights"},
		{"no labels", npz("x_train", x), "want arrays x_train and y_train"},
		{"no test", npz("x_train", x, "y_train", y), "want arrays x_test and y_test"},
		{"no array", with([]byte("hello, world"), y),
			"x_train.npy: want an array of numbers: not an array of NumPy's (.npy)"},
		{"a huge header", with([]byte("\x93NUMPY\x02\x00\xff\xff\xff\xff"), y), "want 1 to 3, and at most 65536"},
		{"a header cut off", with([]byte("\x93NUMPY\x01\x00\xff\x00abc"), y), "cut short"},
		{"objects", with(npyOf("|O", "(1, 32, 32, 3)", nil), y), "want numeric elements"},
		{"no shape", with([]byte("\x93NUMPY\x01\x00\x10\x00{'descr': '|u1'}"), y), "want a header with descr, fortran_order and shape"},
		{"another order", with(bytes.Replace(x, []byte("False"), []byte("True "), 1), y),
			"its first axis runs fastest"},
		{"half floats", with(npyOf("<f2", "(1, 32, 32, 3)", make([]byte, 2*3072)), y),
			"got floats of 16 bits, [1 × 32 × 32 × 3]"},
		{"no number", with(npyOf("<f4", "(1, 2, 2)", []byte("\x00\x00\xc0\x7f------------")), y),
			"image 1: value 1 is NaN: want finite ones"},
		{"images of two kinds", npz("x_train", npyOf("<f4", "(1, 2, 2)", make([]byte, 16)), "y_train", y, "x_test", x,
			"y_test", y),
			"training images of 2 × 2 grey and others of 32 × 32 RGB"},
		{"more than memory", with(npyOf("|u1", "(1000000, 32, 32, 3)", make([]byte, 9000)), y),
			"[1000000 × 32 × 32 × 3] take 3072000000 bytes, and the member has 9084"},
		{"more than numbers", with(npyOf("|u1", "(9999999999, 9999999999, 32, 3)", nil), y), "is too large"},
		{"more than a disk", with(npyOf("<f8", "(999999, 999999)", nil), y), "at most 1 TB"},
		{"no images", with(npyOf("|u1", "(0, 32, 32, 3)", nil), y), "want 1 element or more"},
		{"vast images", with(npyOf("|u1", "(1, 5000, 5000)", make([]byte, 5000*5000)), y),
			"want bytes (n, rows, cols, 3)"},
		{"bytes left over", with(append(bytes.Clone(x), 1), y), "it goes on"},
		{"other labels", with(x, npyOf("|u1", "(2,)", []byte{1, 2})), "want 1 integers, one per image"},
		{"labels with a point", with(x, npyOf("<f4", "(1,)", make([]byte, 4))), "want 1 integers"},
		{"a negative label", with(x, npyOf("<i2", "(1,)", []byte{0xff, 0xff})),
			"label 1: want 0 to 65535, got a negative number"},
		{"a large label", with(x, npyOf(">i4", "(1,)", []byte{0, 1, 0, 0})), "label 1: want 0 to 65535, got 65536"},
		{"labels cut off", with(x, npyOf("<i8", "(1,)", make([]byte, 4))), "label 1 is not whole"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.npz")
			write(t, path, tt.b)
			_, _, err := Recognize(path)
			wantCorrupt(t, err, tt.want)
		})
	}
}

// A million images of one pixel take 1 kB in a file, and would take 3 GB of memory.
func TestSmallFilesOfManyImagesAreRefused(t *testing.T) {
	const n = 1 << 20
	x, y := npyOf("|u1", "(1048576, 1, 1)", make([]byte, n)), npyOf("|u1", "(1048576,)", make([]byte, n))
	b := npz("x_train", x, "y_train", y, "x_val", x, "y_val", y, "x_test", x, "y_test", y)
	if len(b) > 20_000 {
		t.Fatalf("the file has %d bytes: it is to be small", len(b))
	}
	path := filepath.Join(t.TempDir(), "a.npz")
	write(t, path, b)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, err := Recognize(path)
	runtime.ReadMemStats(&after)
	wantCorrupt(t, err, "x_train.npy: 1048576 images are too many for a file of its size")
	if took := after.TotalAlloc - before.TotalAlloc; took > 64<<20 {
		t.Errorf("it took %d bytes", took)
	}
}

func TestSetsThatDoNotFitIntoMemoryAreRefused(t *testing.T) {
	if memory.Total() == 0 {
		t.Skip("how much memory there is, is not known here")
	}
	wantCorrupt(t, fitsMemory("a", int(memory.Total()/3073+1), 3073), "images: it needs")
	if err := fitsMemory("a", 60000, 3073); err != nil {
		t.Error(err)
	}
}

func TestArraysOfOtherSizesAreResized(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.npz")
	gray := bytes.Repeat([]byte{200}, 28*28)
	write(t, path, npz(
		"train_images", npyOf("|u1", "(1, 28, 28)", gray), "train_labels", npyOf("|u1", "(1, 1)", []byte{0}),
		"val_images", npyOf("|u1", "(1, 28, 28)", gray), "val_labels", npyOf("|u1", "(1, 1)", []byte{2}),
		"test_images", npyOf("|u1", "(1, 28, 28, 1)", gray), "test_labels", npyOf("|u1", "(1, 1)", []byte{1})))
	s, _, err := Recognize(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(s.Classes, " "); got != "0 1 2" || s.Val.Len() != 1 || !s.Altered {
		t.Errorf("classes %s, %d for validation, altered %v; want 0 1 2, one, true", got, s.Val.Len(), s.Altered)
	}
	for _, part := range []data.Split{s.Train, s.Val, s.Test} {
		if want := bytes.Repeat([]byte{200}, 3072); !bytes.Equal(part.Pixels, want) {
			t.Errorf("a gray image became %v ...", part.Pixels[:9])
		}
	}
}

func FuzzArrays(f *testing.F) {
	x, y := npyOf("|u1", "(1, 2, 2, 1)", make([]byte, 4)), npyOf("|u1", "(1,)", []byte{1})
	f.Add(npz("x_train", x, "y_train", y, "x_test", x, "y_test", y))
	f.Add(npz("x_train", x, "y_train", y, "x_val", x, "y_val", y, "x_test", x, "y_test", y))
	f.Add(npz("train_images", x)[:50])
	z := npyOf(">f8", "(1, 3, 2, 2)", make([]byte, 96))
	f.Add(npz("x_train", z, "y_train", y, "x_test", z, "y_test", y))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := readArrays("f", bytes.NewReader(b), int64(len(b)), Fit{Keep: len(b)%2 == 0})
		if bad := (*data.CorruptError)(nil); err != nil && !errors.As(err, &bad) {
			t.Errorf("got %v, want a *Corrupt", err)
		}
		if err == nil && (s.Train.Len() < 1 || s.Train.Check() != nil || s.Test.Check() != nil) {
			t.Errorf("took a set of %d + %d images", s.Train.Len(), s.Test.Len())
		}
	})
}

func FuzzHeader(f *testing.F) {
	f.Add(npyOf("|u1", "(50000, 32, 32, 3)", nil))
	f.Add(npyOf("<i8", "(7,)", []byte("1234567")))
	f.Add([]byte("\x93NUMPY\x03\x00\x10\x00\x00\x00{'descr': '|u1'}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := readHeader(bytes.NewReader(b))
		if err == nil && (h.count() < 1 || h.bytes*h.count() > 1<<40 || len(h.shape) == 0) {
			t.Errorf("took %s", h)
		}
	})
}

func FuzzPacked(f *testing.F) {
	f.Add([]byte(`{"v":1,"name":"a","classes":["x","y"],"pictures":{"train":3,"test":2},"digest":{"train":"","test":""}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if p, err := parsePacked(b); err == nil && (len(p.Classes) > 1<<16 || p.Images.Train > mostImages) {
			t.Errorf("took %+v", p)
		}
	})
}

func FuzzPickledBatch(f *testing.F) {
	l := python(tiny, "tiny-py", "labels")
	f.Add(pickled(tiny, 0, "labels"))
	f.Add(pickled(tiny, 0, "labels")[:60])
	f.Fuzz(func(t *testing.T, b []byte) {
		r := newReader(l)
		err := r.read(0, "f", bytes.NewReader(b), int64(len(b)))
		if bad := (*data.CorruptError)(nil); err != nil && !errors.As(err, &bad) {
			t.Errorf("got %v, want a *Corrupt", err)
		}
		if err == nil && len(r.train.Pixels) != 6*12 {
			t.Errorf("took %d bytes of images", len(r.train.Pixels))
		}
	})
}
