package network

import (
	"fmt"
	"math"
	"slices"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/internal/npy"
)

const (
	coarse   = 1e-2 // by which a row of attention in float16 may miss 1
	rounding = 1e-4 // by which a row of attention in float32 may
)

// site is the layer before its arrays are read.
func (l *arrayLayer) site() *site {
	return &site{path: l.name, kind: attends, block: -1, single: len(l.attention.Shape) == 3, in: l.maps.Shape[1],
		out: l.maps.Shape[2]}
}

// precisions are the distances from 1 to the next number of formats that are coarser than float64.
var precisions = map[string]float64{"<f2": 0x1p-10, "<f4": 0x1p-23}

// read makes the operator, of the mean attention over images.
func (s *site) read(l *arrayLayer) (images int, err error) {
	if s.grid, err = l.tokens(); err != nil {
		return 0, err
	}
	s.result = s.grid
	heads := l.maps.Shape[0]
	weights, err := l.attention.Read()
	if err != nil {
		return 0, fmt.Errorf("attention: %w", err)
	}
	maps, err := l.maps.Read()
	if err != nil {
		return 0, fmt.Errorf("maps: %w", err)
	}
	if s.seen, err = analyse.NewAttention(s.grid, heads); err != nil {
		return 0, err
	}
	images = 1
	if !s.single {
		images = l.attention.Shape[0]
	}
	var others *npy.Values
	if s.seen.Prefixed = l.elsewhere != nil; s.seen.Prefixed {
		if others, err = l.elsewhere.Read(); err != nil {
			return 0, fmt.Errorf("elsewhere: %w", err)
		}
	}
	for image := range images {
		p := s.ofImage(weights, image)
		if err := s.sum(p, others, image); err != nil {
			if !s.single {
				err = fmt.Errorf("image %d: %w", image+1, err)
			}
			return 0, err
		}
	}
	layer := analyse.Layer{Grid: s.grid, In: s.in, Out: s.out, Attention: s.seen.Mean(), Padded: s.loses,
		Prefixed: s.seen.Prefixed, Epsilon: precisions[weights.Descr]}
	for h := range heads {
		layer.Maps = append(layer.Maps, maps.Of(h))
	}
	s.raw = layer
	if l.gamma != nil {
		gauge, err := l.gauge(s.loses)
		if err != nil {
			return 0, err
		}
		s.gauge, s.canonical = gauge, true
		if layer, err = gauge.Layer(layer); err != nil {
			return 0, err
		}
	}
	s.operator, err = analyse.NewOperator(layer)
	return images, err
}

// normalize divides rows that add up to 1, except for the rounding of float16, by their sums.
func normalize(p []float64, tokens int) {
	for row := range slices.Chunk(p, tokens) {
		sum := 0.0
		for _, v := range row {
			sum += v
		}
		if math.Abs(sum-1) < coarse {
			for i := range row {
				row[i] /= sum
			}
		}
	}
}

// gauge is what the layer norms around the layer hide, if gamma is known. With zeros around the grid, a constant in the
// input is not one in the output, so the norm in front hides nothing.
func (l *arrayLayer) gauge(padded bool) (analyse.Gauge, error) {
	g := analyse.Gauge{Center: true}
	if padded {
		return g, nil
	}
	v, err := l.gamma.Read()
	if err != nil {
		return g, fmt.Errorf("gamma: %w", err)
	}
	g.Gamma = v.Of()
	if l.fresh {
		for i := range g.Gamma {
			g.Gamma[i] = 1
		}
	}
	return g, nil
}

// ofImage returns the attention of an image, (tokens, tokens) for each head.
func (s *site) ofImage(weights *npy.Values, image int) [][]float64 {
	p := make([][]float64, weights.Shape[len(weights.Shape)-3])
	for h := range p {
		at := []int{image, h}
		if s.single {
			at = at[1:]
		}
		p[h] = weights.Of(at...)
		if weights.Half() && !s.seen.Prefixed {
			normalize(p[h], s.grid.Tokens())
		}
	}
	return p
}

// sum adds the attention p of an image to what was seen. Others have the rest of its rows, which is on tokens that are
// not on the grid; nil: the rest is on zeros around it.
func (s *site) sum(p [][]float64, others *npy.Values, image int) error {
	if others != nil {
		if err := s.complete(p, others, image); err != nil {
			return err
		}
	} else if !s.loses && short(p, s.grid) {
		if err := padded(p, s.grid).Check(); err != nil {
			return err
		}
		if h, q, sum := leastInside(p, s.grid); sum < 1-coarse {
			return fmt.Errorf("attention: head %d, query %d: the row adds up to %.6g, want 1; what it has on tokens that "+
				"are not on the grid, such as a class token, is for an array elsewhere: do not divide rows by what is left",
				h+1, q, sum)
		}
		s.loses, s.seen.Padded = true, true
	}
	return s.seen.Add(p)
}

// complete wants rows of attention that add up to 1 with what is elsewhere, except for rounding, which it divides by.
func (s *site) complete(p [][]float64, others *npy.Values, image int) error {
	n, most := s.grid.Tokens(), rounding
	if others.Half() {
		most = coarse
	}
	for h := range p {
		at := []int{image, h}
		if s.single {
			at = at[1:]
		}
		for q, m := range others.Of(at...) {
			row := p[h][q*n : (q+1)*n]
			sum := total(row) + m
			if !(m >= -most && m <= 1+most) { // nor NaN
				return fmt.Errorf("elsewhere: head %d, query %d: %v is no probability", h+1, q, m)
			}
			if !(math.Abs(sum-1) <= most) {
				return fmt.Errorf("attention: head %d, query %d: the row and elsewhere add up to %.6g, want 1", h+1, q, sum)
			}
			for k := range row {
				row[k] /= sum
			}
		}
	}
	return nil
}

// padded is a layer of one channel that attends so.
func padded(p [][]float64, g analyse.Grid) analyse.Layer {
	l := analyse.Layer{Grid: g, In: 1, Out: 1, Attention: p, Maps: make([][]float64, len(p)), Padded: true}
	for h := range l.Maps {
		l.Maps[h] = []float64{1}
	}
	return l
}

// short reports whether some row of attention adds up to less than 1, by more than rounding.
func short(p [][]float64, g analyse.Grid) bool {
	n := g.Tokens()
	for _, head := range p {
		for q := range n {
			if total(head[q*n:(q+1)*n]) < 1-rounding {
				return true
			}
		}
	}
	return false
}

// leastInside returns the row with the least sum of the queries in the middle of the grid: one, two or four.
func leastInside(p [][]float64, g analyse.Grid) (head, query int, sum float64) {
	sum = 1
	n := g.Tokens()
	for h := range p {
		for _, r := range []int{(g.Rows - 1) / 2, g.Rows / 2} {
			for _, c := range []int{(g.Cols - 1) / 2, g.Cols / 2} {
				q := r*g.Cols + c
				if of := total(p[h][q*n : (q+1)*n]); of < sum {
					head, query, sum = h, q, of
				}
			}
		}
	}
	return head, query, sum
}

func total(row []float64) (sum float64) {
	for _, v := range row {
		sum += v
	}
	return sum
}
