// Command wino writes the transforms of Winograd's algorithm for package convolution, and the table that names them: go
// generate there calls it. Package convolution says what each one does.
package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	. "github.com/attnconv/attnconv/internal/kernel/gen/machine"
)

// The points are 0, ±a, ±b and infinity.
const (
	a, b   = 0.75, 1.5
	a2, b2 = a * a, b * b
	nA, nB = 2 * a2 * (a2 - b2), 2 * b2 * (b2 - a2)
)

// A set writes in the words of the equations.
type set struct{ Set }

// transforms are the fields of routines, of squares of from × from to to × to.
var transforms = []struct {
	name     string
	from, to int
	line     func(s set, x, y []Mem)
}{
	{"In", 6, 6, set.in},
	{"InGrad", 6, 6, set.inGrad},
	{"Out", 6, 4, set.out},
	{"OutGrad", 4, 6, set.outGrad},
	{"Weights", 3, 6, set.weights},
	{"WeightsGrad", 6, 3, set.weightsGrad},
}

func main() {
	ConstraintExpr("!purego")
	var fields []string
	for _, t := range transforms {
		fields = append(fields, t.name)
	}
	table := []string{"// sets holds the routines by kernel set. A set inherits what it lacks.",
		"var sets = map[string]routines{", `"generic": plain,`}
	for _, m := range Sets {
		s := set{m}
		for _, t := range transforms {
			s.square(t.name, t.from, t.to, t.line)
		}
		table = append(table, fmt.Sprintf("%q: {", m.Name), Fields(m.Name, fields), "},")
	}
	Write(append(table, "}")...)
}

