package sets

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/option"
)

// plain is an image of one color, PNG unless ext is a JPEG's.
func plain(ext string, w, h int, c color.Color) []byte {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.Set(x, y, c)
		}
	}
	var out bytes.Buffer
	var err error
	if ext == ".png" {
		err = png.Encode(&out, img)
	} else {
		err = jpeg.Encode(&out, img, nil)
	}
	if err != nil {
		panic(err)
	}
	return out.Bytes()
}

// bomb is the start of a PNG that claims w × h pixels.
func bomb(w, h uint32) []byte {
	b := plain(".png", 1, 1, color.White)
	binary.BigEndian.PutUint32(b[16:], w)
	binary.BigEndian.PutUint32(b[20:], h)
	binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
	return b
}

var red, blue = color.NRGBA{R: 255, A: 255}, color.NRGBA{B: 255, A: 255}

// tree writes n images a class: red ones for "red", blue ones for any other.
func tree(t *testing.T, dir string, n int, classes ...string) {
	t.Helper()
	for _, class := range classes {
		c := blue
		if class == "red" {
			c = red
		}
		for i := range n {
			write(t, filepath.Join(dir, class, fmt.Sprintf("%03d.png", i)), plain(".png", 40+i, 30, c))
		}
	}
}

func TestFolderSplits(t *testing.T) {
	for _, tt := range []struct {
		name             string
		write            func(t *testing.T, dir string)
		train, val, test []int // images of the classes blue, red
	}{
		{"train alone", func(t *testing.T, dir string) {
			tree(t, dir+"/train", 12, "red", "blue")
		}, []int{10, 10}, []int{0, 0}, []int{2, 2}},
		{"no train folder", func(t *testing.T, dir string) {
			tree(t, dir, 7, "red", "blue")
		}, []int{6, 6}, []int{0, 0}, []int{1, 1}},
		{"train and test", func(t *testing.T, dir string) {
			tree(t, dir+"/train", 3, "red", "blue")
			tree(t, dir+"/test", 2, "red")
		}, []int{3, 3}, []int{0, 0}, []int{0, 2}},
		{"train and val", func(t *testing.T, dir string) {
			tree(t, dir+"/train", 3, "red", "blue")
			tree(t, dir+"/val", 1, "red", "blue")
		}, []int{3, 3}, []int{0, 0}, []int{1, 1}},
		{"all three", func(t *testing.T, dir string) {
			tree(t, dir+"/train", 3, "red", "blue")
			tree(t, dir+"/val", 1, "red", "blue")
			tree(t, dir+"/test", 2, "red", "blue")
		}, []int{3, 3}, []int{1, 1}, []int{2, 2}},
		{"other files", func(t *testing.T, dir string) {
			tree(t, dir, 2, "red", "blue")
			write(t, dir+"/blue/notes.txt", []byte("no image"))
			write(t, dir+"/blue/.hidden.png", []byte("no image"))
			write(t, dir+"/.git/x.png", []byte("no class"))
		}, []int{1, 1}, []int{0, 0}, []int{1, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			tt.write(t, dir)
			s, err := Open(data.Options{Name: dir}, "")
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(s.Classes, []string{"blue", "red"}) {
				t.Errorf("classes %v, want [blue red]", s.Classes)
			}
			for i, want := range [][]int{tt.train, tt.val, tt.test} {
				split := []data.Split{s.Train, s.Val, s.Test}[i]
				if got := split.Counts(2); !slices.Equal(got, want) {
					t.Errorf("%s: %v images a class, want %v", []string{"train", "val", "test"}[i], got, want)
				}
				for k, label := range split.Labels {
					p := split.Bytes(k)
					if (p[0] == 255) != (label == 1) || (p[3071] == 255) != (label == 0) {
						t.Errorf("image %d of class %s begins with %d and ends with %d", k, s.Classes[label], p[0],
							p[3071])
					}
				}
			}
		})
	}
}

