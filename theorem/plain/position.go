package plain

import "math"

// Attention sees a set: it knows where a token stands only if it is told.

// Sinusoid are absolute encodings to be added to the tokens, one a row: sines and cosines of the place, from short waves
// to long ones (Vaswani et al. 2017, section 3.5).
func Sinusoid(places, dim int) Matrix {
	p := New(places, dim)
	for t, row := range p {
		for i := range row {
			angle := float64(t) / math.Pow(10000, float64(i/2*2)/float64(dim))
			if row[i] = math.Sin(angle); i%2 == 1 {
				row[i] = math.Cos(angle)
			}
		}
	}
	return p
}

// Relative are scores that depend on the shift from query to key alone, to be added to the scores of the content.
func Relative(queries, keys int, score func(shift int) float64) Matrix {
	a := New(queries, keys)
	for q, row := range a {
		for k := range row {
			row[k] = score(k - q)
		}
	}
	return a
}

// OneHot is the matrix with a one in each row, at the given place: times an embedding it looks the rows up.
func OneHot(places []int, of int) Matrix {
	m := New(len(places), of)
	for i, p := range places {
		m[i][p] = 1
	}
	return m
}
