package kernel

import "fmt"

// A Mat is a matrix that lies row by row in a slice of others' numbers: the whole of it, a block, or either transposed.
type Mat struct {
	data       []float32 // from the first number of the view to its last
	rows, cols int
	stride     int  // numbers from one row of data to the next
	turned     bool // data's rows are the columns of the matrix
}

// Matrix views data, which holds rows × cols numbers row by row.
func Matrix(data []float32, rows, cols int) Mat {
	if rows < 0 || cols < 0 || len(data) != rows*cols {
		panic(fmt.Sprintf("kernel: a %d × %d matrix needs %d numbers, got %d", rows, cols, rows*cols, len(data)))
	}
	return Mat{data: data, rows: rows, cols: cols, stride: cols}
}

// Dims returns the numbers of rows and columns.
func (m Mat) Dims() (rows, cols int) { return m.rows, m.cols }

// T is the transposed matrix, in the same numbers.
func (m Mat) T() Mat {
	m.rows, m.cols, m.turned = m.cols, m.rows, !m.turned
	return m
}

// Block is the rows × cols matrix whose first number is m[i,j], in the same numbers.
func (m Mat) Block(i, j, rows, cols int) Mat {
	if i < 0 || j < 0 || rows < 0 || cols < 0 || i+rows > m.rows || j+cols > m.cols {
		panic(fmt.Sprintf("kernel: no block of %d × %d at (%d, %d) in a %d × %d matrix",
			rows, cols, i, j, m.rows, m.cols))
	}
	lines, length := rows, cols
	if m.turned {
		i, j, lines, length = j, i, cols, rows
	}
	b := Mat{rows: rows, cols: cols, stride: m.stride, turned: m.turned}
	if rows > 0 && cols > 0 {
		lo := i*m.stride + j
		hi := lo + (lines-1)*m.stride + length
		b.data = m.data[lo:hi:hi]
	}
	return b
}
