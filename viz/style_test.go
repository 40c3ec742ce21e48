package viz

import (
	"image/color"
	"math"
	"testing"
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
		if c := &Themes[i]; len(c.heads) != 16 || len(c.ramp) < 2 || len(c.negative) < 2 ||
			c.contrasting(c.ground) != c.ink {
			t.Errorf("%s is not complete", c.name)
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
		for name, letters := range map[string]color.NRGBA{"ink": theme.ink, "quiet": theme.quiet} {
			a, b := luminance(theme.ground), luminance(letters)
			if contrast := (max(a, b) + 0.05) / (min(a, b) + 0.05); contrast < 4.5 {
				t.Errorf("%s: contrast of %s is %.2f, want 4.5", theme.name, name, contrast)
			}
		}
	}
}
