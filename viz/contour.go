package viz

import (
	"fmt"
	"math"
	"slices"
)

// A Grid is the tokens of a picture and one of them, the query: (row, column), from 0. The zero value is no picture.
type Grid struct {
	Rows, Cols int
	Query      [2]int
}

// Middle is a picture of rows × cols tokens with the query in the middle, or where the paper has it: right below.
func Middle(rows, cols int) Grid { return Grid{rows, cols, [2]int{rows / 2, cols / 2}} }

// check says whether the query is in the picture.
func (g Grid) check() error {
	if q := g.Query; q[0] < 0 || q[0] >= g.Rows || q[1] < 0 || q[1] >= g.Cols {
		return fmt.Errorf("viz: no token at row %d, column %d of a picture of %d × %d tokens: they count from 0",
			q[0], q[1], g.Rows, g.Cols)
	}
	return nil
}

// Probabilities returns the head's attention on a picture, softmax over all tokens of the Gaussian's exponents, in
// row-major order.
func (h Head) Probabilities(g Grid) []float64 {
	p := make([]float64, g.Rows*g.Cols)
	for i := range p {
		d0 := float64(i/g.Cols-g.Query[0]) - h.Center[0]
		d1 := float64(i%g.Cols-g.Query[1]) - h.Center[1]
		q := h.Precision
		p[i] = -(d0*d0*q[0][0] + 2*d0*d1*q[0][1] + d1*d1*q[1][1]) / 2
	}
	most := slices.Max(p)
	sum := 0.0
	for i, x := range p {
		p[i] = math.Exp(x - most)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// A Region is the fewest tokens that hold a given mass: those with more than Level of the attention.
type Region struct {
	Level  float64
	Mass   float64 // that they hold
	Tokens int
}

// Densest returns the region that holds mass of the attention p. Tokens that weigh the same are all in it or all out.
func Densest(p []float64, mass float64) Region {
	sorted := slices.Clone(p)
	slices.Sort(sorted)
	slices.Reverse(sorted)
	r := Region{}
	for i, x := range sorted {
		r.Mass += x
		r.Tokens++
		last := i+1 == len(sorted)
		if last || r.Mass >= mass-1e-12 && sorted[i+1] < x*(1-1e-9) {
			if !last {
				r.Level = x * math.Sqrt(max(sorted[i+1]/x, 1e-12)) // half-way between in and out, in the exponents
			}
			break
		}
	}
	return r
}

// steep is where exponents are cut off: lines around a few tokens pass about half-way to their neighbours.
const steep = 3

// contours returns the lines that part the region's tokens from the others, as places (row, column) counted from the
// query. They pass between the tokens' middles where the exponents, seen as a plane from token to token, cross the
// region's level; along the picture's edge they are the edge.
func contours(p []float64, g Grid, r Region) [][][2]float64 {
	rows, cols := g.Rows+2, g.Cols+2 // with a border of tokens that are not in the region
	height := make([]float64, rows*cols)
	for i := range height {
		row, col := i/cols-1, i%cols-1
		inner := p[min(max(row, 0), g.Rows-1)*g.Cols+min(max(col, 0), g.Cols-1)]
		height[i] = steep
		if r.Level > 0 { // else all tokens are in the region
			height[i] = max(-steep, min(steep, math.Log(inner/r.Level)))
		}
		if row < 0 || col < 0 || row >= g.Rows || col >= g.Cols {
			height[i] = -max(math.Abs(height[i]), 1e-9) // crosses zero at the edge of the picture
		}
	}
	m := march{height: height, cols: cols, next: map[edge]edge{}}
	for row := range rows - 1 {
		for col := range cols - 1 {
			m.cell(row, col)
		}
	}
	lines := m.lines()
	for _, line := range lines {
		for i := range line {
			line[i][0] -= float64(1 + g.Query[0])
			line[i][1] -= float64(1 + g.Query[1])
		}
	}
	return lines
}

// An edge is the way from the corner at (row, col) to its right neighbour, or, if down, to the one below.
type edge struct {
	row, col int
	down     bool
}

// march finds lines of height 0 on a grid, cell by cell: marching squares, with what is above zero to the right.
type march struct {
	height []float64
	cols   int
	next   map[edge]edge
	order  []edge // in which they were found
}

func (m *march) at(row, col int) float64 { return m.height[row*m.cols+col] }

// cell links the edges through which lines enter and leave one cell.
func (m *march) cell(row, col int) {
	corner := [4]float64{m.at(row, col), m.at(row, col+1), m.at(row+1, col+1), m.at(row+1, col)} // clockwise
	side := [4]edge{{row, col, false}, {row, col + 1, true}, {row + 1, col, false}, {row, col, true}}
	var in, out []int // sides through which a walk around the cell comes into the region and leaves it
	for i := range corner {
		switch a, b := corner[i] > 0, corner[(i+1)%4] > 0; {
		case !a && b:
			in = append(in, i)
		case a && !b:
			out = append(out, i)
		}
	}
	joined := corner[0]+corner[1]+corner[2]+corner[3] > 0 // a saddle: are the two parts of the region one?
	for k, i := range in {
		j := k
		if len(out) == 2 {
			after := slices.IndexFunc(out, func(o int) bool { return (o-i+4)%4 == 1 })
			if j = after; joined {
				j = 1 - after
			}
		}
		m.next[side[i]] = side[out[j]]
		m.order = append(m.order, side[i])
	}
}

// lines follows the links; each line is closed.
func (m *march) lines() (lines [][][2]float64) {
	seen := map[edge]bool{}
	for _, start := range m.order {
		var line [][2]float64
		for e := start; !seen[e]; e = m.next[e] {
			seen[e] = true
			line = append(line, m.cross(e))
		}
		if len(line) > 0 {
			lines = append(lines, append(line, line[0]))
		}
	}
	return lines
}

// cross is where the height is zero on an edge.
func (m *march) cross(e edge) [2]float64 {
	row, col := e.row, e.col+1
	if e.down {
		row, col = e.row+1, e.col
	}
	a, b := m.at(e.row, e.col), m.at(row, col)
	x := a / (a - b)
	return [2]float64{float64(e.row) + x*float64(row-e.row), float64(e.col) + x*float64(col-e.col)}
}
