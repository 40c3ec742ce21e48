package plain

import (
	"math"
	"slices"
)

// A Layer is the attention layer that the program trains, from its definition: float64, a loop for each index.
//
//	y[b,q] = bias + Σ_h W_h·Σ_k drop(softmax_k(A_h[q,k]))·x[b,k]
//
// where k are the tokens that q sees, and A_h is the score of the encoding times the head's temperature. Content "add"
// adds the score of content-only to that of the encoding. Content "gate" makes a softmax of each, P and Q, and weighs
// tokens by σ(λ_h)·P + (1-σ(λ_h))·Q.
//
// x (batch, tokens, in) -> y (batch, tokens, out). If Split, head h averages its own values, and the heads' results are
// concatenated: y[b,q,h] = Σ_k drop(softmax_k(A_h[q,k]))·(W_val·x[b,k] + bias)_h.
//
// Layer has the names and shapes of the program's parameters, and shares nothing else with it.
type Layer struct {
	Encoding   string   // quadratic, quadratic-general, quadratic-free, learned, table, content, relative, content-only
	Terms      []string // of relative: qk, qr, uk, vr
	Absolute   string   // encoding that is added to x: sinusoid, learned, or ""
	Rows, Cols int
	Heads      int
	In, Out    int
	HeadDim    int // of queries and keys; if Split, of values, too
	MaxSide    int // learned tables have 2·MaxSide-1 rows, one for each shift
	Split      bool
	Window     *Neighborhood // nil: a query sees all tokens
	Content    string        // add, gate, or "": nothing is added to the encoding
	Params     map[string][]float64
	Kept       func(image, head, query, key int) bool // dropout of pairs; nil: none
	Rate       float64                                // of dropout
}

// Forward computes the layer on the images of x.
func (l *Layer) Forward(x []float64) (y []float64) {
	image := l.Rows * l.Cols * l.In
	for b := range len(x) / image {
		tokens := Matrix(slices.Collect(slices.Chunk(x[b*image:(b+1)*image], l.In)))
		y = append(y, l.image(b, tokens.Plus(l.Places()))...)
	}
	return y
}

// Places returns the absolute encoding (tokens, in), or zeros. Of sinusoids half of the channels encode the row, the
// others the column.
func (l *Layer) Places() Matrix {
	p, half := New(l.Rows*l.Cols, l.In), l.In/2
	for t := range p {
		switch l.Absolute {
		case "learned":
			p[t] = l.Params["position_embeddings.weight"][t*l.In : (t+1)*l.In]
		case "sinusoid":
			p[t] = slices.Concat(Sinusoid(l.Rows, half)[t/l.Cols], Sinusoid(l.Cols, l.In-half)[t%l.Cols])
		}
	}
	return p
}

// image computes the layer on one image: a head takes the mean of the tokens by its weights, and maps it to the output.
func (l *Layer) image(b int, x Matrix) []float64 {
	value, wide := l.Params["value.weight"], l.Out
	if l.Split {
		wide = l.Heads * l.HeadDim
	}
	y := make([]float64, len(x)*wide)
	weights := l.Weights(b, x)
	for q := range x {
		out := y[q*wide : (q+1)*wide]
		if !l.Split {
			copy(out, l.Params["value.bias"])
		}
		for h := range l.Heads {
			var total float64 // sum of the weights: 1 without dropout
			mean := make([]float64, l.In)
			for k, p := range weights[h][q] {
				total += p
				for i, v := range x[k] {
					mean[i] += p * v
				}
			}
			if l.Split {
				for o := h * l.HeadDim; o < (h+1)*l.HeadDim; o++ {
					if out[o] = product(value, o, mean); l.Params["value.bias"] != nil {
						out[o] += total * l.Params["value.bias"][o]
					}
				}
				continue
			}
			for o := range out {
				for i, v := range mean {
					out[o] += value[(o*l.Heads+h)*l.In+i] * v
				}
			}
		}
	}
	return y
}

