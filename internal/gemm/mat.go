package gemm

import "fmt"

// A Mat is a matrix in a slice of someone else's elements: the whole of it, a block, either transposed, or packed.
type Mat struct {
	data       []float32 // from the first element of the view on; what lies behind the last one may be read
	rows, cols int
	stride     int // see layout
	layout     layout
	bf16       bool // see BF16
}

// A layout says where element (i, j) of a matrix is.
type layout uint8

const (
	byRows layout = iota // at data[i·stride + j]
	byCols               // at data[j·stride + i]: a transposed view
	// packed A: strips of stride rows, the last one of what is left; in each, column after column
	inStrips
	inPanels // packed B: panels of NR columns, stride elements apart; in each, row after row
)

// Matrix views data, which holds rows × cols elements row by row.
func Matrix(data []float32, rows, cols int) Mat {
	if rows < 0 || cols < 0 || len(data) != rows*cols {
		panic(fmt.Sprintf("gemm: a %d × %d matrix needs %d elements, got %d", rows, cols, rows*cols, len(data)))
	}
	return Mat{data: data, rows: rows, cols: cols, stride: cols}
}

// Strided views rows × cols elements of data, whose rows begin stride elements apart.
func Strided(data []float32, rows, cols, stride int) Mat {
	if rows < 0 || cols < 0 || stride < cols || len(data) < (rows-1)*stride+cols {
		panic(fmt.Sprintf("gemm: no %d × %d matrix with rows %d apart in %d elements", rows, cols, stride, len(data)))
	}
	m := Mat{rows: rows, cols: cols, stride: stride}
	if rows > 0 && cols > 0 {
		end := (rows-1)*stride + cols
		m.data = data[:end:end]
	}
	return m
}

// Padded is Matrix for data that goes on behind the last element: if by PadFloats, Plan.InPlaceB never has to pack the
// last columns.
func Padded(data []float32, rows, cols int) Mat {
	m := Matrix(data[:rows*cols], rows, cols)
	m.data = data
	return m
}

// PadFloats is how many elements behind its last one let any matrix be read in whole panels.
const PadFloats = widest - 1

// Dims returns the numbers of rows and columns.
func (m Mat) Dims() (rows, cols int) { return m.rows, m.cols }

// Row returns row i of m, which is neither transposed nor packed.
func (m Mat) Row(i int) []float32 {
	if m.layout != byRows {
		panic("gemm: the rows of a transposed or packed matrix are no slices")
	}
	return m.data[i*m.stride:][:m.cols]
}

// T is the transposed matrix, in the same elements. A packed matrix has none.
func (m Mat) T() Mat {
	if m.packed() {
		panic("gemm: a packed matrix cannot be transposed")
	}
	m.rows, m.cols, m.layout = m.cols, m.rows, byRows+byCols-m.layout
	return m
}

func (m Mat) packed() bool { return m.layout >= inStrips }

// Cols is n columns of m from column j on, in the same elements. Of a packed B, j is a multiple of 32.
func (m Mat) Cols(j, n int) Mat { return m.Block(0, j, m.rows, n) }

// Block is the rows × cols matrix whose first element is m[i,j], in the same elements. Of a packed B, j is a multiple
// of 32; a packed A has no block but the whole of it.
func (m Mat) Block(i, j, rows, cols int) Mat {
	if i < 0 || j < 0 || rows < 0 || cols < 0 || i+rows > m.rows || j+cols > m.cols ||
		m.layout == inStrips && (rows < m.rows || cols < m.cols) || m.layout == inPanels && j%best.Tiles.NR != 0 {
		panic(fmt.Sprintf("gemm: no block of %d × %d at (%d, %d) in a %d × %d matrix",
			rows, cols, i, j, m.rows, m.cols))
	}
	return m.block(i, j, rows, cols)
}

// block is Block of what is within m.
func (m *Mat) block(i, j, rows, cols int) Mat {
	if rows == m.rows && cols == m.cols { // of small products every block is
		return *m
	}
	return m.part(i, j, rows, cols)
}

func (m *Mat) part(i, j, rows, cols int) Mat {
	b := Mat{rows: rows, cols: cols, stride: m.stride, layout: m.layout, bf16: m.bf16}
	if rows == 0 || cols == 0 {
		return b
	}
	if m.layout == inPanels {
		nr := best.Tiles.NR
		b.data = m.data[j/nr*m.stride+m.depth(i)*nr:]
		return b
	}
	last := i+rows == m.rows && j+cols == m.cols
	outer, inner := rows, cols // of data's rows
	if m.layout == byCols {
		i, j, outer, inner = j, i, cols, rows
	}
	lo := i*m.stride + j
	hi := lo + (outer-1)*m.stride + inner
	if last { // with the padding, if there is one
		hi = len(m.data)
	}
	b.data = m.data[lo:hi:hi]
	return b
}

// steps is how far apart element (i, j) is from (i+1, j), and from (i, j+1), in a matrix that is not packed.
func (m *Mat) steps() (row, col int) {
	if m.layout == byCols {
		return 1, m.stride
	}
	return m.stride, 1
}
