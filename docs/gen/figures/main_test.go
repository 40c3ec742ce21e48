package main

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/attnconv/attnconv"
)

const root = "../../.."

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

// The gallery has the titles and commands of the figures.
func TestGalleryIsUpToDate(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(root, galleryPage))
	if err != nil {
		t.Fatal(err)
	}
	want, err := withGallery(string(b))
	if err != nil {
		t.Fatal(err)
	}
	if want != string(b) {
		t.Errorf("%s is not up to date: cd docs/gen && go run ./figures social", galleryPage)
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

// pages are those that show figures.
func pages(t *testing.T) (names []string) {
	t.Helper()
	for _, pattern := range []string{"README.md", "docs/*.md", "docs/decisions/*.md", "examples/*.md", "studies/*.md"} {
		list, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, list...)
	}
	return names
}

var (
	anImage = regexp.MustCompile(`<img\s[^>]*>`)
	ofImage = regexp.MustCompile(`src="([^"]+)"`)
	inWidth = regexp.MustCompile(`width="(\d+)"`)
)

// The smallest letters of every figure have at least 7 points, in print at the width at which it is drawn, and on every
// page at the width at which the page shows it. No figure is wider than a page of GitHub, or than one of paper.
func TestLettersAreLegible(t *testing.T) {
	const least, widest, paper = 7, 830, 17 / 2.54 * 72
	seen := map[string]bool{}
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, tag := range anImage.FindAllString(string(text), -1) {
			src, width := ofImage.FindStringSubmatch(tag), inWidth.FindStringSubmatch(tag)
			if src == nil || filepath.Base(filepath.Dir(src[1])) != filepath.Base(folder) {
				continue
			}
			name := filepath.Base(src[1])
			seen[name] = true
			if width == nil {
				t.Errorf("%s shows %s without a width", page, name)
				continue
			}
			pixels, err := strconv.ParseFloat(width[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			b, err := os.ReadFile(filepath.Join(root, folder, name))
			if err != nil {
				t.Error(err)
				continue
			}
			l, err := readLetters(b)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			} else if got := l.shown(pixels); got < least || pixels > widest {
				t.Errorf("%s shows %s %v pixels wide, with letters of %.1f points: want %d pixels at most, and %d "+
					"points", page, name, pixels, got, widest, least)
			}
		}
	}
	for _, f := range figures {
		b, err := os.ReadFile(filepath.Join(root, folder, f.file(themes[0])))
		if err != nil {
			t.Fatal(err)
		}
		switch l, err := readLetters(b); {
		case f.name == "social": // other sites show it, at their size
		case err != nil:
			t.Errorf("%s: %v", f.name, err)
		case !seen[f.file(themes[0])]:
			t.Errorf("no page shows %s", f.name)
		case f.ext == ".png" && (l.size < least || l.width > paper+0.5):
			t.Errorf("%s has letters of %.3g points on %.4g: want %d on %.4g", f.name, l.size, l.width, least, paper)
		}
	}
}

// The letters of an svg are read as they are, and small ones are noticed.
func TestLetters(t *testing.T) {
	svg := `<svg viewBox="0 0 200 100"><text style="font-size:9px">a</text><text font-size="7">b</text></svg>`
	l, err := lettersOf([]byte(svg))
	if want := (letters{7, 200}); err != nil || l != want {
		t.Fatalf("%v, %v, want %v", l, err, want)
	}
	if got := l.shown(400); math.Abs(got-7.0*2*0.75) > 1e-9 {
		t.Errorf("shown on 400 pixels: %v points", got)
	}
	if again, err := readLetters([]byte("…" + l.String() + "…")); err != nil || again != l {
		t.Errorf("%v, %v, want %v", again, err, l)
	}
	if _, err := lettersOf([]byte("<svg>")); err == nil {
		t.Error("no width: want an error")
	}
}
