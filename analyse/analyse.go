// Package analyse measures how convolutional a layer is, on plain arrays.
//
// A layer with attention P^h and maps W_h is the linear operator of blocks L_qk = Σ_h P^h_qk·W_h. The convolutions with
// zero borders are a linear space of such operators; NewOperator projects a layer on it, and Operator has what follows
// from the projection without data: shares, kernel, rank, leverage, taps. Profiles counts the convolutions that a layer
// is a mixture of. Moments and Regression ask the same of data: how much of a layer's output the best K × K convolution
// explains on other images. Attention accumulates what a layer's heads do over images: their mean, and a chain of
// entropies. CKA and ReceptiveField are measures of other authors. docs/analyse.md has each with its equation, its
// source, and what it cannot say.
//
// Notation: a grid of n × m tokens, T = n·m; q a query, k a key, δ = k - q in rows and columns; P^h of head h is (T,
// T), row-major, a row for each query; W_h is (in, out). Δ_K is the K × K shifts around 0, N_δ = (n-|δ₁|)·(m-|δ₂|) the
// pairs of tokens that are δ apart.
//
// Stable: Layer, Operator, Shares, Kernel, and the meaning of every figure. The rest may still change.
package analyse

import (
	"fmt"
	"math"

	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/posenc/geometry"
)

// Bounds of what is accepted, so that a wrong size is an error in place of hours.
const (
	maxTokens = 1 << 12 // 64 × 64 tokens
	maxHeads  = 1 << 12
	maxWidth  = 1 << 14 // channels
	maxWork   = 1 << 40 // multiplications of one measure
	maxValues = 1 << 28 // floats of one array
	slack     = 1e-4    // by which a row of attention in float32 may miss 1
)

// An Error says which argument cannot be used, and why.
type Error struct{ Argument, Problem string }

func (e *Error) Error() string { return e.Argument + ": " + e.Problem }

// ExitCode is fault.Corrupt: a command passes values of a checkpoint.
func (e *Error) ExitCode() int { return fault.Corrupt }
func (e *Error) Hint() string  { return "try another one: a run has several in its folder checkpoints" }

func wrong(argument, format string, args ...any) error {
	return &Error{argument, fmt.Sprintf(format, args...)}
}

// A Grid is the tokens of an image.
type Grid = geometry.Grid

// A Shift is δ = k - q in rows and columns.
type Shift = geometry.Shift

// check returns an error for a grid of no tokens, or of too many.
func check(g Grid) error {
	if g.Rows < 1 || g.Cols < 1 || g.Rows > maxTokens || g.Cols > maxTokens || g.Tokens() > maxTokens {
		return wrong("grid", "%d × %d tokens: want 1 to %d", g.Rows, g.Cols, maxTokens)
	}
	return nil
}

// queriesInside lists the queries that are margin tokens or more from every border; the error is for none.
func queriesInside(g Grid, margin int) ([]int, error) {
	q := g.Inside(max(0, margin))
	if margin < 0 || len(q) == 0 {
		return nil, wrong("margin", "%d tokens from every border: no query of %d × %d is", margin, g.Rows, g.Cols)
	}
	return q, nil
}

// sampled returns the tokens of g that the queries of a smaller grid stand at: every so many rows and columns, from the
// first on.
func sampled(g, to Grid) (queries []int, err error) {
	if err := check(g); err != nil {
		return nil, err
	}
	if err := check(to); err != nil {
		return nil, err
	}
	if to.Rows > g.Rows || to.Cols > g.Cols {
		return nil, wrong("grid", "%d × %d outputs of %d × %d tokens: want as many rows and columns, or fewer", to.Rows,
			to.Cols, g.Rows, g.Cols)
	}
	for r := range to.Rows {
		for c := range to.Cols {
			queries = append(queries, r*(g.Rows/to.Rows)*g.Cols+c*(g.Cols/to.Cols))
		}
	}
	return queries, nil
}

// A Layer is what is measured: of a layer whose attention depends on the image, its mean over images, E_X P.
type Layer struct {
	Grid      Grid
	In, Out   int         // channels
	Attention [][]float64 // P^h of each head, (T, T)
	Maps      [][]float64 // W_h of each head, (In, Out): the value map times the output map
	// Padded says that the rows of attention may add up to less than 1: the rest is on zeros outside of the grid, as in
	// a convolution with zero borders.
	Padded bool
	// Prefixed says that the rows of attention may add up to less than 1: the rest is on tokens that are not on the
	// grid, such as a class token and registers. The operator has rows as they are. Where heads look is given that the
	// key is on the grid.
	Prefixed bool
	// Epsilon is the distance from 1 to the next number in the format that attention comes in, such as 2⁻²³ of float32;
	// 0: as in float64. Singular values below the rounding error do not count towards a rank.
	Epsilon float64
}

// Check returns an *Error for a layer that cannot be measured.
func (l Layer) Check() error {
	if err := l.sizes(); err != nil {
		return err
	}
	return checkAttention(l.Grid, l.Attention, l.Padded || l.Prefixed)
}

// sizes checks all but that rows of attention are distributions.
func (l Layer) sizes() error {
	if err := check(l.Grid); err != nil {
		return err
	}
	switch h := len(l.Attention); {
	case h == 0 || h > maxHeads:
		return wrong("attention", "%d heads: want 1 to %d", h, maxHeads)
	case len(l.Maps) != h:
		return wrong("maps", "%d for %d heads", len(l.Maps), h)
	case l.In < 1 || l.Out < 1 || l.In > maxWidth || l.Out > maxWidth:
		return wrong("maps", "%d × %d channels: want 1 to %d", l.In, l.Out, maxWidth)
	case h*h > maxWork/(l.Grid.Tokens()*l.Grid.Tokens()+l.In*l.Out):
		return wrong("layer", "%d heads of %d tokens and %d × %d channels are too much to measure", h, l.Grid.Tokens(),
			l.In, l.Out)
	}
	for h := range l.Maps {
		if len(l.Maps[h]) != l.In*l.Out {
			return wrong("maps", "head %d has %d elements, want %d × %d", h+1, len(l.Maps[h]), l.In, l.Out)
		}
		if i := infinite(l.Maps[h]); i >= 0 {
			return wrong("maps", "head %d: element %d is %v", h+1, i, l.Maps[h][i])
		}
		if n := l.Grid.Tokens(); len(l.Attention[h]) != n*n {
			return wrong("attention", "head %d has %d elements, want %d × %d tokens", h+1, len(l.Attention[h]), n, n)
		}
	}
	return nil
}

// checkAttention wants T × T for each head, of rows that are distributions, or part of one.
func checkAttention(g Grid, attention [][]float64, part bool) error {
	n := g.Tokens()
	for h, p := range attention {
		if len(p) != n*n {
			return wrong("attention", "head %d has %d elements, want %d × %d tokens", h+1, len(p), n, n)
		}
		for q := range n {
			sum := 0.0
			for k, v := range p[q*n : (q+1)*n] {
				if !(v >= -slack && v <= 1+slack) { // nor NaN
					return wrong("attention", "head %d, query %d, key %d: %v is no probability", h+1, q, k, v)
				}
				sum += v
			}
			if sum > 1+slack || !part && sum < 1-slack {
				return wrong("attention", "head %d, query %d: the row adds up to %.6g, want 1", h+1, q, sum)
			}
		}
	}
	return nil
}

// infinite returns the first element that is NaN or infinite, or -1.
func infinite(x []float64) int {
	for i, v := range x {
		if math.IsNaN(v - v) {
			return i
		}
	}
	return -1
}

func abs(n int) int { return max(n, -n) }

func dot(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}
