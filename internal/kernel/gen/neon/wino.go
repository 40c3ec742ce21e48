package main

import (
	"fmt"
	"log"
	"math"
)

// The points of Winograd's transforms are 0, ±a, ±b and infinity. Package convolution says what each transform does;
// the equations are those for AVX2 (gen/wino).
const (
	a, b   = 0.75, 1.5
	a2, b2 = a * a, b * b
	nA, nB = 2 * a2 * (a2 - b2), 2 * b2 * (b2 - a2)
)

// A place is a vector in memory, as the assembler names it.
type place string

// transforms are the fields of routines, of squares of from × from to to × to, with the constants that lines multiply
// by.
var transforms = []struct {
	field    string
	from, to int
	line     func(k factors, x, y []place)
	factors  []float64
}{
	{"In", 6, 6, factors.in, []float64{a2 * b2, -a2 - b2, -b2, a, -a, -a2, b, -b}},
	{"InGrad", 6, 6, factors.inGrad, []float64{a, b, a2 * b2, -b2, -a2, -a2 - b2}},
	{"Out", 6, 4, factors.out, []float64{a, b, a2, b2, a * a2, b * b2}},
	{"OutGrad", 4, 6, factors.outGrad, []float64{a2, a, a * a2, b2, b, b * b2}},
	{"Weights", 3, 6, factors.weights, []float64{1 / (a2 * b2), 1 / nA, a2 / nA, a / nA, 1 / nB, b2 / nB, b / nB}},
	{"WeightsGrad", 6, 3, factors.weightsGrad, []float64{1 / (a2 * b2), 1 / nA, 1 / nB, a / nA, b / nB, a2 / nA,
		b2 / nB}},
}

// factors holds constants in lanes.
type factors map[uint32]lane

func (k factors) of(x float64) lane {
	l, ok := k[math.Float32bits(float32(x))]
	if !ok {
		log.Fatalf("the factor %v is in no register", x)
	}
	return l
}

func winograd() string {
	var fields []string
	for _, t := range transforms {
		fields = append(fields, t.field)
		square(t.field, t.from, t.to, t.factors, t.line)
	}
	return fieldsOf(fields)
}

// square writes a transform of squares of from × from vectors to to × to: first line transforms columns, into tmp, then
// rows.
func square(field string, from, to int, constant []float64, line func(k factors, x, y []place)) {
	begin(set+field, "func(n int, dst []float32, di, dj int, src []float32, si, sj int, tmp []float32)",
		"is routines."+field+", 4 channels at a time.")
	n, dst, src, tmp := argument("n"), argument("dst"), argument("src"), argument("tmp")
	di, dj, si, sj := inBytes("di"), inBytes("dj"), inBytes("si"), inBytes("sj")
	k := factors{}
	for i, l := range constants(constant...) {
		k[math.Float32bits(float32(constant[i]))] = l
	}
	held, first := vectors, reg()
	var at []general
	for range max(from, to) - 1 {
		at = append(at, reg())
	}
	spaced := func(step general, count int) []place { // from first on
		places, last := []place{place(fmt.Sprintf("(%s)", first))}, first
		for _, r := range at[:count-1] {
			do("ADD %s, %s, %s", step, last, r)
			places, last = append(places, place(fmt.Sprintf("(%s)", r))), r
		}
		return places
	}
	between := func(i, j int) place { return place(fmt.Sprintf("%d(%s)", 16*(i*from+j), tmp)) }
	label("loop")
	do("MOVD %s, %s", src, first)
	for j := range from {
		var y []place
		for i := range to {
			y = append(y, between(i, j))
		}
		vectors = held
		line(k, spaced(si, from), y)
		do("ADD %s, %s", sj, first)
	}
	do("MOVD %s, %s", dst, first)
	for i := range to {
		var x []place
		for j := range from {
			x = append(x, between(i, j))
		}
		vectors = held
		line(k, x, spaced(dj, to))
		do("ADD %s, %s", di, first)
	}
	do("ADD $16, %s", src)
	do("ADD $16, %s", dst)
	do("SUBS $4, %s, %[1]s", n)
	do("BGT loop")
	end()
}

func load(p place) vector {
	v := free()
	do("FMOVQ %s, %s", p, v.f())
	return v
}

func store(v vector, p place) { do("FMOVQ %s, %s", v.f(), p) }

func copyOf(x vector) vector {
	v := free()
	copyTo(v, x)
	return v
}

func plus(x, y vector) vector {
	v := free()
	fadd(v, x, y)
	return v
}

