package viz

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// DotProduct draws how one query attends: its products with the keys are scores, their softmax is the weights, and the
// weighted mean of the values is the result.  query (d), keys (tokens, d), values (tokens, out)
func DotProduct(query []float64, keys, values [][]float64) (*Figure, error) {
	if len(keys) == 0 || len(keys) != len(values) || len(query) != len(keys[0]) {
		return nil, fmt.Errorf("viz: %d keys and %d values for a query of %d numbers", len(keys), len(values), len(query))
	}
	q := [][]float64{query}
	across := transposed(keys)
	scores := product(q, across)
	weights := [][]float64{softmax(scores[0])}
	return Equation("Attention of one query", [][]Term{
		{{Matrix: q, Name: "query"}, Sign("×"), {Matrix: across, Name: "keys"}, Sign("="),
			{Matrix: scores, Name: "scores"}},
		{Sign("softmax("), {Matrix: scores, Name: "scores"}, Sign(") ="), {Matrix: weights, Name: "weights", Most: 1}},
		{{Matrix: weights, Name: "weights", Most: 1}, Sign("×"), {Matrix: values, Name: "values"}, Sign("="),
			{Matrix: product(weights, values), Name: "result", Most: largest(values)}},
	}, EquationOptions{})
}

// MultiHead draws a layer of attention: Y = Σ_h P_h·X·W_h.  p (heads, tokens, tokens), x (tokens, in), w (heads, in, out)
func MultiHead(p [][][]float64, x [][]float64, w [][][]float64) (*Figure, error) {
	if len(p) == 0 || len(p) != len(w) || len(p[0]) != len(x) || len(x) == 0 || len(w[0]) != len(x[0]) {
		return nil, fmt.Errorf("viz: %d heads with %d matrices for %d tokens", len(p), len(w), len(x))
	}
	var lines [][]Term
	var parts [][][]float64
	var sum [][]float64
	most := 0.0
	for h := range p {
		parts = append(parts, product(product(p[h], x), w[h]))
		sum = added(sum, parts[h])
		most = max(most, largest(parts[h]), largest(sum))
	}
	for h := range p {
		sign := Sign("+")
		if h == 0 {
			sign = Sign("  ")
		}
		lines = append(lines, []Term{sign, {Matrix: p[h], Name: "P" + below(h+1), Most: 1}, Sign("×"),
			{Matrix: x, Name: "X"}, Sign("×"), {Matrix: w[h], Name: "W" + below(h+1)}, Sign("="),
			{Matrix: parts[h], Name: "of head " + fmt.Sprint(h+1), Most: most}})
	}
	lines = append(lines, []Term{Sign("="), {Matrix: sum, Name: "Y", Most: most}})
	return Equation("Heads, each with its attention and its matrix, add up", lines, EquationOptions{})
}

// DenseAsAttention draws a dense layer over all tokens and the attention that does the same: one query, and a head for
// every token that looks at it alone and has the token's part of the weights.  x (tokens, in), w (tokens·in, out)
func DenseAsAttention(x, w [][]float64) (*Figure, error) {
	if len(x) == 0 || len(w) != len(x)*len(x[0]) {
		return nil, fmt.Errorf("viz: a dense layer of %d rows over %d tokens", len(w), len(x))
	}
	flat := [][]float64{slices.Concat(x...)}
	most := largest(w)
	lines := [][]Term{{{Matrix: flat, Name: "all tokens"}, Sign("×"), {Matrix: w, Name: "dense", Most: most, Size: 0.6},
		Sign("="), {Matrix: product(flat, w), Name: "y"}}}
	in := len(x[0])
	var sum [][]float64
	for i := range x {
		look := [][]float64{make([]float64, len(x))}
		look[0][i] = 1
		part := w[i*in : (i+1)*in]
		y := product(product(look, x), part)
		sum = added(sum, y)
		sign := Sign("+")
		if i == 0 {
			sign = Sign("=")
		}
		lines = append(lines, []Term{sign, {Matrix: look, Name: "head " + fmt.Sprint(i+1), Most: 1}, Sign("×"),
			{Matrix: x, Name: "X", Most: largest(x)}, Sign("×"), {Matrix: part, Name: "W" + below(i+1), Most: most}})
	}
	return Equation("A dense layer is attention with a head for every token", lines, EquationOptions{})
}

