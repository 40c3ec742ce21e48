package vec

import "fmt"

// AddOuter sets y[i,j] += row[i] + col[j], on the calling goroutine.  y (len(row), len(col))
func AddOuter(y, row, col []float32) {
	checkOuter(y, row, col)
	best.AddOuter(y, row, col)
}

// SumOuter sets row[i] to Σ_j x[i,j] and col[j] to Σ_i x[i,j], on the calling goroutine.  x (len(row), len(col))
func SumOuter(row, col, x []float32) {
	checkOuter(x, row, col)
	clear(col)
	best.SumOuter(row, col, x)
}

func checkOuter(x, row, col []float32) {
	if len(x) != len(row)*len(col) {
		panic(fmt.Sprintf("vec: a matrix of %d elements where %d × %d are wanted", len(x), len(row), len(col)))
	}
}

func addOuterPlain(y, row, col []float32) {
	for i, a := range row {
		y := y[i*len(col):]
		for j, b := range col {
			y[j] += a + b
		}
	}
}

func sumOuterPlain(row, col, x []float32) {
	for i := range row {
		row[i] = 0
		for j, v := range x[i*len(col):][:len(col)] {
			row[i] += v
			col[j] += v
		}
	}
}
