package model

import "math"

// scores returns what query q gives key k in head h, from the formulas of the reference.
func (p plain) scores(at string, x [][]float64, cols int) func(h, q, k int) float64 {
	switch p.spec.Encoding {
	case "content":
		return p.content(at, x, cols)
	case "learned":
		return p.learned(at, cols)
	default:
		return p.quadratic(at, cols)
	}
}

// quadratic: R·u, with R = (δ1, δ2, δ1², δ2², δ1δ2) and u as in the reference.
func (p plain) quadratic(at string, cols int) func(h, q, k int) float64 {
	center, spread := p.w[at+"attention_centers"], p.w[at+"attention_spreads"]
	return func(h, q, k int) float64 {
		m1, m2 := float64(center[2*h]), float64(center[2*h+1])
		var a, b, c float64
		if p.spec.Encoding == "quadratic" {
			a = float64(spread[h]) * float64(spread[h])
			c = a
		} else {
			s := spread[4*h:]
			a = float64(s[0])*float64(s[0]) + float64(s[1])*float64(s[1])
			b = float64(s[0])*float64(s[2]) + float64(s[1])*float64(s[3])
			c = float64(s[2])*float64(s[2]) + float64(s[3])*float64(s[3])
		}
		u := [5]float64{a*m1 + b*m2, c*m2 + b*m1, -a / 2, -c / 2, -b}
		d1, d2 := float64(k/cols-q/cols), float64(k%cols-q%cols)
		return d1*u[0] + d2*u[1] + d1*d1*u[2] + d2*d2*u[3] + d1*d2*u[4]
	}
}

// learned: w_row·E_row[δ2 + M-1] + w_col·E_col[δ1 + M-1]. The reference calls row what runs along the second axis.
func (p plain) learned(at string, cols int) func(h, q, k int) float64 {
	part := func(name string, h, shift int) float64 {
		r := p.row(at+name+"_embeddings.weight", shift+p.spec.MaxPosition-1, p.spec.Dim)
		return dot(r, p.row(at+"head_keys_"+name+".weight", h, p.spec.Dim))
	}
	return func(h, q, k int) float64 {
		return part("row", h, k%cols-q%cols) + part("col", h, k/cols-q/cols)
	}
}

// content: ((W_q x_q)·(W_k x_k) + (W_q x_q)·r) / √D, r = [E_row[δ1 + M-1], E_col[δ2 + M-1]], halves of D.
func (p plain) content(at string, x [][]float64, cols int) func(h, q, k int) float64 {
	d, half := p.spec.Dim, p.spec.Dim/2
	queries, keys := p.each(at+"query", x), p.each(at+"key", x)
	return func(h, q, k int) float64 {
		query, zero := queries[q][h*d:(h+1)*d], p.spec.MaxPosition-1
		r := append(p.row(at+"row_embeddings.weight", k/cols-q/cols+zero, half),
			p.row(at+"col_embeddings.weight", k%cols-q%cols+zero, d-half)...)
		return (dot(query, keys[k][h*d:(h+1)*d]) + dot(query, r)) / math.Sqrt(float64(d))
	}
}

// each applies a linear map to every token.
func (p plain) each(name string, x [][]float64) [][]float64 {
	y := make([][]float64, len(x))
	for i, t := range x {
		y[i] = p.linear(name, t)
	}
	return y
}

// row returns row i of a tensor whose rows have n numbers.
func (p plain) row(name string, i, n int) []float64 {
	r := make([]float64, n)
	for j, v := range p.w[name][i*n : (i+1)*n] {
		r[j] = float64(v)
	}
	return r
}

func dot(x, y []float64) (s float64) {
	for i, v := range x {
		s += v * y[i]
	}
	return s
}
