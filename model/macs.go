package model

// MACs counts the multiply-adds of one picture's forward pass as they are computed: along rows and columns where the
// scores are separable, pair by pair elsewhere.
func (s Spec) MACs() int {
	if o, ok := s.resNet(); ok {
		return o.MACs()
	}
	rows, cols := s.Image[0]/s.Pool, s.Image[1]/s.Pool
	t, d := rows*cols, s.Dim
	mix := rows + cols
	switch {
	case s.isTwin():
		mix = 0
	case s.Encoding == "quadratic-general":
		mix = t
	}
	n := t*s.Pool*s.Pool*s.Image[2]*d + d*s.Classes
	for _, h := range s.Heads.Each(s.Layers) {
		n += t * (h*mix*d + h*d*d + d*d + 2*d*s.FFN)
	}
	return n
}
