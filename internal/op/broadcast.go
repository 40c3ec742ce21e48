package op

import "slices"

// A Combine is a function of two numbers.
type Combine string

// The functions of a BroadcastOp.
const (
	Plus  Combine = "plus"
	Minus Combine = "minus"
	Times Combine = "times"
	Over  Combine = "over"
	Max   Combine = "max" // of equal numbers a, whose gradient it is; NaN if one is NaN
)

// BroadcastOp is f(a, b), element by element. Shapes are aligned at their last axes, as in NumPy; along an axis that
// one of them lacks or that has extent 1, all elements of the other meet the same one. Backward, with sums over such
// axes in float64,
//
//	a·b: da = Σ dy·b, db = Σ dy·a;  a/b: da = Σ dy/b, db = -Σ dy·a/b²
type BroadcastOp struct{ Func Combine }

func (o BroadcastOp) String() string { return string(o.Func) }

func (o BroadcastOp) Shape(in []Shape) (Shape, error) {
	a, b := in[0], in[1]
	out := make(Shape, max(len(a), len(b)))
	ok := len(out) > 0
	for i := range out {
		x, y := extent(a, len(out)-i), extent(b, len(out)-i)
		out[i] = max(x, y)
		ok = ok && (x == y || min(x, y) == 1)
	}
	return fits(o, in, ok, out, "a and b whose extents are equal or 1, from the last axis on")
}

// extent is that of the axis i from the end; 1 of one that s has not.
func extent(s Shape, i int) int {
	if i > len(s) {
		return 1
	}
	return s[len(s)-i]
}

func (BroadcastOp) Cost(*Node) Cost { return Cost{} }

// combine returns f, and its derivatives with respect to a and b times dy.
func (o BroadcastOp) combine() (f func(a, b float32) float32, da, db func(dy, a, b float32) float32) {
	first := func(a, b float32) bool { return a >= b || a != a }
	pass := func(dy, _, _ float32) float32 { return dy }
	switch o.Func {
	case Plus:
		return func(a, b float32) float32 { return a + b }, pass, pass
	case Minus:
		return func(a, b float32) float32 { return a - b }, pass, func(dy, _, _ float32) float32 { return -dy }
	case Times:
		return func(a, b float32) float32 { return a * b }, func(dy, _, b float32) float32 { return dy * b },
			func(dy, a, _ float32) float32 { return dy * a }
	case Over:
		return func(a, b float32) float32 { return a / b }, func(dy, _, b float32) float32 { return dy / b },
			func(dy, a, b float32) float32 { return -dy * a / (b * b) }
	}
	choose := func(is bool, x, y float32) float32 {
		if is {
			return x
		}
		return y
	}
	return func(a, b float32) float32 { return choose(first(a, b), a, b) },
		func(dy, a, b float32) float32 { return choose(first(a, b), dy, 0) },
		func(dy, a, b float32) float32 { return choose(first(a, b), 0, dy) }
}

func (o BroadcastOp) Kernel(in []Shape) Kernel {
	out, _ := o.Shape(in)
	f, da, db := o.combine()
	slopes := [2]func(dy, a, b float32) float32{da, db}
	pairs := newPairing(in[0], in[1], out)
	k := Kernel{
		Skips:    []int{0, 1},
		NotSaved: []int{Output},
		InPlace:  in[0].Eq(out),
		Forward: func(y []float32, in [][]float32) {
			pairs.each(func(i, a, b int) { y[i] = f(in[0][a], in[1][b]) })
		},
	}
	var sums [2][]float64 // of gradients of inputs that are read several times
	for i, s := range in {
		if !s.Eq(out) {
			sums[i] = make([]float64, s.TotalSize())
		}
	}
	k.Backward = func(d [][]float32, dy, _ []float32, in [][]float32) {
		for side := 1; side >= 0; side-- { // d[0] may be dy
			if d[side] == nil {
				continue
			}
			clear(sums[side])
			pairs.each(func(i, a, b int) {
				v, at := slopes[side](dy[i], in[0][a], in[1][b]), [2]int{a, b}[side]
				if sums[side] == nil {
					d[side][at] = v
				} else {
					sums[side][at] += float64(v)
				}
			})
			for i, sum := range sums[side] {
				d[side][i] = float32(sum)
			}
		}
	}
	return k
}

// A pairing says which elements of a and b an element of the result is made of.
type pairing struct{ extents, a, b []int } // a and b: how far the next element along an axis is; 0: it is the same

func newPairing(a, b, out Shape) pairing {
	p := pairing{extents: slices.Clone(out), a: make([]int, len(out)), b: make([]int, len(out))}
	for i := range out {
		for _, x := range []struct {
			shape Shape
			steps []int
		}{{a, p.a}, {b, p.b}} {
			if extent(x.shape, len(out)-i) > 1 {
				x.steps[i] = x.shape[len(x.shape)-(len(out)-i)+1:].TotalSize()
			}
		}
	}
	return p
}

// each calls f for every element of the result, in order, with its number and those of what it is made of.
func (p pairing) each(f func(i, a, b int)) {
	last := len(p.extents) - 1
	n, total := p.extents[last], 1
	for _, e := range p.extents {
		total *= e
	}
	for first := 0; first < total; first += n {
		a, b, rest := 0, 0, first/n
		for axis := last - 1; axis >= 0; axis-- {
			i := rest % p.extents[axis]
			rest /= p.extents[axis]
			a, b = a+i*p.a[axis], b+i*p.b[axis]
		}
		for j := range n {
			f(first+j, a+j*p.a[last], b+j*p.b[last])
		}
	}
}
