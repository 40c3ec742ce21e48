package sets

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// pixelsOf decodes a file of testdata/orient.
func pixelsOf(t *testing.T, file string) []uint8 {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := ReadImage(file, bytes.NewReader(b), rgb32)
	if err != nil {
		t.Fatal(err)
	}
	return s.Pixels
}

// The files hold one scene in every orientation, written by Pillow and exiftool (testdata/orient.py).
func TestImagesAreShownTheWayUpThatEXIFSays(t *testing.T) {
	files, err := filepath.Glob("testdata/orient/?.*")
	if err != nil || len(files) != 14 {
		t.Fatalf("want the 14 files of testdata/orient.py, got %v %v", files, err)
	}
	want := pixelsOf(t, "testdata/orient/scene.png")
	for _, file := range files {
		got, tolerance := pixelsOf(t, file), 0
		if filepath.Ext(file) == ".jpg" {
			tolerance = 40 // at the edges of the scene
		}
		for i := range want {
			if d := int(got[i]) - int(want[i]); d < -tolerance || d > tolerance {
				t.Errorf("%s: pixel %d of channel %d is %d, want %d", file, i%1024, i/1024, got[i], want[i])
				break
			}
		}
	}
}

// EXIF data that make no sense leave the image as it is stored.
func TestBrokenEXIFIsPassedOver(t *testing.T) {
	b, err := os.ReadFile("testdata/orient/6.jpg")
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(b, []byte("Exif\x00\x00MM")) + 6
	stored := slices.Clone(b)
	stored[at+2] = 1 // no longer 42
	want, err := ReadImage("6.jpg", bytes.NewReader(stored), rgb32)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(tiff []byte){
		"orientation 9":                     func(b []byte) { b[8+2+8+1] = 9 },
		"orientation 0":                     func(b []byte) { b[8+2+8+1] = 0 },
		"a directory far behind the end":    func(b []byte) { b[4] = 0xff },
		"a directory of 65,535 entries":     func(b []byte) { b[8], b[9] = 0xff, 0xff },
		"an orientation that is a fraction": func(b []byte) { b[8+2+3] = 5 },
	} {
		changed := slices.Clone(b)
		change(changed[at:])
		got, err := ReadImage("6.jpg", bytes.NewReader(changed), rgb32)
		if err != nil || !slices.Equal(got.Pixels, want.Pixels) {
			t.Errorf("%s: want the image as it is stored (%v)", name, err)
		}
	}
	if rotated := pixelsOf(t, "testdata/orient/6.jpg"); slices.Equal(rotated, want.Pixels) {
		t.Error("the orientation is not in the place where this test changes it")
	}
}

func FuzzOrientation(f *testing.F) {
	files, _ := filepath.Glob("testdata/orient/?.*")
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if o := orientationOf(bytes.NewReader(b)); o < 1 || o > 8 {
			t.Errorf("orientation %d", o)
		}
	})
}
