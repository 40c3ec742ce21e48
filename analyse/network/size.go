package network

import "github.com/attnconv/attnconv/null"

// A size accumulates how large a layer's output y is next to the tokens x that it is added to:
//
//	E‖C(y - ȳ)‖² / E‖C(x - x̄)‖²
//
// over images and tokens, with C where the network ignores the mean over channels.
type size struct {
	x, y *variance // nil: the layer's output has another shape than its input, and is added to nothing
}

func newSize(s *site) *size {
	if s.grid != s.result || s.in != s.out {
		return &size{}
	}
	of := func() *variance { return &variance{sum: make([]float64, s.out), center: s.gauge.Center} }
	return &size{of(), of()}
}

// add adds the values of images, (images, tokens, channels) each.
func (s *size) add(x, y []float32) {
	if s.x != nil {
		s.x.add(x)
		s.y.add(y)
	}
}

func (s *size) value() null.Float {
	if s.x == nil {
		return null.Unknown
	}
	x := s.x.value()
	if x == 0 {
		return null.Unknown
	}
	return null.Float(s.y.value() / x)
}

// A variance accumulates E‖C(x - x̄)‖², of rows of as many channels as sum has.
type variance struct {
	center  bool
	sum     []float64
	squares float64
	rows    float64
}

func (v *variance) add(x []float32) {
	channels := len(v.sum)
	for at := 0; at < len(x); at += channels {
		row, mean := x[at:at+channels], 0.0
		if v.center {
			for _, c := range row {
				mean += float64(c) / float64(channels)
			}
		}
		for i, c := range row {
			d := float64(c) - mean
			v.sum[i] += d
			v.squares += d * d
		}
		v.rows++
	}
}

// value is 0 for values that do not vary but for rounding.
func (v *variance) value() float64 {
	variance := v.squares / v.rows
	for _, s := range v.sum {
		variance -= s / v.rows * s / v.rows
	}
	if !(variance > 1e-12*v.squares/v.rows) {
		return 0
	}
	return variance
}
