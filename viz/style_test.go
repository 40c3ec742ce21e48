package viz

import (
	"bytes"
	"image/color"
	"math"
	"slices"
	"testing"

	"codeberg.org/go-fonts/liberation/liberationmonoregular"
	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
)

func TestTypeset(t *testing.T) {
	for s, want := range map[string]string{
		"-1": "−1", "4 (-10.3, -1.3)": "4 (−10.3, −1.3)", "quadratic-general": "quadratic-general",
		"04-1.png": "04-1.png",
		"1e-05":    "1e-05", "": "", "-": "-", "a b": "a b", "a  b": "a\u00a0\u00a0b", " a ": "\u00a0a\u00a0",
	} {
		if got := typeset(s); got != want {
			t.Errorf("typeset(%q) = %q, want %q", s, got, want)
		}
	}
}

// All themes are complete.
func TestThemes(t *testing.T) {
	for i := range Themes {
		if c := &Themes[i]; len(c.Heads) != 16 || len(c.Ramp) < 2 || len(c.Negative) < 2 ||
			c.contrasting(c.Ground) != c.Ink {
			t.Errorf("%s is not complete", c.Name)
		}
	}
	if _, err := findTheme("blue"); err == nil {
		t.Error("blue: want an error that lists the themes")
	}
}

// Letters of every theme, such as those below the images of eval --worst, have the contrast to the ground that WCAG 2
// asks for.
func TestThemesAreLegible(t *testing.T) {
	luminance := func(c color.NRGBA) (l float64) {
		for i, v := range []uint8{c.R, c.G, c.B} {
			x := float64(v) / 255
			if x <= 0.04045 {
				x /= 12.92
			} else {
				x = math.Pow((x+0.055)/1.055, 2.4)
			}
			l += []float64{0.2126, 0.7152, 0.0722}[i] * x
		}
		return l
	}
	for i := range Themes {
		theme := &Themes[i]
		for name, letters := range map[string]color.NRGBA{"ink": theme.Ink, "quiet": theme.Quiet} {
			a, b := luminance(theme.Ground), luminance(letters)
			if contrast := (max(a, b) + 0.05) / (min(a, b) + 0.05); contrast < 4.5 {
				t.Errorf("%s: contrast of %s is %.2f, want 4.5", theme.Name, name, contrast)
			}
		}
	}
}

// A theme that a program adds is found by its name, and its font and the width of its lines are drawn.
func TestAddedTheme(t *testing.T) {
	old := Themes
	t.Cleanup(func() { Themes = old })
	f, err := opentype.Parse(liberationmonoregular.TTF)
	if err != nil {
		t.Fatal(err)
	}
	mono := font.Font{Typeface: "Mono"}
	mine := lightTheme
	mine.Name, mine.Lines = "mine", 3
	fonts := font.NewCache(font.Collection{{Font: mono, Face: f}})
	mine.Letters = text.Style{Font: mono, Handler: text.Plain{Fonts: fonts}}
	Themes = append(slices.Clone(Themes), mine)
	figure, err := Curves([]Panel{{Title: "loss", Curves: []Curve{{Name: "a", Runs: [][]Point{{{1, 2}, {2, 1}}}}}}},
		CurvesOptions{})
	if err != nil {
		t.Fatal(err)
	}
	svg, err := figure.Encode("a.svg", Output{Theme: "mine"})
	if err != nil || !bytes.Contains(svg, []byte("Liberation Mono")) ||
		bytes.Contains(svg, []byte("Liberation Sans")) || !bytes.Contains(svg, []byte("stroke-width:3.24")) {
		t.Errorf("%v, or another font or width: %s", err, svg)
	}
}
