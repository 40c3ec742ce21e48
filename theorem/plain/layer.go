package plain

import "math"

// A Layer is the attention layer that the program trains, from its definition: float64, a loop for each index.
//
//	y[b,q] = bias + Σ_h W_h·Σ_k drop(softmax_k(A_h[q,k]))·x[b,k]
//
// x (batch, tokens, in) -> y (batch, tokens, out). Split, head h averages its own values and puts them beside the others':
// y[b,q,h] = Σ_k drop(softmax_k(A_h[q,k]))·(W_val·x[b,k] + bias)_h.
//
// Its parameters have the program's names and shapes, and nothing else in common with it.
type Layer struct {
	Encoding   string   // quadratic, quadratic-general, learned, content, relative, content-only
	Terms      []string // of relative: qk, qr, uk, vr
	Absolute   string   // what is added to x: sinusoid, learned, or nothing
	Rows, Cols int
	Heads      int
	In, Out    int
	HeadDim    int // of queries and keys; split, of values, too
	MaxSide    int // learned tables have 2·MaxSide-1 rows, one for each shift
	Split      bool
	Params     map[string][]float64
	Kept       func(image, head, query, key int) bool // dropout of pairs; nil: none
	Rate       float64                                // of it
}

// Forward attends to the images of x.
func (l *Layer) Forward(x []float64) (y []float64) {
	tokens := l.Rows * l.Cols
	for b := range len(x) / (tokens * l.In) {
		y = append(y, l.image(b, l.placed(x[b*tokens*l.In:(b+1)*tokens*l.In]))...)
	}
	return y
}

// placed is the tokens of one image with what says where they stand.
func (l *Layer) placed(x []float64) (tokens [][]float64) {
	for t := range l.Rows * l.Cols {
		token := append([]float64{}, x[t*l.In:(t+1)*l.In]...)
		for c := range token {
			switch half := l.In / 2; {
			case l.Absolute == "learned":
				token[c] += l.Params["position_embeddings.weight"][t*l.In+c]
			case l.Absolute == "sinusoid" && c < half:
				token[c] += wave(t/l.Cols, c, half)
			case l.Absolute == "sinusoid":
				token[c] += wave(t%l.Cols, c-half, l.In-half)
			}
		}
		tokens = append(tokens, token)
	}
	return tokens
}

// wave is channel c of n for a place: a sine for even c, else a cosine, of period 2π·10000^(c/n) for even c.
func wave(place, c, n int) float64 {
	if c%2 == 1 {
		return math.Cos(float64(place) * math.Pow(10000, -float64(c-1)/float64(n)))
	}
	return math.Sin(float64(place) * math.Pow(10000, -float64(c)/float64(n)))
}

// image attends to one image: a head averages the tokens by its weights, and its map turns what it saw into the output.
func (l *Layer) image(b int, x [][]float64) []float64 {
	value, wide := l.Params["value.weight"], l.Out
	if l.Split {
		wide = l.Heads * l.HeadDim
	}
	y := make([]float64, len(x)*wide)
	m := l.maps(x)
	for q := range x {
		out := y[q*wide : (q+1)*wide]
		if !l.Split {
			copy(out, l.Params["value.bias"])
		}
		for h := range l.Heads {
			var all float64 // 1 without dropout
			seen := make([]float64, l.In)
			for k, p := range l.weights(b, h, q, m) {
				all += p
				for i, v := range x[k] {
					seen[i] += p * v
				}
			}
			if l.Split {
				for o := h * l.HeadDim; o < (h+1)*l.HeadDim; o++ {
					out[o] = product(value, o, seen) + all*l.Params["value.bias"][o]
				}
				continue
			}
			for o := range out {
				for i, v := range seen {
					out[o] += value[(o*l.Heads+h)*l.In+i] * v
				}
			}
		}
	}
	return y
}

// weights is what query q gives each key in head h, after dropout.
func (l *Layer) weights(b, h, q int, m maps) []float64 {
	scores := make([]float64, l.Rows*l.Cols)
	for k := range scores {
		scores[k] = l.score(h, q, k, m)
	}
	p := Softmax(scores)
	for k := range p {
		if l.Kept == nil {
			break
		}
		if p[k] /= 1 - l.Rate; !l.Kept(b, h, q, k) {
			p[k] = 0
		}
	}
	return p
}

