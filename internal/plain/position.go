package plain

import "math"

// Sinusoid returns absolute encodings to be added to the tokens, one per row: sines and cosines of the position, with
// wavelengths from short to long (Vaswani et al. 2017, section 3.5),
//
//	p[t, 2i] = sin(t / 10000^(2i/dim)),  p[t, 2i+1] = cos(t / 10000^(2i/dim))
func Sinusoid(positions, dim int) Matrix {
	p := New(positions, dim)
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

// Relative returns scores that depend on the shift k - q alone, to be added to those of the content.
func Relative(queries, keys int, score func(shift int) float64) Matrix {
	a := New(queries, keys)
	for q, row := range a {
		for k := range row {
			row[k] = score(k - q)
		}
	}
	return a
}

// OneHot returns the matrix whose row i is one in column indices[i]: times a table of n rows it selects rows of the
// table.
func OneHot(indices []int, n int) Matrix {
	m := New(len(indices), n)
	for i, at := range indices {
		m[i][at] = 1
	}
	return m
}
