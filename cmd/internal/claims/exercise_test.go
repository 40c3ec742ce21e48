package claims

import (
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// y[2] = 1·2 - 2·(-1) + 3·3 = 13, y[3] = -1 - 6 + 0 = -7, y[4] = 3 - 0 + 3 = 6.
func TestExercise(t *testing.T) {
	both, err := Exercises(46, 1)
	if err != nil {
		t.Fatal(err)
	}
	hard, soft := both.Exercises[0], both.Exercises[1]
	want := []float64{13, -7, 6}
	if !slices.Equal(hard.Convolution, want) || !slices.Equal(hard.Attention, want) {
		t.Errorf("convolution %v, attention %v, want %v", hard.Convolution, hard.Attention, want)
	}
	if h := hard.Heads[0]; h.Shift != -1 || !slices.Equal(h.Scores[1], []float64{-46, 0, -46, -184, -414}) ||
		!slices.Equal(h.Taken, []float64{2, -1, 3}) || !slices.Equal(h.Selected[1], []float64{0, 1, 0, 0, 0}) {
		t.Errorf("the first head: %+v", h)
	}
	// The middle query's middle head has weights 1 : e^-1 : e^-4 around it.
	e1, e4 := math.Exp(-1), math.Exp(-4)
	if got, want := soft.Heads[1].Weights[1][2], 1/(1+2*e1+2*e4); math.Abs(got-want) > 1e-15 {
		t.Errorf("weight %v, want %v", got, want)
	}
	off := func(y []float64) (d float64) {
		for i := range y {
			d = max(d, math.Abs(y[i]-want[i]))
		}
		return d
	}
	if off(soft.Attention) < 5 || off(soft.Mixed) > off(soft.Attention)/2 || soft.Residual < 0.01 {
		t.Errorf("α = 1: attention off by %g, mixed by %g, residual %g", off(soft.Attention), off(soft.Mixed),
			soft.Residual)
	}
}

// The text says the same: sums with the weights written out, and a row for each query.
func TestExercisesText(t *testing.T) {
	r, err := Exercises(46)
	if err != nil {
		t.Fatal(err)
	}
	text := ExercisesText(r)
	for _, line := range []string{
		"   x[k]   2   -1   3   0   1         W[δ]    1   -2   3\n",
		"\nhead 1, Δ = -1, W = 1\n q   | E ",
		"\n  y[2]  1·2 - 2·(-1) + 3·3 = 13  1·2.000 - 2·(-1.000) + 3·3.000 = 13.000\n",
		"\n  head 2   0.000  1.000  0.000\n",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("no line %q in\n%s", line, text)
		}
	}
	_, tables, _ := strings.Cut(text, "\nα = 46\n")
	for line := range strings.Lines(tables) {
		// a sentence, which is folded
		if n := utf8.RuneCountInString(line); n > 81 && !strings.HasPrefix(line, "One mixture") {
			t.Errorf("%d columns: %s", n-1, line)
		}
	}
	if strings.Contains(text, "-0 ") || strings.Contains(text, "-0.000 ") {
		t.Errorf("a zero has a sign:\n%s", text)
	}
	if _, err := Exercises(-1); err == nil {
		t.Error("an exercise with α = -1 is accepted")
	}
}
