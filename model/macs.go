package model

import "github.com/attnconv/attnconv/posenc"

// MACs counts the multiply-adds of one picture's forward pass as they are computed: along rows and columns where the
// scores are separable, pair by pair elsewhere.
func (s Spec) MACs() int {
	grid := posenc.Grid{Rows: s.Image[0] / s.Pool, Cols: s.Image[1] / s.Pool}
	t, d, encoding := grid.Rows*grid.Cols, s.Dim, posenc.Find(s.Encoding)
	n := t*s.Pool*s.Pool*s.Image[2]*d + d*s.Classes
	for _, h := range s.Heads.Each(s.Layers) {
		n += encoding.MACs(s.encodingOptions(h), grid) + t*(h*d*d+d*d+2*d*s.FFN)
	}
	return n
}
