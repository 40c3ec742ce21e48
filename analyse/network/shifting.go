package network

import (
	"math"
	"slices"

	"github.com/attnconv/attnconv/analyse"
)

// A shifting accumulates the symmetry of a program.
type shifting struct {
	in, out analyse.Field
	center  bool // outputs lose their mean over channels
	defect  *analyse.Defect
	lee     float64 // Σ ‖L f‖² per output element, of moved images and two axes
	moved   int     // images
	moves   int     // the first so many images are moved
	images  float64
	sum     []float64
	squares float64
}

func newShifting(in, out analyse.Field, moves int) (*shifting, error) {
	d, err := analyse.NewDefect(out.Grid.Tokens() * out.Channels)
	return &shifting{in: in, out: out, moves: moves, defect: d, sum: make([]float64, out.Grid.Tokens()*out.Channels)},
		err
}

// add adds n images x. A shift of step tokens of the input is one of back tokens of the output; one computes single
// images.
func (s *shifting) add(p, one *program, x []float32, n int, step, back [2]int) error {
	y, err := s.run(p, x)
	if err != nil {
		return err
	}
	each := len(y) / n
	for i, v := range y {
		s.sum[i%each] += float64(v)
		s.squares += float64(v) * float64(v)
	}
	s.images += float64(n)
	for axis := range 2 {
		there, home := analyse.Shift{}, analyse.Shift{}
		there[axis], home[axis] = step[axis], -back[axis]
		if err := s.shift(p, x, y, n, there, home); err != nil {
			return err
		}
	}
	for i := 0; i < n && s.moved < s.moves; i++ {
		if err := s.move(one, x[i*len(x)/n:(i+1)*len(x)/n]); err != nil {
			return err
		}
	}
	return nil
}

// run returns a copy of p's results for x, as far as the network reads them.
func (s *shifting) run(p *program, x []float32) ([]float32, error) {
	y, err := p.run(x)
	if err != nil {
		return nil, err
	}
	y = slices.Clone(y)
	if s.center {
		for row := range slices.Chunk(y, s.out.Channels) {
			mean := 0.0
			for _, v := range row {
				mean += float64(v) / float64(len(row))
			}
			for i, v := range row {
				row[i] = float32(float64(v) - mean)
			}
		}
	}
	return y, nil
}

// shift adds f(x) = y and T₋ₛ f(Tₛ x).
func (s *shifting) shift(p *program, x, y []float32, n int, there, home analyse.Shift) error {
	var moved []float32
	for i := range n {
		m, err := analyse.Roll(s.in.Grid, s.in.Channels, x[i*len(x)/n:(i+1)*len(x)/n], there)
		if err != nil {
			return err
		}
		moved = append(moved, m...)
	}
	z, err := s.run(p, moved)
	if err != nil {
		return err
	}
	each := len(z) / n
	for i := range n {
		w := z[i*each : (i+1)*each]
		if s.out.Grid.Tokens() > 1 {
			if w, err = analyse.Roll(s.out.Grid, s.out.Channels, w, home); err != nil {
				return err
			}
		}
		if err := s.defect.Add(y[i*each:(i+1)*each], w); err != nil {
			return err
		}
	}
	return nil
}

// move adds the Lie derivatives of an image.
func (s *shifting) move(one *program, x []float32) error {
	var failed error
	f := func(x []float64) []float64 {
		narrow := make([]float32, len(x))
		for i, v := range x {
			narrow[i] = float32(v)
		}
		y, err := s.run(one, narrow)
		if err != nil {
			failed = err
		}
		wide := make([]float64, len(y))
		for i, v := range y {
			wide[i] = float64(v)
		}
		return wide
	}
	wide := make([]float64, len(x))
	for i, v := range x {
		wide[i] = float64(v)
	}
	for axis := range 2 {
		v, err := analyse.LieDerivative(f, s.in, s.out, wide, axis)
		if failed != nil {
			return failed
		}
		if err != nil {
			return err
		}
		s.lee += v
	}
	s.moved++
	return nil
}

// lie is the mean of ‖L f‖² per output element, over images and the two axes.
func (s *shifting) lie() float64 { return s.lee / float64(2*s.moved) }

// relative is E‖L f‖² / (2·tr Cov f).
func (s *shifting) relative() float64 {
	variance := s.squares
	for _, v := range s.sum {
		variance -= v * v / s.images
	}
	variance /= s.images - 1
	if !(variance > 1e-12*s.squares/s.images) {
		return math.NaN()
	}
	return s.lie() * float64(len(s.sum)) / (2 * variance)
}
