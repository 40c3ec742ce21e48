package viz

import (
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

// A figure for a paper does not name its run.
func TestSourceIsNotForPapers(t *testing.T) {
	f := figure(t)
	f.Source, f.Caption = "run 7", "epoch 3"
	for theme, want := range map[string]string{"light": ">run 7 · epoch 3<", "paper": ">epoch 3<"} {
		if b, err := f.Encode("a.svg", Output{Theme: theme}); err != nil || !strings.Contains(string(b), want) {
			t.Errorf("%s: %v, or not %q", theme, err, want)
		}
	}
}

// A line of a caption does not begin with a separator, nor end with one.
func TestCaptionsBreakBetweenParts(t *testing.T) {
	for want, width := range map[string]vg.Length{"a b · c": 100, "a b|c": 15, "a|b|c": 8} {
		if got := strings.Join(wrapWords("a b · c", sans(8, nil), width), "|"); got != want {
			t.Errorf("%v points: %q, want %q", width, got, want)
		}
	}
}