// Weights returns the attention maps of image b with tokens x, by head: softmax_k(A_h[q,k]) after dropout.
func (l *Layer) Weights(b int, x Matrix) (heads []Matrix) {
	m := l.maps(x)
	for h := range l.Heads {
		p := New(len(x), len(x))
		for q := range p {
			keys := l.Window.keys(q, l.Rows, l.Cols)
			for i, w := range l.row(h, q, keys, m) {
				if keys[i].token >= 0 {
					p[q][keys[i].token] = w
				}
			}
		}
		if l.Kept != nil {
			for q, row := range p {
				for k := range row {
					if row[k] /= 1 - l.Rate; !l.Kept(b, h, q, k) {
						row[k] = 0
					}
				}
			}
		}
		heads = append(heads, p)
	}
	return heads
}

// row returns the weights of the keys that query q sees.
func (l *Layer) row(h, q int, keys []key, m maps) []float64 {
	temperature := 1.0
	if t := l.Params["temperature"]; t != nil {
		temperature = t[h]
	}
	position, content := make([]float64, len(keys)), make([]float64, len(keys))
	for i, k := range keys {
		position[i] = temperature * l.score(l.Encoding, h, q, k, m)
		if l.Content != "" {
			content[i] = temperature * l.score("content-only", h, q, k, m)
		}
	}
	switch l.Content {
	case "add":
		for i, a := range content {
			position[i] += a
		}
	case "gate":
		sigma := 1 / (1 + math.Exp(-l.Params["gate"][h]))
		p, c := Softmax(position), Softmax(content)
		for i := range p {
			p[i] = sigma*p[i] + (1-sigma)*c[i]
		}
		return p
	}
	return Softmax(position)
}

// maps are the queries and keys of an image's tokens, and the keys of shifts along each axis: rows of Heads·HeadDim
// values. outside is the key of a token of zeros.
type maps struct {
	query, key, down, right [][]float64
	outside                 []float64
}

func (l *Layer) maps(x Matrix) (m maps) {
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
	m.outside = of(nil, l.Params["key.bias"], make([]float64, l.In))
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

// score is A_h[q,k] of an encoding, for δ = k - q = (down, right).
func (l *Layer) score(encoding string, h, q int, k key, m maps) (a float64) {
	down, right := k.down, k.right
	zero := l.MaxSide - 1 // the row of shift 0
	switch encoding {
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
	case "quadratic-free": // v·(δ, ‖δ‖²) + b
		v := l.Params["position_map.weight"][3*h : 3*h+3]
		x, y := float64(down), float64(right)
		return v[0]*x + v[1]*y + v[2]*(x*x+y*y) + l.Params["position_map.bias"][h]
	case "table": // B[δ]
		side := 2*l.MaxSide - 1
		return l.at("relative_position_bias_table", h, (zero+down)*side+zero+right, side*side)
	case "learned": // w_row·r_row[δ₁] + w_col·r_col[δ₂]; the reference's names exchange row and column
		for c := range l.In {
			a += l.at("head_keys_col.weight", h, c, l.In) * l.at("col_embeddings.weight", zero+down, c, l.In)
			a += l.at("head_keys_row.weight", h, c, l.In) * l.at("row_embeddings.weight", zero+right, c, l.In)
		}
		return a
	}
	for c := range l.HeadDim {
		at := h*l.HeadDim + c
		query, key := m.query[q][at], m.outside[at]
		if k.token >= 0 {
			key = m.key[k.token][at]
		}
		switch encoding {
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

// relative returns channel at of the terms of the relative score.
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

// offset returns δ - Δ of head h.
func (l *Layer) offset(h, down, right int) [2]float64 {
	center := l.Params["attention_centers"]
	return [2]float64{float64(down) - center[2*h], float64(right) - center[2*h+1]}
}

// at returns an element of a parameter with rows of length n.
func (l *Layer) at(name string, row, col, n int) float64 { return l.Params[name][row*n+col] }

// product returns one row of w times x.
func product(w []float64, row int, x []float64) float64 { return Dot(x, w[row*len(x):]) }
