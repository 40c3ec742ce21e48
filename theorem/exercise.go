package theorem

// An Exercise is the theorem small enough to do by hand: five pixels in a row, the three queries in the middle, and a
// kernel on the shifts -1, 0, 1, with every intermediate value of the convolution and of the attention layer.
type Exercise struct {
	Alpha       float64        `json:"alpha"`
	Pixels      []float64      `json:"pixels"`  // x[1] to x[5]
	Queries     []int          `json:"queries"` // from 1, as the pixels
	Heads       []ExerciseHead `json:"heads"`
	Convolution []float64      `json:"convolution"` // y at the queries
	Attention   []float64      `json:"attention"`
	Phi         [][]float64    `json:"phi"` // Φ (heads, shifts): the mixture of heads that is nearest to each shift
	Residual    float64        `json:"residual"`
	Mixed       []float64      `json:"mixed"` // y of the layer with the weights Φ·W
}

// ExerciseHead is one entry of the kernel and its head. Matrices have a row for each query and a column for each pixel.
type ExerciseHead struct {
	Shift    int         `json:"shift"`
	Weight   float64     `json:"weight"`
	Selected [][]float64 `json:"selected"` // E: the pixel that the convolution selects
	Taken    []float64   `json:"taken"`    // E·x
	Scores   [][]float64 `json:"scores"`   // -α(k - q - Δ)²
	Weights  [][]float64 `json:"weights"`  // P, their softmax
	Seen     []float64   `json:"seen"`     // P·x
}

// NewExercise solves the exercise for heads of sharpness alpha.
func NewExercise(alpha float64) (*Exercise, error) {
	c := &Conv[float64]{Geometry: Geometry{Kernel: []int{3}}, In: 1, Out: 1, Weight: []float64{1, -2, 3}}
	e := &Exercise{Alpha: alpha, Pixels: []float64{2, -1, 3, 0, 1}, Queries: []int{2, 3, 4}}
	l, err := FromConv(c, FromOptions{Alpha: alpha})
	if err != nil {
		return nil, err
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
		mix(seen, e.Pixels, keys, p)
		e.Heads[h].Weights = append(e.Heads[h].Weights, append([]float64(nil), p...))
		e.Heads[h].Seen = append(e.Heads[h].Seen, seen[0])
	})
	e.Convolution, e.Attention = c.Forward(size, e.Pixels)[0], l.Forward(size, e.Pixels)[0]
	mixed, fit, err := FromConvWith(c, l.Heads, size)
	if err != nil {
		return nil, err
	}
	e.Mixed, e.Residual = mixed.Forward(size, e.Pixels)[0], fit.Residual
	for h := range e.Heads {
		e.Phi = append(e.Phi, append([]float64(nil), fit.Phi.RawRowView(h)...))
	}
	return e, nil
}
