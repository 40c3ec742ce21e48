package claims

import (
	"github.com/attnconv/attnconv/theorem"
)

// Exercises works the theorem out where it is small enough to do by hand, once for each sharpness α of the heads (0:
// Hard): five pixels in a row, the three queries in the middle, and a kernel on the shifts -1, 0, 1, with every
// intermediate value of the convolution and of the attention layer. The error is FromConv's, for an α below 0 or
// infinite.
func Exercises(alphas ...float64) (ExerciseReport, error) {
	r := ExerciseReport{V: 1}
	for _, alpha := range alphas {
		e, err := exercise(alpha)
		if err != nil {
			return r, err
		}
		r.Exercises = append(r.Exercises, e)
	}
	return r, nil
}

func exercise(alpha float64) (e Exercise, err error) {
	c := &theorem.Conv[float64]{Geometry: theorem.Geometry{Kernel: []int{3}}, In: 1, Out: 1,
		Weight: []float64{1, -2, 3}}
	e = Exercise{Alpha: alpha, Pixels: []float64{2, -1, 3, 0, 1}, Queries: []int{2, 3, 4}}
	l, err := theorem.FromConv(c, theorem.FromOptions{Alpha: alpha})
	if err != nil {
		return e, err
	}
	size := []int{len(e.Pixels)}
	for t, s := range c.Shifts() { // unpadded: output o is at pixel o, and reads o, o + 1, o + 2
		e.Heads = append(e.Heads, ExerciseHead{Shift: s[0] - 1, Weight: c.Weight[t]})
		for o := range e.Queries {
			row, scores := make([]float64, size[0]), make([]float64, size[0])
			row[o+s[0]] = 1
			for k := range scores {
				scores[k] = l.Heads[t].Score([]int{k - o})
			}
			e.Heads[t].Selected, e.Heads[t].Scores = append(e.Heads[t].Selected, row), append(e.Heads[t].Scores, scores)
			e.Heads[t].Taken = append(e.Heads[t].Taken, e.Pixels[o+s[0]])
		}
	}
	seen := make([]float64, 1)
	l.Attend(size, func(h, _ int, keys []int, p []float64) {
		theorem.Mix(seen, e.Pixels, keys, p)
		e.Heads[h].Weights = append(e.Heads[h].Weights, append([]float64(nil), p...))
		e.Heads[h].Seen = append(e.Heads[h].Seen, seen[0])
	})
	e.Convolution, e.Attention = c.Forward(size, e.Pixels)[0], l.Forward(size, e.Pixels)[0]
	mixed, fit, err := theorem.FromConvWith(c, l.Heads, size)
	if err != nil {
		return e, err
	}
	e.Mixed, e.Residual = mixed.Forward(size, e.Pixels)[0], fit.Residual
	for h := range e.Heads {
		e.Phi = append(e.Phi, append([]float64(nil), fit.Phi.RawRowView(h)...))
	}
	return e, nil
}
