package model

import "github.com/attnconv/attnconv/posenc"

// Params counts the parameters of the network without building it.
func (s Spec) Params() int {
	if o, ok := s.resNet(); ok {
		return o.Params()
	}
	d, position := s.Dim, posenc.Find(s.Encoding).Params
	n := s.Pool*s.Pool*s.Image[2]*d + d + d*s.Classes + s.Classes
	if !s.isTwin() {
		n += s.absolute().Params(s.grid(), d)
	}
	for _, h := range s.Heads.Each(s.Layers) {
		value := h*d*d + d + d*d + d // with the map behind
		if wide := h * s.headDim(h); s.factored() {
			value = d*wide + wide + wide*d + d
		}
		if !s.isTwin() {
			value += position(s.encodingOptions(h))
		}
		n += value + 2*d + d*s.FFN + s.FFN + s.FFN*d + d + 2*d
	}
	return n
}

// MACs counts the multiply-adds of one picture's forward pass as they are computed: along rows and columns where the
// scores are separable and values combined, pair by pair elsewhere.
func (s Spec) MACs() int {
	if o, ok := s.resNet(); ok {
		return o.MACs()
	}
	t, d, count := s.grid().Rows*s.grid().Cols, s.Dim, posenc.Find(s.Encoding).MACs
	n := t*s.Pool*s.Pool*s.Image[2]*d + d*s.Classes
	for _, h := range s.Heads.Each(s.Layers) {
		score, mix := count(s.encodingOptions(h), s.grid())
		value := h*mix*d + h*d*d + d*d
		switch wide := h * s.headDim(h); {
		case s.isTwin():
			score, value = 0, h*d*d+d*d
		case s.factored():
			value = d*wide + t*wide + wide*d
		}
		n += score + t*(value+2*d*s.FFN)
	}
	return n
}