// square emits a transform of squares of from × from vectors to to × to: first line transforms columns, into tmp, then
// rows.
func (s set) square(name string, from, to int, line func(s set, x, y []Mem)) {
	Func(s.Name+name, "func(n int, dst []float32, di, dj int, src []float32, si, sj int, tmp []float32)",
		fmt.Sprintf("is routines.%s, %d channels at a time.", name, s.Bytes/4))
	n, dst, src, tmp := Int("n"), Base("dst"), Base("src"), Base("tmp")
	di, dj, si, sj := Bytes("di"), Bytes("dj"), Bytes("si"), Bytes("sj")
	si3, si5 := odd(si, from)
	dj3, dj5 := odd(dj, to)
	p := GP64()
	Label("loop")
	MOVQ(src, p)
	for j := range from {
		if j > 0 {
			ADDQ(sj, p)
		}
		var y []Mem
		for i := range to {
			y = append(y, Mem{Base: tmp, Disp: (i*from + j) * s.Bytes})
		}
		line(s, spaced(p, from, si, si3, si5), y)
	}
	MOVQ(dst, p)
	for i := range to {
		if i > 0 {
			ADDQ(di, p)
		}
		var x []Mem
		for j := range from {
			x = append(x, Mem{Base: tmp, Disp: (i*from + j) * s.Bytes})
		}
		line(s, x, spaced(p, to, dj, dj3, dj5))
	}
	ADDQ(Imm(uint64(s.Bytes)), src)
	ADDQ(Imm(uint64(s.Bytes)), dst)
	SUBQ(Imm(uint64(s.Bytes/4)), n)
	JG(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// odd returns 3 and 5 times step, as far as count places need them.
func odd(step Register, count int) (three, five Register) {
	if count > 3 {
		three = GP64()
		LEAQ(Mem{Base: step, Index: step, Scale: 2}, three)
	}
	if count > 5 {
		five = GP64()
		LEAQ(Mem{Base: step, Index: step, Scale: 4}, five)
	}
	return three, five
}

// spaced returns count addresses from p on, step apart.
func spaced(p Register, count int, step, three, five Register) []Mem {
	return []Mem{
		{Base: p}, {Base: p, Index: step, Scale: 1}, {Base: p, Index: step, Scale: 2},
		{Base: p, Index: three, Scale: 1},
		{Base: p, Index: step, Scale: 4}, {Base: p, Index: five, Scale: 1},
	}[:count]
}

func (s set) load(m Mem) VecVirtual {
	v := s.Vector()
	VMOVUPS(m, v)
	return v
}

func (s set) copyOf(v VecVirtual) VecVirtual {
	w := s.Vector()
	VMOVAPS(v, w)
	return w
}

func (s set) plus(x, y Op) VecVirtual {
	v := s.Vector()
	VADDPS(y, x, v)
	return v
}

func (s set) minus(x, y Op) VecVirtual { // x - y
	v := s.Vector()
	VSUBPS(y, x, v)
	return v
}

func (s set) times(k float64, x Op) VecVirtual {
	v := s.Vector()
	VMULPS(s.all(k), x, v)
	return v
}

// add adds k·x to sum, and returns sum.
func (s set) add(sum VecVirtual, k float64, x Op) VecVirtual {
	switch {
	case k == 1:
		VADDPS(x, sum, sum)
	case k == -1:
		VSUBPS(x, sum, sum)
	case k < 0:
		VFNMADD231PS(s.all(-k), x, sum)
	default:
		VFMADD231PS(s.all(k), x, sum)
	}
	return sum
}

// all returns the constant k in every lane, in memory.
func (s set) all(k float64) Mem {
	bits := math.Float32bits(float32(k))
	return Global(fmt.Sprintf("wino%08x", bits), func() {
		for i := range 16 {
			DATA(4*i, U32(bits))
		}
	})
}

// in is y = Bᵀ·x: values of the polynomial with coefficients x, as the rows of Bᵀ have them.
func (s set) in(x, y []Mem) {
	d1, d2, d3, d4 := s.load(x[1]), s.load(x[2]), s.load(x[3]), s.load(x[4])
	t0 := s.add(s.add(s.copyOf(d4), a2*b2, s.load(x[0])), -a2-b2, d2)
	VMOVUPS(t0, y[0])
	t5 := s.add(s.add(s.load(x[5]), a2*b2, d1), -a2-b2, d3)
	VMOVUPS(t5, y[5])
	even, odd := s.add(s.copyOf(d4), -b2, d2), s.add(s.copyOf(d3), -b2, d1)
	VMOVUPS(s.add(s.copyOf(even), a, odd), y[1])
	VMOVUPS(s.add(even, -a, odd), y[2])
	even, odd = s.add(d4, -a2, d2), s.add(d3, -a2, d1)
	VMOVUPS(s.add(s.copyOf(even), b, odd), y[3])
	VMOVUPS(s.add(even, -b, odd), y[4])
}

// inGrad is y = B·x.
func (s set) inGrad(x, y []Mem) {
	v1, v3 := s.load(x[1]), s.load(x[3])
	sumA, sumB := s.plus(v1, x[2]), s.plus(v3, x[4])
	difA, difB := s.times(a, s.minus(v1, x[2])), s.times(b, s.minus(v3, x[4]))
	v0, v5 := s.load(x[0]), s.load(x[5])
	VMOVUPS(s.times(a2*b2, v0), y[0])
	VMOVUPS(s.add(s.add(s.times(a2*b2, v5), -b2, difA), -a2, difB), y[1])
	VMOVUPS(s.add(s.add(s.times(-a2-b2, v0), -b2, sumA), -a2, sumB), y[2])
	VMOVUPS(s.add(s.plus(difA, difB), -a2-b2, v5), y[3])
	VMOVUPS(s.add(s.plus(sumA, sumB), 1, v0), y[4])
	VMOVUPS(v5, y[5])
}

// out is y = Aᵀ·x.
func (s set) out(x, y []Mem) {
	m1, m3 := s.load(x[1]), s.load(x[3])
	sumA, sumB := s.plus(m1, x[2]), s.plus(m3, x[4])
	difA, difB := s.minus(m1, x[2]), s.minus(m3, x[4])
	VMOVUPS(s.add(s.plus(sumA, sumB), 1, s.load(x[0])), y[0])
	VMOVUPS(s.add(s.times(a, difA), b, difB), y[1])
	VMOVUPS(s.add(s.times(a2, sumA), b2, sumB), y[2])
	VMOVUPS(s.add(s.add(s.load(x[5]), a*a2, difA), b*b2, difB), y[3])
}

// outGrad is y = A·x.
func (s set) outGrad(x, y []Mem) {
	v0, v1, v2, v3 := s.load(x[0]), s.load(x[1]), s.load(x[2]), s.load(x[3])
	VMOVUPS(v0, y[0])
	even, odd := s.add(s.copyOf(v0), a2, v2), s.add(s.times(a, v1), a*a2, v3)
	VMOVUPS(s.plus(even, odd), y[1])
	VMOVUPS(s.minus(even, odd), y[2])
	even, odd = s.add(s.copyOf(v0), b2, v2), s.add(s.times(b, v1), b*b2, v3)
	VMOVUPS(s.plus(even, odd), y[3])
	VMOVUPS(s.minus(even, odd), y[4])
	VMOVUPS(v3, y[5])
}

// weights is y = G·x.
func (s set) weights(x, y []Mem) {
	g0, g1, g2 := s.load(x[0]), s.load(x[1]), s.load(x[2])
	VMOVUPS(s.times(1/(a2*b2), g0), y[0])
	even, odd := s.add(s.times(1/nA, g0), a2/nA, g2), s.times(a/nA, g1)
	VMOVUPS(s.plus(even, odd), y[1])
	VMOVUPS(s.minus(even, odd), y[2])
	even, odd = s.add(s.times(1/nB, g0), b2/nB, g2), s.times(b/nB, g1)
	VMOVUPS(s.plus(even, odd), y[3])
	VMOVUPS(s.minus(even, odd), y[4])
	VMOVUPS(g2, y[5])
}

// weightsGrad is y = Gᵀ·x.
func (s set) weightsGrad(x, y []Mem) {
	u1, u3 := s.load(x[1]), s.load(x[3])
	sumA, sumB := s.plus(u1, x[2]), s.plus(u3, x[4])
	difA, difB := s.minus(u1, x[2]), s.minus(u3, x[4])
	VMOVUPS(s.add(s.add(s.times(1/(a2*b2), s.load(x[0])), 1/nA, sumA), 1/nB, sumB), y[0])
	VMOVUPS(s.add(s.times(a/nA, difA), b/nB, difB), y[1])
	VMOVUPS(s.add(s.add(s.load(x[5]), a2/nA, sumA), b2/nB, sumB), y[2])
}
