package analyse

import "math"

// assign returns for each row the column of the assignment with the largest sum, no column twice; there are as many
// columns as rows or more.
//
// It is the Hungarian method with potentials u, v ≤ cost - u: rows enter one at a time, and each looks for the
// cheapest alternating path to a free column, in O(columns²). Source: Kuhn 1955; Jonker, Volgenant 1987.
func assign(gain [][]float64) []int {
	rows, cols := len(gain), len(gain[0])
	u, v := make([]float64, rows+1), make([]float64, cols+1)
	// of a column: its row, the column before it on the path; 0: none
	row, from := make([]int, cols+1), make([]int, cols+1)
	for i := 1; i <= rows; i++ {
		row[0] = i
		least, seen := make([]float64, cols+1), make([]bool, cols+1)
		for j := range least {
			least[j] = math.Inf(1)
		}
		at := 0
		for row[at] != 0 {
			seen[at] = true
			next, delta := 0, math.Inf(1)
			for j := 1; j <= cols; j++ {
				if seen[j] {
					continue
				}
				if d := -gain[row[at]-1][j-1] - u[row[at]] - v[j]; d < least[j] {
					least[j], from[j] = d, at
				}
				if least[j] < delta {
					next, delta = j, least[j]
				}
			}
			for j := range seen {
				if seen[j] {
					u[row[j]] += delta
					v[j] -= delta
				} else {
					least[j] -= delta
				}
			}
			at = next
		}
		for at != 0 {
			row[at] = row[from[at]]
			at = from[at]
		}
	}
	columns := make([]int, rows)
	for j := 1; j <= cols; j++ {
		if row[j] > 0 {
			columns[row[j]-1] = j - 1
		}
	}
	return columns
}
