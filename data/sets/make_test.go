package sets

import (
	"image"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/data"
)

// Whatever a program gets wrong about its images is an error that says what.
func TestNewRefuses(t *testing.T) {
	classes := []string{"a", "b"}
	good := func() data.Split { return floats(4, 2, 3, 5, 2) }
	if s, err := New("mine", classes, good(), data.Split{}, good()); err != nil || s.Shape() != [3]int{2, 3, 5} ||
		s.Test.Len() != 4 {
		t.Fatalf("New: %+v, %v", s, err)
	}
	if _, err := New("mine", classes, good(), data.Split{}, data.Split{}); err != nil {
		t.Errorf("without test images: %v", err)
	}
	for want, change := range map[string]func(name *string, classes *[]string, train, test *data.Split){
		`"a/b" is no name`:                     func(n *string, _ *[]string, _, _ *data.Split) { *n = "a/b" },
		`"cifar10" is the name of another set`: func(n *string, _ *[]string, _, _ *data.Split) { *n = "cifar10" },
		"1 classes: want 2 to 65536":           func(_ *string, c *[]string, _, _ *data.Split) { *c = []string{"a"} },
		"label 2 of image 1: want 0 to 1":      func(_ *string, _ *[]string, s, _ *data.Split) { s.Labels[1] = 2 },
		"label -1 of image 0":                  func(_ *string, _ *[]string, s, _ *data.Split) { s.Labels[0] = -1 },
		"test: 4 labels, and 119 floats": func(_ *string, _ *[]string, _,
			s *data.Split) {
			s.Floats = s.Floats[1:]
		},
		"image 0: value 3 is NaN": func(_ *string, _ *[]string, s,
			_ *data.Split) {
			s.Floats[2] = float32(math.NaN())
		},
		"image 3: value 30 is +Inf": func(_ *string, _ *[]string, s,
			_ *data.Split) {
			s.Floats[119] = float32(math.Inf(1))
		},
		"training images of 2 × 3 × 5 and others of": func(_ *string, _ *[]string, _,
			s *data.Split) {
			s.Format = data.FloatFormat(3, 2, 5)
		},
		"5 means and 5 stds":                        func(_ *string, _ *[]string, s, _ *data.Split) { s.Channels = 1 },
		"want images of 1 to 4096 rows and columns": func(_ *string, _ *[]string, s, _ *data.Split) { s.Rows = 0 },
		"want 2 or more training images, got 1": func(_ *string, _ *[]string, s,
			_ *data.Split) {
			*s = s.Subset([]int{1})
		},
	} {
		name, classes, train, test := "mine", classes, good(), good()
		change(&name, &classes, &train, &test)
		if _, err := New(name, classes, train, data.Split{}, test); err == nil || !strings.Contains(err.Error(), want) {
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
	bytes := data.NewSplit(data.FormatOf(3, 5, 2), 600, false)
	for i := range bytes.Labels {
		bytes.Labels[i] = int32(i % 300)
	}
	for i := range bytes.Pixels {
		bytes.Pixels[i] = uint8(i * 7)
	}
	for name, s := range map[string]struct {
		classes []string
		train   data.Split
	}{"floats": {[]string{"a", "b"}, floats(6, 2, 3, 5, 2)}, "many": {many, bytes}} {
		set, err := New(name, s.classes, s.train, data.Split{}, s.train)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if _, err := Import(set, Source{What: "program"}, "here", dir, "", false); err != nil {
			t.Fatal(err)
		}
		got, err := Open(data.Options{Name: name}, dir)
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

// floats is a split of n images, rows × cols × channels of float32, image i of class i modulo classes.
func floats(n, rows, cols, channels, classes int) data.Split {
	s := data.NewSplit(data.FloatFormat(rows, cols, channels), n, true)
	for i := range s.Floats {
		s.Floats[i] = float32(i) / 8
	}
	for i := range s.Labels {
		s.Labels[i] = int32(i % classes)
	}
	return s
}

// What stands for CIFAR is as large as CIFAR, and is divided likewise.
func TestPlaceholderIsAsLarge(t *testing.T) {
	for name, classes := range map[string]int{"cifar10": 10, "cifar100": 100} {
		s := Placeholder(name)
		train, val, test, err := s.Split(data.Default())
		if err != nil || train.Len() != 45_000 || val.Len() != 5_000 || test.Len() != 10_000 ||
			len(s.Classes) != classes {
			t.Errorf("%s: %d, %d, %d images of %d classes (%v)", name, train.Len(), val.Len(), test.Len(),
				len(s.Classes), err)
		}
		if s.Digest.Train != "" || s.Published {
			t.Errorf("%s passes for the published images", name)
		}
	}
	if Placeholder("./images") != nil {
		t.Error("the size of a folder is not known")
	}
}
