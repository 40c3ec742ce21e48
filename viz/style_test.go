package viz

import "testing"

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
