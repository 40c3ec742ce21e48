package main

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv"
)

const root = "../.."

// Every figure is there in each theme and has this version, and there are no other files.
func TestFiguresAreThere(t *testing.T) {
	want := map[string]bool{}
	for _, f := range figures {
		for _, theme := range themes {
			want[f.file(theme)] = true
			b, err := os.ReadFile(filepath.Join(root, folder, f.file(theme)))
			if err != nil {
				t.Error(err)
			} else if !bytes.Contains(b, []byte("attnconv "+attnconv.Version)) {
				t.Errorf("%s was not drawn by version %s: make figures", f.file(theme), attnconv.Version)
			}
			const most = 1 << 20
			if len(b) > most {
				t.Errorf("%s has %d bytes, want at most %d", f.file(theme), len(b), most)
			}
		}
	}
	files, err := os.ReadDir(filepath.Join(root, folder))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !want[f.Name()] {
			t.Errorf("make figures does not draw %s", f.Name())
		}
	}
}

// Figures that are drawn in a moment look like the committed ones.
func TestFiguresAreUpToDate(t *testing.T) {
	if testing.Short() {
		t.Skip("draws figures for some seconds")
	}
	dir, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"} {
		t.Setenv(name, "") // newProgram changes them
	}
	t.Chdir(".")
	p, err := newProgram(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	for i, f := range fast() {
		theme := themes[i%len(themes)] // themes differ in colors only: one is enough
		b, err := f.draw(p, theme)
		if err != nil {
			t.Errorf("%s: %v", f.name, err)
			continue
		}
		committed, err := os.ReadFile(filepath.Join(dir, folder, f.file(theme)))
		if err != nil {
			t.Error(err)
			continue
		}
		if share := different(t, f.file(theme), b, committed); share > 0.001 {
			t.Errorf("%.1f %% of the pixels of %s differ from what the program draws: make figures", 100*share,
				f.file(theme))
		}
	}
}

// different returns the share of pixels that differ by more than rounding.
func different(t *testing.T, name string, a, b []byte) float64 {
	t.Helper()
	if bytes.Equal(a, b) {
		return 0
	}
	x, y := frames(t, name, a), frames(t, name, b)
	if len(x) != len(y) {
		return 1
	}
	worst := 0.0
	for i := range x {
		if x[i].Bounds() != y[i].Bounds() {
			return 1
		}
		n := 0
		r := x[i].Bounds()
		for row := r.Min.Y; row < r.Max.Y; row++ {
			for col := r.Min.X; col < r.Max.X; col++ {
				if apart(x[i].At(col, row), y[i].At(col, row)) {
					n++
				}
			}
		}
		worst = max(worst, float64(n)/float64(r.Dx()*r.Dy()))
	}
	return worst
}

// frames decodes an image.
func frames(t *testing.T, name string, b []byte) (list []image.Image) {
	t.Helper()
	if strings.HasSuffix(name, ".gif") {
		g, err := gif.DecodeAll(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range g.Image {
			list = append(list, m)
		}
		return list
	}
	m, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return []image.Image{m}
}

func apart(a, b color.Color) bool {
	const most = 24
	x, y := color.NRGBAModel.Convert(a).(color.NRGBA), color.NRGBAModel.Convert(b).(color.NRGBA)
	for _, d := range []int{int(x.R) - int(y.R), int(x.G) - int(y.G), int(x.B) - int(y.B), int(x.A) - int(y.A)} {
		if d > most || d < -most {
			return true
		}
	}
	return false
}

// A difference that a reader would see is noticed, and rounding is not.
func TestDifferent(t *testing.T) {
	draw := func(gray uint8, from int) []byte {
		m := image.NewGray(image.Rect(0, 0, 100, 100))
		for i := range m.Pix {
			m.Pix[i] = gray
		}
		for i := from; i < from+30; i++ { // a short line
			m.Pix[i] = 0
		}
		var b bytes.Buffer
		if err := png.Encode(&b, m); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	if d := different(t, "a.png", draw(200, 0), draw(204, 0)); d != 0 {
		t.Errorf("rounding counts as %v", d)
	}
	if d := different(t, "a.png", draw(200, 0), draw(200, 500)); d < 0.001 {
		t.Errorf("a line that moved counts as %v", d)
	}
}

// The picture of a terminal keeps the spaces of tables, and leaves out what the tour says of its other stops.
func TestScreen(t *testing.T) {
	demo := "1 of 4   train\n\nepoch <1>\n2 of 4   test\nhidden\n4 of 4   prove\nreplicate  1\nleak  2\nPASS  x\n" +
		"All files are in demo:\nnot shown\n"
	lines := excerpt(demo)
	want := []string{"1 of 4   train", "", "epoch <1>", "4 of 4   prove", "        …", "PASS  x"}
	if !slices.Equal(lines, want) {
		t.Errorf("it shows %q, want %q", lines, want)
	}
	svg := string(screen(lines, "dark"))
	for _, part := range []string{"PASS&#160;&#160;x</text>", "epoch&#160;&lt;1&gt;</text>"} {
		if !strings.Contains(svg, part) {
			t.Errorf("no %s in\n%s", part, svg)
		}
	}
}
