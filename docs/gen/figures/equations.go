package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/attnconv/attnconv/internal/plain"
	"github.com/attnconv/attnconv/viz"
)

// words are tokens with three features.
var words = plain.Matrix{{1, 0.2, 0}, {0.1, 1.5, 0.3}, {0.9, -0.4, 0.2}, {-0.6, 0.3, 1}, {0, 0.8, -1}}

// dotProduct is dot-product attention for one query: softmax(query·keysᵀ)·values.
func dotProduct(*program, float64) (*viz.Figure, error) {
	q, keys, values := words[1:2], words.T(), plain.Matrix{{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {0.5, 0.5}}
	scores := q.Times(keys)
	weights := plain.SoftmaxRows(scores)
	return equation("Attention of one query", [][]term{
		{{matrix: q, name: "query"}, sign("×"), {matrix: keys, name: "keys"}, sign("="),
			{matrix: scores, name: "scores"}},
		{sign("softmax("), {matrix: scores, name: "scores"}, sign(") ="),
			{matrix: weights, name: "weights", max: 1}},
		{{matrix: weights, name: "weights", max: 1}, sign("×"), {matrix: values, name: "values"}, sign("="),
			{matrix: weights.Times(values), name: "result", max: largest(values)}},
	}, 0), nil
}

// multiHead is an attention layer: Y = Σ_h P_h·X·W_h.
func multiHead(*program, float64) (*viz.Figure, error) {
	maps := [][]float64{{0.9, 0.1, -0.5, 0.3}, {-0.2, 0.8, 0.4, -0.6}, {0.5, -0.3, 0.7, 0.2}}
	var lines [][]term
	sum, most := plain.New(5, 4), 0.0
	for h := range 3 {
		p, w := plain.Matrix(head(h-1, 0.8)), plain.Matrix{maps[h], maps[(h+1)%3], maps[(h+2)%3]}
		y := p.Times(words).Times(w)
		sum = sum.Plus(y)
		most = max(most, largest(y), largest(sum))
		lines = append(lines, []term{sign([]string{"  ", "+", "+"}[h]),
			{matrix: p, name: numbered("P", h), max: 1}, sign("×"), {matrix: words, name: "X"}, sign("×"),
			{matrix: w, name: numbered("W", h)}, sign("="), {matrix: y, name: fmt.Sprint("head ", h+1)}})
	}
	for _, line := range lines {
		line[len(line)-1].max = most
	}
	lines = append(lines, []term{sign("="), {matrix: sum, name: "Y", max: most}})
	return equation("Heads, each with its attention and its matrix, add up", lines, 0), nil
}

// dense is a dense layer over all tokens and an equal attention layer for one query: head i attends to token i only,
// and its matrix is the rows of w for that token.
func dense(*program, float64) (*viz.Figure, error) {
	x, w := words[:3], plain.New(9, 4)
	for i := range w {
		for j := range w[i] {
			w[i][j] = math.Round(10*math.Sin(float64(3*i+5*j))) / 10
		}
	}
	flat, most := plain.Matrix{x.Flat()}, largest(w)
	lines := [][]term{{{matrix: flat, name: "all tokens"}, sign("×"),
		{matrix: w, name: "dense", max: most, scale: 0.6}, sign("="), {matrix: flat.Times(w), name: "y"}}}
	for i := range x {
		lines = append(lines, []term{sign([]string{"=", "+", "+"}[i]),
			{matrix: plain.Identity(3)[i : i+1], name: fmt.Sprint("head ", i+1), max: 1}, sign("×"),
			{matrix: x, name: "X", max: largest(x)}, sign("×"),
			{matrix: w[3*i : 3*i+3], name: numbered("W", i), max: most}})
	}
	return equation("A dense layer is attention with a head for every token", lines, 0), nil
}

// fourByFour is a convolution of 4 × 4 pixels, padded with zeros, and an equal attention layer: a head for every shift
// of the kernel, which attends to that shift only, times the kernel's value.
func fourByFour(*program, float64) (*viz.Figure, error) {
	image := plain.Matrix{{0, 0, 1, 1}, {0, 0, 1, 1}, {0, 1, 1, 0}, {0, 1, 1, 0}}
	kernel := plain.Matrix{{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}}
	tokens := plain.Matrix{image.Flat()}.T()
	y, most := plain.New(16, 1), largest(kernel)
	lines := [][]term{nil}
	for a := range kernel {
		var line []term
		for b := range kernel[a] {
			p, w := atShift(a-1, b-1), plain.Matrix{{kernel[a][b]}}
			y = y.Plus(p.Times(tokens).Times(w))
			if a+b > 0 {
				line = append(line, sign("+"))
			}
			name := fmt.Sprintf("shift (%d, %d)", a-1, b-1)
			line = append(line, term{matrix: p, name: name, head: 3*a + b + 1, max: 1, scale: 0.3}, sign("×"),
				term{matrix: w, head: 3*a + b + 1, max: most, numbers: true})
		}
		lines = append(lines, line)
	}
	result := slices.Collect(slices.Chunk(y.Flat(), 4))
	lines[0] = []term{{matrix: image, name: "image", numbers: true}, sign("*"),
		{matrix: kernel, name: "kernel", max: most, numbers: true},
		sign("="), {matrix: result, name: "result", numbers: true}}
	lines[1] = append([]term{sign("=  (")}, lines[1]...)
	lines[3] = append(lines[3], sign(")  ×"), term{matrix: tokens, name: "X", scale: 0.3})
	return equation("A convolution is attention with a head for every shift", lines, 0), nil
}

// atShift returns the attention map of a head that attends to the token at one shift from the query, in 4 × 4 tokens.
// Rows of queries for which that is outside of the image are 0.
func atShift(down, along int) plain.Matrix {
	p := plain.New(16, 16)
	for q := range p {
		if i, j := q/4+down, q%4+along; min(i, j) >= 0 && max(i, j) < 4 {
			p[q][i*4+j] = 1
		}
	}
	return p
}

// largest returns the largest absolute value.
func largest(m plain.Matrix) (most float64) {
	for _, x := range m.Flat() {
		most = max(most, math.Abs(x))
	}
	return most
}

// numbered returns a letter with the number i + 1 as its index.
func numbered(letter string, i int) string { return letter + string(rune('₁'+i)) }
