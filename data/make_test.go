package data

import (
	"image"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"
)

// floats is a split of n images, rows × cols × channels of float32, image i of class i modulo classes.
func floats(n, rows, cols, channels, classes int) Split {
	s := Split{Format: FloatFormat(rows, cols, channels)}
	s.allocate(n, true)
	for i := range s.Floats {
		s.Floats[i] = float32(i) / 8
	}
	for i := range s.Labels {
		s.Labels[i] = int32(i % classes)
	}
	return s
}

// Whatever a program gets wrong about its images is an error that says what.
func TestNewRefuses(t *testing.T) {
	classes := []string{"a", "b"}
	good := func() Split { return floats(4, 2, 3, 5, 2) }
	if s, err := New("mine", classes, good(), Split{}, good()); err != nil || s.Shape() != [3]int{2, 3, 5} ||
		s.Test.Len() != 4 {
		t.Fatalf("New: %+v, %v", s, err)
	}
	if _, err := New("mine", classes, good(), Split{}, Split{}); err != nil {
		t.Errorf("without test images: %v", err)
	}
	for want, change := range map[string]func(name *string, classes *[]string, train, test *Split){
		`"a/b" is no name`:                     func(n *string, _ *[]string, _, _ *Split) { *n = "a/b" },
		`"cifar10" is the name of another set`: func(n *string, _ *[]string, _, _ *Split) { *n = "cifar10" },
		"1 classes: want 2 to 65536":           func(_ *string, c *[]string, _, _ *Split) { *c = []string{"a"} },
		"label 2 of image 1: want 0 to 1":      func(_ *string, _ *[]string, s, _ *Split) { s.Labels[1] = 2 },
		"label -1 of image 0":                  func(_ *string, _ *[]string, s, _ *Split) { s.Labels[0] = -1 },
		"test: 4 labels, and 119 floats": func(_ *string, _ *[]string, _,
			s *Split) {
			s.Floats = s.Floats[1:]
		},
		"image 0: value 3 is NaN": func(_ *string, _ *[]string, s,
			_ *Split) {
			s.Floats[2] = float32(math.NaN())
		},
		"image 3: value 30 is +Inf": func(_ *string, _ *[]string, s,
			_ *Split) {
			s.Floats[119] = float32(math.Inf(1))
		},
		"training images of 2 × 3 × 5 and others of": func(_ *string, _ *[]string, _,
			s *Split) {
			s.Format = FloatFormat(3, 2, 5)
		},
		"5 means and 5 stds":                        func(_ *string, _ *[]string, s, _ *Split) { s.Channels = 1 },
		"want images of 1 to 4096 rows and columns": func(_ *string, _ *[]string, s, _ *Split) { s.Rows = 0 },
		"want 2 or more training images, got 1": func(_ *string, _ *[]string, s,
			_ *Split) {
			*s = s.Subset([]int{1})
		},
	} {
		name, classes, train, test := "mine", classes, good(), good()
		change(&name, &classes, &train, &test)
		if _, err := New(name, classes, train, Split{}, test); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}

// Images come through as they are: gray ones gray, a part of a larger image by its own bounds.
func TestFromImages(t *testing.T) {
	gray := image.NewGray(image.Rect(0, 0, 4, 3))
	for i := range gray.Pix {
		gray.Pix[i] = uint8(20 * i)
	}
	part := gray.SubImage(image.Rect(1, 1, 3, 3))
	s, err := FromImages([]image.Image{part}, []int32{1})
	if err != nil || s.Shape() != [3]int{2, 2, 1} || !slices.Equal(s.Pixels, []uint8{100, 120, 180, 200}) {
		t.Errorf("gray: %v, %v, %v", s.Shape(), s.Pixels, err)
	}
	tinted := image.NewNRGBA(image.Rect(5, 5, 7, 7))
	tinted.SetNRGBA(6, 5, color.NRGBA{10, 20, 30, 255})
	s, err = FromImages([]image.Image{part, tinted}, []int32{1, 0})
	if err != nil || s.Shape() != [3]int{2, 2, 3} || !slices.Equal(s.Bytes(1),
		[]uint8{0, 10, 0, 0, 0, 20, 0, 0, 0, 30, 0, 0}) ||
		!slices.Equal(s.Bytes(0)[4:8], []uint8{100, 120, 180, 200}) {
		t.Errorf("RGB: %v, %v, %v", s.Shape(), s.Pixels, err)
	}
	for want, images := range map[string][]image.Image{
		"0 images and 2 labels":                 {},
		"image 1 is nil":                        {gray, nil},
		"image 1 has 2 × 2 pixels, and image 0": {gray, tinted},
	} {
		if _, err := FromImages(images, []int32{0, 1}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}

// A set of floats, of three channels, or of more than 256 classes is imported and opened as it was.
func TestOtherImagesArePackedWhole(t *testing.T) {
	many := make([]string, 300)
	copy(many, numberNames(300))
	bytes := Split{Format: FormatOf(3, 5, 2)}
	bytes.allocate(600, false)
	for i := range bytes.Labels {
		bytes.Labels[i] = int32(i % 300)
	}
	for i := range bytes.Pixels {
		bytes.Pixels[i] = uint8(i * 7)
	}
	for name, s := range map[string]struct {
		classes []string
		train   Split
	}{"floats": {[]string{"a", "b"}, floats(6, 2, 3, 5, 2)}, "many": {many, bytes}} {
		set, err := New(name, s.classes, s.train, Split{}, s.train)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if _, err := Import(set, Source{What: "program"}, "here", dir, "", false); err != nil {
			t.Fatal(err)
		}
		got, err := Open(Options{Name: name}, dir)
		if err != nil {
			t.Fatal(err)
		}
		if got.Digest != set.Digest || !slices.Equal(got.Train.Labels, s.train.Labels) ||
			!slices.Equal(got.Test.Pixels, s.train.Pixels) ||
			!slices.Equal(got.Test.Floats, s.train.Floats) || got.Shape() != s.train.Shape() ||
			!slices.Equal(got.Std, s.train.Std) {
			t.Errorf("%s came back as %v, %d + %d images", name, got.Format, got.Train.Len(), got.Test.Len())
		}
	}
}

// Floats enter a batch as they are, with their channels last; augmentation moves them as it moves bytes.
func TestLoaderTakesFloats(t *testing.T) {
	s := floats(4, 6, 6, 2, 2)
	same := Split{Format: FormatOf(6, 6, 2), Labels: s.Labels}
	for i := range s.Floats {
		s.Floats[i] = float32(i % 251)
		same.Pixels = append(same.Pixels, uint8(i%251))
	}
	same.Mean, same.Std = []float32{0, 0}, []float32{1. / 255, 1. / 255}
	for _, augment := range [][]string{{"crop", "flip", "cutout"}, {"shift", "altflip"}} {
		var got [2][]float32
		for i, split := range []Split{s, same} {
			l, err := NewLoader(split, LoaderOptions{Batch: 4, Seed: 3, Shuffle: true, Augment: augment})
			if err != nil {
				t.Fatal(err)
			}
			for b := range l.Epoch(t.Context(), 2, 0) {
				got[i] = slices.Clone(b.X)
			}
		}
		for i, v := range got[0] {
			if math.Abs(float64(v-got[1][i])) > 1e-4 {
				t.Fatalf("%v: value %d is %v of floats, %v of bytes", augment, i, v, got[1][i])
			}
		}
	}
	plain, err := NewLoader(s, LoaderOptions{Batch: 1})
	if err != nil {
		t.Fatal(err)
	}
	for b := range plain.Epoch(t.Context(), 0, 0) {
		if want := []float32{s.Floats[0], s.Floats[36], s.Floats[1], s.Floats[37]}; !slices.Equal(b.X[:4], want) {
			t.Fatalf("a batch begins %v, want %v", b.X[:4], want)
		}
		break
	}
}

// What a shift brings in is black, 0 before normalization, in images of floats as in images of bytes: (0 - mean)/std.
func TestFloatsShiftedInBlack(t *testing.T) {
	s := floats(1, 3, 2, 2, 1)
	s.Mean, s.Std = []float32{2, -1}, []float32{4, 2}
	x := epoch(t, loader(t, s, LoaderOptions{Batch: 1, Shift: [2]int{1, 0}}), 0, 0)[0].X
	for i, got := range x { // (rows, cols, channels); the split has (channels, rows, cols)
		row, col, channel := i/4, i/2%2, i%2
		v := float32(0)
		if row > 0 {
			v = s.Floats[channel*6+(row-1)*2+col]
		}
		if want := (v - s.Mean[channel]) / s.Std[channel]; got != want {
			t.Errorf("row %d, column %d, channel %d: %v, want %v", row, col, channel, got, want)
		}
	}
}