func minus(x, y vector) vector {
	v := free()
	fsub(v, x, y)
	return v
}

func (k factors) times(c float64, x vector) vector {
	v := free()
	fmulBy(v, x, k.of(c))
	return v
}

// add adds c·x to sum, and returns sum.
func (k factors) add(sum vector, c float64, x vector) vector {
	fmaByEl(sum, x, k.of(c))
	return sum
}

// in is y = Bᵀ·x: values of the polynomial with coefficients x, as the rows of Bᵀ have them.
func (k factors) in(x, y []place) {
	d1, d2, d3, d4 := load(x[1]), load(x[2]), load(x[3]), load(x[4])
	store(k.add(k.add(copyOf(d4), a2*b2, load(x[0])), -a2-b2, d2), y[0])
	store(k.add(k.add(load(x[5]), a2*b2, d1), -a2-b2, d3), y[5])
	even, odd := k.add(copyOf(d4), -b2, d2), k.add(copyOf(d3), -b2, d1)
	store(k.add(copyOf(even), a, odd), y[1])
	store(k.add(even, -a, odd), y[2])
	even, odd = k.add(d4, -a2, d2), k.add(d3, -a2, d1)
	store(k.add(copyOf(even), b, odd), y[3])
	store(k.add(even, -b, odd), y[4])
}

// pairs returns sums and differences of the values at ±a and at ±b.
func pairs(x []place) (sumA, difA, sumB, difB vector) {
	a1, a2, b1, b2 := load(x[1]), load(x[2]), load(x[3]), load(x[4])
	return plus(a1, a2), minus(a1, a2), plus(b1, b2), minus(b1, b2)
}

// inGrad is y = B·x.
func (k factors) inGrad(x, y []place) {
	sumA, difA, sumB, difB := pairs(x)
	difA, difB = k.times(a, difA), k.times(b, difB)
	v0, v5 := load(x[0]), load(x[5])
	store(k.times(a2*b2, v0), y[0])
	store(k.add(k.add(k.times(a2*b2, v5), -b2, difA), -a2, difB), y[1])
	store(k.add(k.add(k.times(-a2-b2, v0), -b2, sumA), -a2, sumB), y[2])
	store(k.add(plus(difA, difB), -a2-b2, v5), y[3])
	store(plus(plus(sumA, sumB), v0), y[4])
	store(v5, y[5])
}

// out is y = Aᵀ·x.
func (k factors) out(x, y []place) {
	sumA, difA, sumB, difB := pairs(x)
	store(plus(plus(sumA, sumB), load(x[0])), y[0])
	store(k.add(k.times(a, difA), b, difB), y[1])
	store(k.add(k.times(a2, sumA), b2, sumB), y[2])
	store(k.add(k.add(load(x[5]), a*a2, difA), b*b2, difB), y[3])
}

// outGrad is y = A·x.
func (k factors) outGrad(x, y []place) {
	v0, v1, v2, v3 := load(x[0]), load(x[1]), load(x[2]), load(x[3])
	store(v0, y[0])
	even, odd := k.add(copyOf(v0), a2, v2), k.add(k.times(a, v1), a*a2, v3)
	store(plus(even, odd), y[1])
	store(minus(even, odd), y[2])
	even, odd = k.add(copyOf(v0), b2, v2), k.add(k.times(b, v1), b*b2, v3)
	store(plus(even, odd), y[3])
	store(minus(even, odd), y[4])
	store(v3, y[5])
}

// weights is y = G·x.
func (k factors) weights(x, y []place) {
	g0, g1, g2 := load(x[0]), load(x[1]), load(x[2])
	store(k.times(1/(a2*b2), g0), y[0])
	even, odd := k.add(k.times(1/nA, g0), a2/nA, g2), k.times(a/nA, g1)
	store(plus(even, odd), y[1])
	store(minus(even, odd), y[2])
	even, odd = k.add(k.times(1/nB, g0), b2/nB, g2), k.times(b/nB, g1)
	store(plus(even, odd), y[3])
	store(minus(even, odd), y[4])
	store(g2, y[5])
}

// weightsGrad is y = Gᵀ·x.
func (k factors) weightsGrad(x, y []place) {
	sumA, difA, sumB, difB := pairs(x)
	store(k.add(k.add(k.times(1/(a2*b2), load(x[0])), 1/nA, sumA), 1/nB, sumB), y[0])
	store(k.add(k.times(a/nA, difA), b/nB, difB), y[1])
	store(k.add(k.add(load(x[5]), a2/nA, sumA), b2/nB, sumB), y[2])
}
