package model

import "math"

// scores returns what query q gives key k in head h, from the formulas of the reference.
func (p plain) scores(at string, x [][]float64, cols int) func(h, q, k int) float64 {
	switch p.spec.Encoding {
	case "content":
		return p.content(at, x, cols)
	case "relative":
		return p.relative(at, x, cols)
	case "content-only":
		return p.contentOnly(at, x)
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

// content: ((W_q x_q)·(W_k x_k) + (W_q x_q)·r) / √d, r = [E_row[δ1 + M-1], E_col[δ2 + M-1]], halves of d.
func (p plain) content(at string, x [][]float64, cols int) func(h, q, k int) float64 {
	d := p.headDim(at + "query")
	contents, queries := p.contentOnly(at, x), p.each(at+"query", x)
	return func(h, q, k int) float64 {
		return contents(h, q, k) + dot(queries[q][h*d:(h+1)*d], p.shift(at, q, k, cols, d))/math.Sqrt(float64(d))
	}
}

// contentOnly: (W_q x_q)·(W_k x_k) / √d.
func (p plain) contentOnly(at string, x [][]float64) func(h, q, k int) float64 {
	d := p.headDim(at + "query")
	queries, keys := p.each(at+"query", x), p.each(at+"key", x)
	return func(h, q, k int) float64 {
		return dot(queries[q][h*d:(h+1)*d], keys[k][h*d:(h+1)*d]) / math.Sqrt(float64(d))
	}
}

// relative: equation 6, term by term, each from its definition.
func (p plain) relative(at string, x [][]float64, cols int) func(h, q, k int) float64 {
	d := p.headDim("")                                        // of any head: parameters of terms that are absent are absent too
	part := func(name string, h int, x []float64) []float64 { // head h's vector of a map without bias
		y, w := make([]float64, d), p.w[at+name+".weight"]
		for i := range y {
			for j, v := range x {
				y[i] += float64(w[(h*d+i)*len(x)+j]) * v
			}
		}
		return y
	}
	type token struct {
		name string
		h, i int
	}
	made := map[token][]float64{}
	of := func(name string, h, i int) []float64 {
		t := token{name, h, i}
		if made[t] == nil {
			made[t] = part(name, h, x[i])
		}
		return made[t]
	}
	type place struct{ h, rows, cols int }
	positions := map[place][]float64{}
	position := func(h, q, k int) []float64 {
		δ := place{h, k/cols - q/cols, k%cols - q%cols}
		if positions[δ] == nil {
			r, half := p.shift(at, q, k, cols, p.spec.Dim), p.spec.Dim/2
			positions[δ] = add(part("row_key", h, r[:half]), part("col_key", h, r[half:]))
		}
		return positions[δ]
	}
	terms := map[string]func(h, q, k int) float64{
		"qk": func(h, q, k int) float64 { return dot(of("query", h, q), of("key", h, k)) },
		"qr": func(h, q, k int) float64 { return dot(of("query", h, q), position(h, q, k)) },
		"uk": func(h, _, k int) float64 { return dot(p.row(at+"key_bias", h, d), of("key", h, k)) },
		"vr": func(h, q, k int) float64 { return dot(p.row(at+"shift_bias", h, d), position(h, q, k)) },
	}
	return func(h, q, k int) (sum float64) {
		for _, t := range p.spec.Terms {
			sum += terms[t](h, q, k) / math.Sqrt(float64(d))
		}
		return sum
	}
}

// shift returns r_δ of n numbers, halves for rows and for columns.
func (p plain) shift(at string, q, k, cols, n int) []float64 {
	zero := p.spec.MaxPosition - 1
	return append(p.row(at+"row_embeddings.weight", k/cols-q/cols+zero, n/2),
		p.row(at+"col_embeddings.weight", k%cols-q%cols+zero, n-n/2)...)
}

// headDim is the size of a head in the map of that name; "" asks the specification.
func (p plain) headDim(name string) int {
	if heads := p.spec.Heads[0]; name != "" {
		return len(p.w[name+".bias"]) / heads
	}
	if p.spec.HeadDim > 0 {
		return p.spec.HeadDim
	}
	return p.spec.Dim
}

// each applies a linear map to every token.
func (p plain) each(name string, x [][]float64) [][]float64 {
	y := make([][]float64, len(x))
	for i, t := range x {
		y[i] = p.linear(name, t)
	}
	return y
}

// absolute is what is added to token t: sin and cos of the row in half of the channels, of the column in the others.
func (p plain) absolute(t, cols int) []float64 {
	e := make([]float64, p.spec.Dim)
	switch p.spec.Absolute {
	case "learned":
		return p.row("position_embeddings.weight", t, p.spec.Dim)
	case "sinusoid":
		for c := range e {
			position, n, i := t/cols, p.spec.Dim/2, c
			if c >= n {
				position, n, i = t%cols, p.spec.Dim-n, c-n
			}
			e[c] = math.Sin(float64(position)*math.Pow(10000, -float64(i-i%2)/float64(n)) + float64(i%2)*math.Pi/2)
		}
	}
	return e
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