// maps are what the encoding makes of an image's tokens, and of shifts along an axis: a row for each, with HeadDim numbers
// for each head.
type maps struct{ query, key, down, right [][]float64 }

func (l *Layer) maps(x [][]float64) (m maps) {
	of := func(w, bias, x []float64) []float64 {
		y := make([]float64, l.Heads*l.HeadDim)
		copy(y, bias)
		for o := range len(w) / len(x) {
			y[o] += product(w, o, x)
		}
		return y
	}
	for _, token := range x {
		m.query = append(m.query, of(l.Params["query.weight"], l.Params["query.bias"], token))
		m.key = append(m.key, of(l.Params["key.weight"], l.Params["key.bias"], token))
	}
	if l.Encoding == "relative" && l.Params["row_key.weight"] != nil {
		half := l.In / 2
		for s := range 2*l.MaxSide - 1 {
			down := l.Params["row_embeddings.weight"][s*half : (s+1)*half]
			right := l.Params["col_embeddings.weight"][s*(l.In-half) : (s+1)*(l.In-half)]
			m.down = append(m.down, of(l.Params["row_key.weight"], nil, down))
			m.right = append(m.right, of(l.Params["col_key.weight"], nil, right))
		}
	}
	return m
}

// score is A_h[q,k] of the encoding, for δ = k - q = (down, right).
func (l *Layer) score(h, q, k int, m maps) (a float64) {
	down, right := k/l.Cols-q/l.Cols, k%l.Cols-q%l.Cols
	zero := l.MaxSide - 1 // the row of shift 0
	switch l.Encoding {
	case "quadratic": // -½·s²·‖δ - Δ‖²
		e, s := l.offset(h, down, right), l.Params["attention_spreads"][h]
		return -0.5 * s * s * (e[0]*e[0] + e[1]*e[1])
	case "quadratic-general": // -½·(δ - Δ)ᵀ·S·Sᵀ·(δ - Δ)
		e, s := l.offset(h, down, right), l.Params["attention_spreads"][4*h:4*h+4]
		for i := range 2 {
			for j := range 2 {
				a -= 0.5 * e[i] * e[j] * (s[2*i]*s[2*j] + s[2*i+1]*s[2*j+1])
			}
		}
		return a
	case "learned": // w_row·r_row[δ₁] + w_col·r_col[δ₂]; the reference calls row what runs along the columns
		for c := range l.In {
			a += l.at("head_keys_col.weight", h, c, l.In) * l.at("col_embeddings.weight", zero+down, c, l.In)
			a += l.at("head_keys_row.weight", h, c, l.In) * l.at("row_embeddings.weight", zero+right, c, l.In)
		}
		return a
	}
	for c := range l.HeadDim {
		at := h*l.HeadDim + c
		query, key := m.query[q][at], m.key[k][at]
		switch l.Encoding {
		case "content": // (query)·(key + [r_row[δ₁], r_col[δ₂]])
			if half := l.HeadDim / 2; c < half {
				key += l.at("row_embeddings.weight", zero+down, c, half)
			} else {
				key += l.at("col_embeddings.weight", zero+right, c-half, l.HeadDim-half)
			}
			a += query * key
		case "content-only":
			a += query * key
		case "relative":
			a += l.relative(at, query, key, zero+down, zero+right, m)
		}
	}
	return a / math.Sqrt(float64(l.HeadDim))
}

// relative is one channel of the terms of the relative score.
func (l *Layer) relative(at int, query, key float64, down, right int, m maps) (a float64) {
	for _, term := range l.Terms {
		switch term {
		case "qk":
			a += query * key
		case "qr":
			a += query * (m.down[down][at] + m.right[right][at])
		case "uk":
			a += l.Params["key_bias"][at] * key
		case "vr":
			a += l.Params["shift_bias"][at] * (m.down[down][at] + m.right[right][at])
		}
	}
	return a
}

// offset is δ - Δ of head h.
func (l *Layer) offset(h, down, right int) [2]float64 {
	center := l.Params["attention_centers"]
	return [2]float64{float64(down) - center[2*h], float64(right) - center[2*h+1]}
}

// at is one entry of a parameter whose rows have n.
func (l *Layer) at(name string, row, col, n int) float64 { return l.Params[name][row*n+col] }

// product is one row of a map times x.
func product(w []float64, row int, x []float64) (y float64) {
	for i, v := range x {
		y += w[row*len(x)+i] * v
	}
	return y
}
