package network

import (
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/nn"
)

var (
	errNoOperator   = missing("it is not one linear map of its tokens")
	errNoAttention  = missing("its attention depends on the image, and no images were read")
	errPaddedValues = missing("its values have a bias, and zeros around the grid do not; such layers are not measured")
)

// project makes the operator.
func (s *site) project() error {
	l, bias, err := s.layer()
	if err != nil {
		return err
	}
	canonical, err := s.gauge.Layer(l)
	if err != nil {
		return err
	}
	s.raw, s.bias, s.canonical, s.profile = l, bias, true, nil
	s.operator, err = analyse.NewOperator(canonical)
	return err
}

// maps returns W_h = V_h·D_h of each head, (in, out), and the bias that all of them have together, where the rows of
// attention add up to 1.
func (s *site) maps(heads int) (maps [][]float64, bias []float64) {
	dense := s.mix.Dense
	value := attentionOf(s).Value
	wide := dense.W.Shape[1] // channels between the two maps
	each := wide             // channels of a head behind its value map
	if s.factored {
		each = wide / heads
	}
	across := make([]float64, wide*s.out) // D transposed
	for i, v := range dense.W.Data {
		across[i%wide*s.out+i/wide] = float64(v)
	}
	maps = make([][]float64, heads)
	for h := range maps {
		maps[h] = make([]float64, s.in*s.out)
		for i := range s.in {
			row := maps[h][i*s.out : (i+1)*s.out]
			for m := range each {
				middle, column := m, h*s.in+i // combined: a map of all of the channels for each head
				if s.factored {
					middle, column = h*each+m, i
				}
				floats.AddScaled(row, float64(value.W.Data[middle*value.W.Shape[1]+column]),
					across[middle*s.out:(middle+1)*s.out])
			}
		}
	}
	return maps, behind(dense, value.B.Data)
}

// attentionOf returns the attention of a site, which has such.
func attentionOf(s *site) *attention.SelfAttention { return s.mix.Mix.(*attention.SelfAttention) }

// behind returns what a bias in front of a linear map comes to behind it.
func behind(dense *nn.Linear, bias []float32) []float64 {
	out, wide := dense.W.Shape[0], dense.W.Shape[1]
	b := make([]float64, out)
	for o := range b {
		b[o] = float64(dense.B.Data[o])
		for m, v := range bias {
			b[o] += float64(v) * float64(dense.W.Data[o*wide+m])
		}
	}
	return b
}

// layer returns the layer on arrays, of the attention that was seen.
func (s *site) layer() (l analyse.Layer, bias []float64, err error) {
	if s.mix == nil {
		return l, nil, errNoOperator
	}
	switch mix := s.mix.Mix.(type) {
	case *attention.SelfAttention:
		switch {
		case s.loses && s.factored:
			return l, nil, errPaddedValues
		case s.seen == nil:
			return l, nil, errNoAttention
		}
		l = analyse.Layer{Grid: s.grid, In: s.in, Out: s.out, Attention: s.seen.Mean(), Epsilon: 0x1p-23,
			Padded: s.loses}
		l.Maps, bias = s.maps(len(l.Attention))
		return l, bias, nil
	case *conv.Conv:
		full, err := mix.Full()
		if err != nil {
			return l, nil, err
		}
		return s.convolution(full)
	case *conv.Depthwise:
		return s.convolution(mix.Full())
	case *nn.Linear:
		w := *mix.W
		w.Shape = append(slices.Clone(w.Shape), 1, 1)
		return s.convolution(&conv.Conv{W: &w, B: mix.B, Stride: 1})
	}
	return l, nil, errNoOperator
}

// convolution returns the kernel times the map behind it: W_δ·D.
func (s *site) convolution(c *conv.Conv) (l analyse.Layer, bias []float64, err error) {
	if c.Stride != 1 || c.Valid {
		return l, nil, errNoOperator
	}
	mid, rows, cols := c.W.Shape[0], c.W.Shape[2], c.W.Shape[3]
	k, apart := analyse.Kernel{In: s.in, Out: s.out}, max(1, c.Dilation)
	for u := range rows {
		for v := range cols {
			w := make([]float64, s.in*s.out)
			for i := range s.in {
				for m := range mid {
					x := float64(c.W.Data[((m*s.in+i)*rows+u)*cols+v])
					for o := range s.out {
						w[i*s.out+o] += x * float64(s.mix.Dense.W.Data[o*mid+m])
					}
				}
			}
			k.Shifts = append(k.Shifts, analyse.Shift{apart * (u - (rows-1)/2), apart * (v - (cols-1)/2)})
			k.Maps = append(k.Maps, w)
		}
	}
	border := analyse.Zeros
	if c.Replicate {
		border = analyse.Replicate
	}
	l, err = analyse.Convolution(s.grid, k, border)
	var b []float32
	if c.B != nil {
		b = c.B.Data
	}
	return l, behind(s.mix.Dense, b), err
}