func TestFolderErrors(t *testing.T) {
	for _, tt := range []struct {
		name  string
		write func(t *testing.T, dir string)
		want  string
	}{
		{"empty", func(*testing.T, string) {}, "want two or more folders of images, one a class, got 0 with 0 images"},
		{"one class", func(t *testing.T, dir string) { tree(t, dir, 3, "red") }, "got 1 (red) with 3 images"},
		{"one image a class", func(t *testing.T, dir string) {
			tree(t, dir, 1, "red", "blue")
		}, "want two or more images in some class"},
		{"unknown class", func(t *testing.T, dir string) {
			tree(t, dir+"/train", 1, "red", "blue")
			tree(t, dir+"/test", 1, "green")
		}, "green: want a class of the training images: blue, red"},
		{"no image", func(t *testing.T, dir string) {
			tree(t, dir, 2, "red", "blue")
			write(t, dir+"/red/bad.jpg", []byte("no image"))
		}, "bad.jpg: want an image (PNG, JPEG, GIF, WebP, BMP or TIFF): image: unknown format"},
		{"cut image", func(t *testing.T, dir string) {
			tree(t, dir, 2, "red", "blue")
			write(t, dir+"/red/cut.jpeg", plain(".jpeg", 64, 64, red)[:640])
		}, "cut.jpeg: want a whole image"},
		{"bomb", func(t *testing.T, dir string) {
			tree(t, dir, 2, "red", "blue")
			write(t, dir+"/red/bomb.png", bomb(20000, 20000))
		}, "bomb.png: want 1 to 104857600 pixels, got 20000 × 20000"},
		{"CIFAR files", func(t *testing.T, dir string) {
			write(t, dir+"/data_batch_1.bin", nil)
		}, "it holds files of cifar10"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			tt.write(t, dir)
			_, err := OpenFolder(dir)
			wantCorrupt(t, err, tt.want)
		})
	}
	var missing *data.MissingError
	if _, err := OpenFolder(t.TempDir() + "/none"); !errors.As(err, &missing) {
		t.Errorf("no folder: got %v, want a *Missing", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, nil)
	var bad *option.Error
	if _, err := OpenFolder(file); !errors.As(err, &bad) || !strings.Contains(err.Error(), "data.name") {
		t.Errorf("a file: got %v, want an *option.Error on data.name", err)
	}
}

func TestFit(t *testing.T) {
	// the central 40 × 40 is red, the rest blue, a corner transparent
	wide := image.NewNRGBA(image.Rect(10, 10, 110, 50))
	for y := 10; y < 50; y++ {
		for x := 10; x < 110; x++ {
			wide.Set(x, y, blue)
			if 40 <= x && x < 80 {
				wide.Set(x, y, red)
			}
			if 40 <= x && x < 60 && y < 30 {
				wide.Set(x, y, color.Transparent)
			}
		}
	}
	p := make([]uint8, rgb32.Size())
	fit(p, wide, upright, rgb32)
	for _, tt := range []struct {
		name            string
		row, col        int
		red, green, blu uint8
	}{{"lower right", 31, 31, 255, 0, 0}, {"lower left", 31, 0, 255, 0, 0}, {"transparent", 2, 2, 0, 0, 0}} {
		at := tt.row*32 + tt.col
		if got := [3]uint8{p[at], p[1024+at], p[2048+at]}; got != [3]uint8{tt.red, tt.green, tt.blu} {
			t.Errorf("%s: %v, want %v", tt.name, got, [3]uint8{tt.red, tt.green, tt.blu})
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(plain(".png", 3, 5, red))
	f.Add(plain(".jpeg", 9, 2, blue))
	f.Add(bomb(1<<31, 1<<31))
	for _, b := range formats(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c, _, err := image.DecodeConfig(bytes.NewReader(b))
		if n := c.Width * c.Height; err == nil && n > 1<<20 && n <= int(largest()) {
			t.Skip("large, but taken")
		}
		_, err = decode(make([]uint8, rgb32.Size()), "f", bytes.NewReader(b), rgb32)
		if bad := (*data.CorruptError)(nil); err != nil && !errors.As(err, &bad) {
			t.Errorf("got %v, want a *Corrupt", err)
		}
	})
}
