// Package geometry has the tokens of an image, the shifts between them, and Gaussian heads over shifts, in plain
// numbers.
//
// Stable: all.
package geometry

import (
	"encoding/json"
	"math"
)

// A Grid is the tokens of an image; token t is in row t/Cols and column t%Cols.
type Grid struct{ Rows, Cols int }

// MarshalJSON writes rows and columns as a list.
func (g Grid) MarshalJSON() ([]byte, error) { return json.Marshal([2]int{g.Rows, g.Cols}) }

// UnmarshalJSON reads rows and columns from a list.
func (g *Grid) UnmarshalJSON(b []byte) error {
	var sides [2]int
	err := json.Unmarshal(b, &sides)
	*g = Grid{sides[0], sides[1]}
	return err
}

// Tokens returns T.
func (g Grid) Tokens() int { return g.Rows * g.Cols }

// Pairs returns N_δ, how many queries have the key at s on the grid.
func (g Grid) Pairs(s Shift) int { return max(0, g.Rows-abs(s[0])) * max(0, g.Cols-abs(s[1])) }

// Inside lists the queries that are margin tokens or more from every border.
func (g Grid) Inside(margin int) (queries []int) {
	for r := margin; r < g.Rows-margin; r++ {
		for c := margin; c < g.Cols-margin; c++ {
			queries = append(queries, r*g.Cols+c)
		}
	}
	return queries
}

// Key returns the token at s from q, if it is on the grid.
func (g Grid) Key(q int, s Shift) (k int, ok bool) {
	r, c := q/g.Cols+s[0], q%g.Cols+s[1]
	return r*g.Cols + c, r >= 0 && r < g.Rows && c >= 0 && c < g.Cols
}

// Shift returns k - q.
func (g Grid) Shift(q, k int) Shift { return Shift{k/g.Cols - q/g.Cols, k%g.Cols - q%g.Cols} }

// Side returns the K of the square that every shift of the grid is in.
func (g Grid) Side() int { return 2*max(g.Rows, g.Cols) - 1 }

// Index numbers the shifts of the grid, row-major.
func (g Grid) Index(s Shift) int { return (s[0]+g.Rows-1)*(2*g.Cols-1) + s[1] + g.Cols - 1 }

// Shifts lists the shifts between two tokens, row-major.
func (g Grid) Shifts() (all []Shift) {
	for r := 1 - g.Rows; r < g.Rows; r++ {
		for c := 1 - g.Cols; c < g.Cols; c++ {
			all = append(all, Shift{r, c})
		}
	}
	return all
}

// A Shift is δ = k - q in rows and columns.
type Shift [2]int

// Side returns the least K whose Δ_K has s.
func (s Shift) Side() int { return 2*max(abs(s[0]), abs(s[1])) + 1 }

// Length returns ‖δ‖ in tokens.
func (s Shift) Length() float64 { return math.Hypot(float64(s[0]), float64(s[1])) }

// Square lists Δ_K in rings: the center, then what 3 × 3 adds, and so on, each row-major. k is odd.
func Square(k int) (all []Shift) {
	for r := range k/2 + 1 {
		for y := -r; y <= r; y++ {
			for x := -r; x <= r; x++ {
				if s := (Shift{y, x}); s.Side() == 2*r+1 {
					all = append(all, s)
				}
			}
		}
	}
	return all
}

func abs(n int) int { return max(n, -n) }
