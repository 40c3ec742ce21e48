package vision

import (
	"fmt"

	"github.com/attnconv/attnconv/analyse"
)

// windows divide a grid into windows of side × side tokens, shifted by some rows and columns around the grid. Tokens
// that only the shift brings together do not see one another.
type windows struct {
	side, shift int
	tokens      [][]int // of each window, row by row
	hidden      [][]int // of each window: tokens with another number are not seen; nil: all are
}

func (w *windows) String() string {
	text := fmt.Sprintf("%d × %[1]d", w.side)
	if w.shift > 0 {
		text += fmt.Sprintf(", shifted by %d", w.shift)
	}
	return text
}

// newWindows divides a grid, whose sides are multiples of side.
func newWindows(g analyse.Grid, side, shift int) *windows {
	w := &windows{side: side, shift: shift}
	region := func(i, n int) int { // of a row or column of the shifted grid
		switch {
		case shift == 0 || i < n-side:
			return 0
		case i < n-shift:
			return 1
		}
		return 2
	}
	for top := 0; top < g.Rows; top += side {
		for left := 0; left < g.Cols; left += side {
			tokens, hidden, cut := make([]int, 0, side*side), make([]int, 0, side*side), false
			for r := top; r < top+side; r++ {
				for c := left; c < left+side; c++ {
					tokens = append(tokens, (r+shift)%g.Rows*g.Cols+(c+shift)%g.Cols)
					hidden = append(hidden, 3*region(r, g.Rows)+region(c, g.Cols))
					cut = cut || hidden[len(hidden)-1] != hidden[0]
				}
			}
			if !cut {
				hidden = nil
			}
			w.tokens, w.hidden = append(w.tokens, tokens), append(w.hidden, hidden)
		}
	}
	return w
}

// biasOf returns the bias of scores in a window, (heads, tokens, tokens), from Swin's table ((2·side-1)², heads), which
// has a row for each shift q - k.
func biasOf(table []float32, side, heads int) []float32 {
	n, wide := side*side, 2*side-1
	b := make([]float32, heads*n*n)
	for q := range n {
		for k := range n {
			row := (q/side-k/side+side-1)*wide + q%side - k%side + side - 1
			for h := range heads {
				b[(h*n+q)*n+k] = table[row*heads+h]
			}
		}
	}
	return b
}

// gather returns the rows of x at tokens, of step numbers each; nil: all of x.
func gather(x []float32, tokens []int, step int) []float32 {
	if tokens == nil {
		return x
	}
	y := make([]float32, 0, len(tokens)*step)
	for _, t := range tokens {
		y = append(y, x[t*step:][:step]...)
	}
	return y
}

// scatter writes rows of y to x at tokens; nil: to all of x.
func scatter(x, y []float32, tokens []int, step int) {
	if tokens == nil {
		copy(x, y)
	}
	for i, t := range tokens {
		copy(x[t*step:][:step], y[i*step:])
	}
}
