package op

import "fmt"

// AxisShiftsOp adds the scores of shifts along rows and along columns:
//
//	A[h,(δ1,δ2)] = row[h, δ1+m] + col[h, δ2+n],  |δ1| ≤ rows ≤ m, |δ2| ≤ cols ≤ n
type AxisShiftsOp struct{ Heads, Rows, Cols int }

func (o AxisShiftsOp) String() string {
	return fmt.Sprintf("axis-shifts{%d,%d,%d}", o.Heads, o.Rows, o.Cols)
}

func (o AxisShiftsOp) Shape(in []Shape) (Shape, error) {
	ok := o.Heads > 0
	for i, reach := range []int{o.Rows, o.Cols} {
		shifts := in[i].TotalSize() / max(1, o.Heads)
		ok = ok && reach >= 0 && in[i].TotalSize() == o.Heads*shifts && shifts%2 == 1 && reach <= shifts/2
	}
	return fits(o, in, ok, Shape{o.Heads, (2*o.Rows + 1) * (2*o.Cols + 1)},
		fmt.Sprintf("scores (%d, 2m+1) along rows, with m at least %d, and along columns, at least %d", o.Heads, o.Rows,
			o.Cols))
}

func (AxisShiftsOp) Cost(*Node) Cost { return Cost{} }

func (o AxisShiftsOp) Kernel(in []Shape) Kernel {
	row, col := in[0].TotalSize()/o.Heads, in[1].TotalSize()/o.Heads
	each := func(f func(i, row, col int)) {
		for i := range o.Heads * (2*o.Rows + 1) * (2*o.Cols + 1) {
			h, u, v := i/(2*o.Cols+1)/(2*o.Rows+1), i/(2*o.Cols+1)%(2*o.Rows+1), i%(2*o.Cols+1)
			f(i, h*row+u-o.Rows+row/2, h*col+v-o.Cols+col/2)
		}
	}
	return Kernel{
		NotSaved: []int{0, 1, Output},
		Forward: func(y []float32, in [][]float32) {
			each(func(i, row, col int) { y[i] = in[0][row] + in[1][col] })
		},
		Backward: func(d [][]float32, dy, _ []float32, _ [][]float32) {
			clear(d[0])
			clear(d[1])
			each(func(i, row, col int) {
				d[0][row] += dy[i]
				d[1][col] += dy[i]
			})
		},
	}
}

// NearShiftsOp is the part of a square table of shifts that a window reaches:
//
//	A[h,(δ1,δ2)] = s[h, (δ1+m), (δ2+m)],  |δ1| ≤ rows ≤ m, |δ2| ≤ cols ≤ m
type NearShiftsOp struct{ Rows, Cols int }

func (o NearShiftsOp) String() string { return fmt.Sprintf("near-shifts{%d,%d}", o.Rows, o.Cols) }

func (o NearShiftsOp) Shape(in []Shape) (Shape, error) {
	ok := hasDims(in, 2) && min(o.Rows, o.Cols) >= 0
	if ok {
		side := sideOf(in[0])
		ok = side*side == in[0][1] && side%2 == 1 && max(o.Rows, o.Cols) <= side/2
	}
	return fits(o, in, ok, Shape{in[0][0], (2*o.Rows + 1) * (2*o.Cols + 1)},
		fmt.Sprintf("scores (heads, (2m+1)²) with m at least %d", max(o.Rows, o.Cols)))
}

// sideOf is the side of a square table of shifts, or the next smaller number.
func sideOf(table Shape) (side int) {
	for (side+1)*(side+1) <= table[1] {
		side++
	}
	return side
}

func (NearShiftsOp) Cost(*Node) Cost { return Cost{} }

func (o NearShiftsOp) Kernel(in []Shape) Kernel {
	heads, side := in[0][0], sideOf(in[0])
	wide := 2*o.Cols + 1
	each := func(f func(y, s int)) { // the first of a row of shifts
		for i := range heads * (2*o.Rows + 1) {
			h, u := i/(2*o.Rows+1), i%(2*o.Rows+1)
			f(i*wide, (h*side+u-o.Rows+side/2)*side+side/2-o.Cols)
		}
	}
	return Kernel{
		NotSaved: []int{0, Output},
		Forward:  func(y []float32, in [][]float32) { each(func(i, s int) { copy(y[i:i+wide], in[0][s:]) }) },
		Backward: func(d [][]float32, dy, _ []float32, _ [][]float32) {
			clear(d[0])
			each(func(i, s int) { copy(d[0][s:], dy[i:i+wide]) })
		},
	}
}

// ShiftMapOp is A[h,q,k] = s[h,k-q], for every query and key on a rows × cols grid; backward,
// ds[h,δ] = Σ_q dA[h,q,q+δ].
type ShiftMapOp struct{ Rows, Cols int }

func (o ShiftMapOp) String() string { return fmt.Sprintf("shift-map{%d,%d}", o.Rows, o.Cols) }

func (o ShiftMapOp) Shape(in []Shape) (Shape, error) {
	t := o.Rows * o.Cols
	ok := hasDims(in, 2) && min(o.Rows, o.Cols) > 0 && in[0][1] == (2*o.Rows-1)*(2*o.Cols-1)
	return fits(o, in, ok, Shape{in[0][0], t, t}, "scores (heads, (2·rows-1)·(2·cols-1))")
}

func (ShiftMapOp) Cost(*Node) Cost { return Cost{} }

func (o ShiftMapOp) Kernel(in []Shape) Kernel {
	heads, t, wide := in[0][0], o.Rows*o.Cols, 2*o.Cols-1
	each := func(f func(a, s int)) { // the first of a row of keys, and its shift
		for i := range heads * t * o.Rows {
			h, q, k := i/(t*o.Rows), i/o.Rows%t, i%o.Rows
			f(i*o.Cols, (h*(2*o.Rows-1)+k-q/o.Cols+o.Rows-1)*wide+o.Cols-1-q%o.Cols)
		}
	}
	return Kernel{
		NotSaved: []int{0, Output},
		Forward:  func(y []float32, in [][]float32) { each(func(a, s int) { copy(y[a:a+o.Cols], in[0][s:]) }) },
		Backward: func(d [][]float32, dy, _ []float32, _ [][]float32) {
			clear(d[0])
			each(func(a, s int) {
				for l, g := range dy[a : a+o.Cols] {
					d[0][s+l] += g
				}
			})
		},
	}
}
