package viz

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/posenc/geometry"
)

// DotProduct draws dot-product attention for one query: softmax(query·keysᵀ)·values.  query (d), keys (tokens, d),
// values (tokens, out)
func DotProduct(query []float64, keys, values [][]float64) (*Figure, error) {
	if !sized(keys, len(keys), len(query)) || !sized(values, len(keys), width(values)) {
		return nil, fault.Usagef("want keys (tokens, d) and values (tokens, out) for a query (d), got %d keys, %d "+
			"values and d = %d",
			len(keys), len(values), len(query))
	}
	q := [][]float64{query}
	keysT := transposed(keys)
	scores := product(q, keysT)
	weights := [][]float64{slices.Clone(scores[0])}
	geometry.Softmax(weights[0])
	return Equation("Attention of one query", [][]Term{
		{{Matrix: q, Name: "query"}, Sign("×"), {Matrix: keysT, Name: "keys"}, Sign("="),
			{Matrix: scores, Name: "scores"}},
		{Sign("softmax("), {Matrix: scores, Name: "scores"}, Sign(") ="), {Matrix: weights, Name: "weights", Max: 1}},
		{{Matrix: weights, Name: "weights", Max: 1}, Sign("×"), {Matrix: values, Name: "values"}, Sign("="),
			{Matrix: product(weights, values), Name: "result", Max: largest(values)}},
	}, EquationOptions{})
}

// sized reports whether m is a matrix of rows × cols elements, which has some.
func sized(m [][]float64, rows, cols int) bool {
	return len(m) == rows && rows > 0 && cols > 0 && !slices.ContainsFunc(m,
		func(row []float64) bool { return len(row) != cols })
}

// width returns the columns of a matrix.
func width(m [][]float64) int {
	if len(m) == 0 {
		return 0
	}
	return len(m[0])
}

// MultiHead draws an attention layer: Y = Σ_h P_h·X·W_h.  p (heads, tokens, tokens), x (tokens, in), w (heads, in, out)
func MultiHead(p [][][]float64, x [][]float64, w [][][]float64) (*Figure, error) {
	if len(p) == 0 || len(p) != len(w) || !sized(x, len(x), width(x)) {
		return nil, fault.Usagef("want x (tokens, in), and a matrix for each head, got %d heads with %d matrices for "+
			"%d tokens",
			len(p), len(w), len(x))
	}
	for h := range p {
		if !sized(p[h], len(x), len(x)) || !sized(w[h], width(x), width(w[0])) {
			return nil, fault.Usagef("head %d: want its attention (%d, %[2]d), and its matrix (%d, %d)",
				h+1, len(x), width(x), width(w[0]))
		}
	}
	var lines [][]Term
	var outputs [][][]float64
	var sum [][]float64
	most := 0.0
	for h := range p {
		outputs = append(outputs, product(product(p[h], x), w[h]))
		sum = added(sum, outputs[h])
		most = max(most, largest(outputs[h]), largest(sum))
	}
	for h := range p {
		sign := Sign("+")
		if h == 0 {
			sign = Sign("  ")
		}
		lines = append(lines, []Term{sign, {Matrix: p[h], Name: "P" + subscript(h+1), Max: 1}, Sign("×"),
			{Matrix: x, Name: "X"}, Sign("×"), {Matrix: w[h], Name: "W" + subscript(h+1)}, Sign("="),
			{Matrix: outputs[h], Name: "head " + fmt.Sprint(h+1), Max: most}})
	}
	lines = append(lines, []Term{Sign("="), {Matrix: sum, Name: "Y", Max: most}})
	return Equation("Heads, each with its attention and its matrix, add up", lines, EquationOptions{})
}