// ConvolutionAsAttention draws a convolution of one channel and the attention that does the same: a head for every shift
// of the kernel, that looks there and nowhere else, times the kernel's number. The kernel has odd sides; what is outside
// of the image counts nothing.  image (rows, cols), kernel (k, k)
func ConvolutionAsAttention(image, kernel [][]float64) (*Figure, error) {
	if len(image) == 0 || len(kernel)%2 == 0 || len(kernel) != len(kernel[0]) {
		return nil, fmt.Errorf("viz: a kernel of %d × %d: want odd sides, all alike", len(kernel), len(kernel[0]))
	}
	rows, cols, half := len(image), len(image[0]), len(kernel)/2
	out := make([][]float64, rows)
	for i := range out {
		out[i] = make([]float64, cols)
	}
	most := largest(kernel)
	lines := [][]Term{nil}
	for a := range kernel {
		var line []Term
		for b := range kernel[a] {
			look := shift(rows, cols, a-half, b-half)
			for q := range look {
				for k, x := range look[q] {
					out[q/cols][q%cols] += kernel[a][b] * x * image[k/cols][k%cols]
				}
			}
			if a+b > 0 {
				line = append(line, Sign("+"))
			}
			name := fmt.Sprintf("looks (%d, %d)", a-half, b-half)
			line = append(line, Term{Matrix: look, Name: name, Most: 1, Size: 0.3}, Sign("×"),
				Term{Matrix: [][]float64{{kernel[a][b]}}, Most: most})
		}
		lines = append(lines, line)
	}
	lines[0] = []Term{{Matrix: image, Name: "image"}, Sign("*"), {Matrix: kernel, Name: "kernel", Most: most},
		Sign("="), {Matrix: out, Name: "result"}}
	lines[1] = append([]Term{Sign("=  (")}, lines[1]...)
	last := len(lines) - 1
	lines[last] = append(lines[last], Sign(")  ×"), Term{Matrix: column(image), Name: "X", Size: 0.3})
	return Equation("A convolution is attention with a head for every shift", lines, EquationOptions{})
}

// shift is the attention of a head that looks at one shift of the query, where that is in the image.
func shift(rows, cols, down, along int) [][]float64 {
	look := make([][]float64, rows*cols)
	for q := range look {
		look[q] = make([]float64, rows*cols)
		if i, j := q/cols+down, q%cols+along; i >= 0 && i < rows && j >= 0 && j < cols {
			look[q][i*cols+j] = 1
		}
	}
	return look
}

// column is an image's tokens below each other.
func column(image [][]float64) (x [][]float64) {
	for _, row := range image {
		for _, v := range row {
			x = append(x, []float64{v})
		}
	}
	return x
}

func product(a, b [][]float64) [][]float64 {
	c := make([][]float64, len(a))
	for i := range a {
		c[i] = make([]float64, len(b[0]))
		for k, x := range a[i] {
			for j, y := range b[k] {
				c[i][j] += x * y
			}
		}
	}
	return c
}

func added(a, b [][]float64) [][]float64 {
	if a == nil {
		return b
	}
	c := make([][]float64, len(a))
	for i := range a {
		for j := range a[i] {
			c[i] = append(c[i], a[i][j]+b[i][j])
		}
	}
	return c
}

func transposed(a [][]float64) [][]float64 {
	t := make([][]float64, len(a[0]))
	for _, row := range a {
		for j, x := range row {
			t[j] = append(t[j], x)
		}
	}
	return t
}

func softmax(scores []float64) []float64 {
	p, sum := make([]float64, len(scores)), 0.0
	for i, x := range scores {
		p[i] = math.Exp(x - slices.Max(scores))
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

func largest(a [][]float64) (most float64) {
	for _, row := range a {
		for _, x := range row {
			most = max(most, math.Abs(x))
		}
	}
	return most
}

// below is a number as an index.
func below(n int) string {
	return strings.Map(func(r rune) rune { return r - '0' + '₀' }, fmt.Sprint(n))
}
