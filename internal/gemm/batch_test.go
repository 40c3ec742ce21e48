package gemm

import (
	"slices"
	"testing"
)

// A batch gives each product the bytes that it has by itself, whatever the layout of its factors, and touches nothing
// between or behind them.
func TestMulBatch(t *testing.T) {
	const n, between = 3, 5
	eachSet(t, func(t *testing.T) {
		for _, d := range []struct{ m, k, n int }{
			{8, 8, 48}, {48, 16, 16}, {1, 1, 1}, {3, 5, 17}, {13, 7, 31}, {12, 450, 33}, {150, 3, 16}, {2, 0, 3},
			{0, 2, 3}, {2, 3, 0},
		} {
			a, fenceA := inside(n, d.m*d.k+between, false, 1)
			b, fenceB := inside(n, d.k*d.n+between, false, 2)
			got, fence := inside(n, d.m*d.n+between, false, 3)
			want, around := inside(n, d.m*d.n+between, false, 3)
			panels := make([]float32, n*(PackedBFloats(d.k, d.n)+between))
			apart := len(panels) / n
			for p := range n {
				PackB(Matrix(b.Row(p)[:d.k*d.n], d.k, d.n), panels[p*apart:])
			}
			as := map[string]Batch{
				"rows":    Strides(a.data, n, d.m, d.k, a.stride),
				"columns": Strides(a.data, n, d.k, d.m, a.stride).T(),
				"strips":  Same(PackA(Matrix(a.Row(1)[:d.m*d.k], d.m, d.k), nil), n),
			}
			bs := map[string]Batch{
				"rows":   Strides(b.data, n, d.k, d.n, b.stride),
				"panels": PanelStrides(panels, n, d.k, d.n, apart),
			}
			for nameA, batchA := range as {
				for nameB, batchB := range bs {
					for _, add := range []bool{false, true} {
						MulBatch(Strides(got.data, n, d.m, d.n, got.stride), batchA, batchB, add)
						for p := range n {
							one := Matrix(a.Row(p)[:d.m*d.k], d.m, d.k)
							if nameA == "columns" {
								one = Matrix(a.Row(p)[:d.m*d.k], d.k, d.m).T()
							}
							plan := Plan{Add: add}
							if nameA == "strips" { // one matrix for all, whose k is not cut
								one = batchA.first
							}
							plan.Mul(Matrix(want.Row(p)[:d.m*d.n], d.m, d.n), one, Matrix(b.Row(p)[:d.k*d.n], d.k, d.n))
						}
						if !slices.Equal(fence.In, around.In) {
							t.Errorf("%+v, A in %s, B in %s, add %v: the bytes differ from those of single products", d,
								nameA, nameB, add)
						}
					}
				}
			}
			if fence.Broken() || fenceA.Broken() || fenceB.Broken() {
				t.Errorf("%+v: wrote outside of a slice", d)
			}
		}
	})
}

// A sweep has the bytes of single products: all heights of a strip, short sums and longer ones, matrices that are
// columns of one another's rows, an odd number of registers.
func TestSweeps(t *testing.T) {
	const n, between = 3, 16
	eachSet(t, func(t *testing.T) {
		for m := 1; m <= 2*MR()+1; m++ {
			for _, cols := range []int{16, 32, 48} {
				k := 1 + (5*m+cols)%19
				step := cols + between
				a := PackA(random(m, k, 1), nil)
				b, c := random(k, n*step, 2), random(m, n*step, 3)
				for _, add := range []bool{false, true} {
					want := Matrix(slices.Clone(c.data), m, n*step)
					for p := range n {
						Plan{Add: add, InPlaceB: true}.Mul(want.Cols(p*step, cols), a, b.Cols(p*step, cols))
					}
					MulEach(Apart(c.data, n, m, cols, n*step, step), a, Apart(b.data, n, k, cols, n*step, step), add)
					if !slices.Equal(c.data, want.data) {
						t.Fatalf("%d × %d × %d, add %v: the bytes differ from those of single products", m, k, cols,
							add)
					}
				}
			}
		}
	})
}

// MulPanels makes what PackB makes of the products, to the last column.
func TestMulPanels(t *testing.T) {
	const n, m, k = 3, 7, 9
	eachSet(t, func(t *testing.T) {
		for _, cols := range []int{1, 13, 16, 31, 32, 33, 48, 96} {
			wide := (cols + 15) / 16 * 16
			a, b, c := PackA(random(m, k, 1), nil), random(n*k, wide, 2), random(n*m, wide, 3)
			MulEach(blocks(c, n), a, blocks(b, n), false)
			want := PackB(c.Cols(0, cols), make([]float32, PackedBFloats(n*m, cols)))
			got := Panels(make([]float32, PackedBFloats(n*m, cols)), n*m, cols)
			MulPanels(got, a, blocks(b, n))
			for j := range cols {
				for i := range n * m {
					at := j/NR()*want.stride + i*NR() + j%NR()
					if got.data[at] != want.data[at] {
						t.Fatalf("%d columns: element (%d, %d) is %v, want %v", cols, i, j, got.data[at], want.data[at])
					}
				}
			}
		}
	})
}

func TestBatchesThatDoNotFitPanic(t *testing.T) {
	a, b, c := random(6, 4, 1), random(8, 5, 2), random(6, 5, 3) // two products of (3, 4) and (4, 5)
	for name, f := range map[string]func(){
		"one factor fewer":    func() { MulBatch(blocks(c, 2), blocks(a, 2), Same(b, 1), false) },
		"other shapes":        func() { MulBatch(blocks(c, 2), blocks(a, 2), blocks(a, 2), false) },
		"transposed B":        func() { MulBatch(blocks(c, 2), blocks(a, 2), Strides(b.data, 2, 5, 4, 20).T(), false) },
		"transposed C":        func() { MulBatch(Strides(c.data, 2, 5, 3, 15).T(), blocks(a, 2), blocks(b, 2), false) },
		"no matrices":         func() { Apart(a.data, 0, 3, 4, 4, 12) },
		"a step back":         func() { Apart(a.data, 2, 3, 4, 4, -1) },
		"beyond the slice":    func() { Strides(a.data, 2, 3, 4, 13) },
		"one over another":    func() { Strides(a.data, 2, 3, 4, 11) },
		"apart beyond":        func() { Apart(a.data, 2, 3, 4, 4, 13) },
		"apart, rows in rows": func() { Apart(a.data, 1, 3, 4, 3, 0) },
		"panels of too many": func() {
			MulPanels(Panels(make([]float32, 9*32), 9, 16), PackA(a, nil),
				Apart(b.data, 1, 4, 5, 5, 0))
		},
		"few panels": func() { PanelStrides(make([]float32, 8*NR()-1), 2, 4, 5, 4*NR()) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
	MulBatch(blocks(c, 2), blocks(a, 2), blocks(b, 2), false)
}

// blocks views m, n times as high as each of them, as n matrices below one another.
func blocks(m Mat, n int) Batch {
	rows := m.rows / n
	return Strides(m.data, n, rows, m.cols, rows*m.cols)
}