// DenseAsAttention draws a dense layer over all tokens and an equal attention layer for one query: head i attends to
// token i only, and its matrix is the rows of w for that token.  x (tokens, in), w (tokens·in, out)
func DenseAsAttention(x, w [][]float64) (*Figure, error) {
	if !sized(x, len(x), width(x)) || !sized(w, len(x)*width(x), width(w)) {
		return nil, fault.Usagef("want x (tokens, in) and w (tokens·in, out), got %d rows over %d tokens", len(w),
			len(x))
	}
	flat := [][]float64{slices.Concat(x...)}
	most := largest(w)
	lines := [][]Term{{{Matrix: flat, Name: "all tokens"}, Sign("×"), {Matrix: w, Name: "dense", Max: most, Size: 0.6},
		Sign("="), {Matrix: product(flat, w), Name: "y"}}}
	in := len(x[0])
	var sum [][]float64
	for i := range x {
		p := [][]float64{make([]float64, len(x))}
		p[0][i] = 1
		wi := w[i*in : (i+1)*in]
		y := product(product(p, x), wi)
		sum = added(sum, y)
		sign := Sign("+")
		if i == 0 {
			sign = Sign("=")
		}
		lines = append(lines, []Term{sign, {Matrix: p, Name: "head " + fmt.Sprint(i+1), Max: 1}, Sign("×"),
			{Matrix: x, Name: "X", Max: largest(x)}, Sign("×"), {Matrix: wi, Name: "W" + subscript(i+1), Max: most}})
	}
	return Equation("A dense layer is attention with a head for every token", lines, EquationOptions{})
}

// ConvolutionAsAttention draws a convolution of one channel, padded with zeros, and an equal attention layer: a head
// for every shift of the kernel, which attends to that shift only, times the kernel's value. k is odd.  image (rows,
// cols), kernel (k, k)
func ConvolutionAsAttention(image, kernel [][]float64) (*Figure, error) {
	if !sized(image, len(image), width(image)) || len(kernel)%2 == 0 || !sized(kernel, len(kernel), len(kernel)) {
		return nil, fault.Usagef("want an image (rows, cols) and a kernel (k, k) with an odd k, got %d and %d rows",
			len(image), len(kernel))
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
			p := shift(rows, cols, a-half, b-half)
			for q := range p {
				for k, x := range p[q] {
					out[q/cols][q%cols] += kernel[a][b] * x * image[k/cols][k%cols]
				}
			}
			if a+b > 0 {
				line = append(line, Sign("+"))
			}
			name := fmt.Sprintf("shift (%d, %d)", a-half, b-half)
			line = append(line, Term{Matrix: p, Name: name, Max: 1, Size: 0.3}, Sign("×"),
				Term{Matrix: [][]float64{{kernel[a][b]}}, Max: most})
		}
		lines = append(lines, line)
	}
	lines[0] = []Term{{Matrix: image, Name: "image"}, Sign("*"), {Matrix: kernel, Name: "kernel", Max: most},
		Sign("="), {Matrix: out, Name: "result"}}
	lines[1] = append([]Term{Sign("=  (")}, lines[1]...)
	last := len(lines) - 1
	lines[last] = append(lines[last], Sign(")  ×"), Term{Matrix: column(image), Name: "X", Size: 0.3})
	return Equation("A convolution is attention with a head for every shift", lines, EquationOptions{})
}

// shift returns the attention map (tokens, tokens) of a head that attends to the token at one shift from the query.
// Rows of queries for which that is outside of the image are 0.
func shift(rows, cols, down, along int) [][]float64 {
	p := make([][]float64, rows*cols)
	for q := range p {
		p[q] = make([]float64, rows*cols)
		if i, j := q/cols+down, q%cols+along; i >= 0 && i < rows && j >= 0 && j < cols {
			p[q][i*cols+j] = 1
		}
	}
	return p
}

// column returns the tokens of an image as (tokens, 1).
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

func largest(a [][]float64) (most float64) {
	for _, row := range a {
		for _, x := range row {
			most = max(most, math.Abs(x))
		}
	}
	return most
}

// subscript formats n in subscript digits.
func subscript(n int) string {
	return strings.Map(func(r rune) rune { return r - '0' + '₀' }, fmt.Sprint(n))
}
