package gemm

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/kernel/threads"
)

// widest is the largest NR of any set: what callers size and cut packed matrices by, so that sets can change.
const widest = 32

// PackA returns a in strips of up to MR rows, column after column in each: LOOP 1 reads it from front to back. It works
// in memory, which has a's size; nil allocates.
func PackA(a Mat, memory []float32) Mat {
	if memory == nil {
		memory = make([]float32, a.rows*a.cols)
	}
	packed := Strips(memory[:a.rows*a.cols], a.rows, a.cols)
	packed.bf16 = a.bf16
	packStrips(packed.data, &a, packed.stride)
	return packed
}

// Strips views data, which someone packed as PackA does.
func Strips(data []float32, rows, cols int) Mat {
	if len(data) != rows*cols {
		panic(fmt.Sprintf("gemm: the strips of a %d × %d matrix need %d elements, got %d", rows, cols, rows*cols,
			len(data)))
	}
	return Mat{data: data, rows: rows, cols: cols, stride: stripRows(rows), layout: inStrips}
}

// RepackA makes m, which is zero or came from RepackA, the packed a, in the memory that m has if that is enough.
func (m *Mat) RepackA(a Mat) {
	memory := m.data
	if n := a.rows * a.cols; cap(memory) < n {
		memory = make([]float32, n)
	}
	*m = PackA(a, memory)
}

// packStrips packs a in strips of mr rows, the last one of what is left.
func packStrips(memory []float32, a *Mat, mr int) {
	k := a.cols
	if k == 0 {
		return
	}
	pack := best.PackA
	if a.bf16 {
		pack = form().PackA
	}
	step, _ := a.steps()
	for i := 0; i < a.rows; i += mr {
		m := min(mr, a.rows-i)
		pack(memory[i*k:][:m*k], m, k, a.data[i*step:], a.stride, a.layout == byCols)
	}
}

// PackB returns b in panels of NR columns, row after row in each, the last one filled up with zeros: a panel is read
// from front to back once for every strip of A. It works in memory, of PackedBFloats.
func PackB(b Mat, memory []float32) Mat {
	nr := best.Tiles.NR
	packed := Panels(memory[:b.rows*threads.RoundUp(b.cols, nr)], b.rows, b.cols)
	packed.bf16 = b.bf16
	if b.rows == 0 {
		return packed
	}
	pack := best.PackB
	if b.bf16 {
		pack = form().PackB
	}
	_, step := b.steps()
	for j := 0; j < b.cols; j += nr {
		n := min(nr, b.cols-j)
		pack(packed.data[j*b.rows:][:nr*b.rows], nr, n, b.rows, b.data[j*step:], b.stride, b.layout == byCols)
	}
	return packed
}

// PackedBFloats returns how many floats PackB needs for a rows × cols matrix, with any set.
func PackedBFloats(rows, cols int) int { return rows * threads.RoundUp(cols, widest) }

// Panels views data, which someone packed as PackB does.
func Panels(data []float32, rows, cols int) Mat {
	if want := rows * threads.RoundUp(cols, best.Tiles.NR); len(data) < want {
		panic(fmt.Sprintf("gemm: the panels of a %d × %d matrix need %d elements, got %d", rows, cols, want, len(data)))
	}
	return Mat{data: data, rows: rows, cols: cols, stride: rows * best.Tiles.NR, layout: inPanels}
}

// MR and NR return the rows and columns of the microkernel's tile: what to cut products by that are shared out
// elsewhere.
func MR() int { return best.Tiles.MR }
func NR() int { return best.Tiles.NR }

// stripRows is how many rows the strips of A have: at an MR of 12, 16 rows make two strips of 8 rather than 12 and 4.
// Packing is fast only for such multiples.
func stripRows(m int) int { return threads.Split(m, best.Tiles.MR, max(1, best.Tiles.MR/3)) }

func packAPlain(dst []float32, m, k int, a []float32, lda int, byCols bool) {
	di, dl := lda, 1
	if byCols {
		di, dl = 1, lda
	}
	for l := range k {
		for i := range m {
			dst[l*m+i] = a[i*di+l*dl]
		}
	}
}

func packBPlain(dst []float32, nr, n, k int, b []float32, ldb int, byCols bool) {
	for l := range k {
		row := dst[l*nr : (l+1)*nr]
		if !byCols {
			copy(row, b[l*ldb:l*ldb+n])
		} else {
			for j := range n {
				row[j] = b[j*ldb+l]
			}
		}
		clear(row[n:])
	}
}
