package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	. "github.com/attnconv/attnconv/internal/kernel/gen/machine"
)

// A walk goes along slices of one length, eight elements at a time.
type walk struct {
	n, i GPVirtual            // length, elements done
	base map[string]GPVirtual // of each slice
}

// set is the one that all of these routines are of, fields the ones of routines that they stand in.
const set = "avx2"

var fields []string

// routine starts the function for a field of routines.
func routine(field, signature string) {
	fields = append(fields, field)
	Func(set+field, signature, "is routines."+field+".")
}

// begin starts the function for a field of routines and loads its slices; the first one gives the length.
func begin(name, signature string, slices ...string) *walk {
	routine(name, signature)
	w := &walk{n: GP64(), i: GP64(), base: map[string]GPVirtual{}}
	Load(Param(slices[0]).Len(), w.n)
	for _, s := range slices {
		w.base[s] = GP64()
		Load(Param(s).Base(), w.base[s])
	}
	return w
}

func end() {
	VZEROUPPER()
	RET()
}

// A step is eight neighbours of every slice. In the last step of a length that eight does not divide, the lanes behind
// the end are dead: they load zero, and are not stored.
type step struct {
	w    *walk
	u    int // place within the unrolled turn, for separate accumulators
	live Op  // mask of the lanes that count; nil: all
}

func (s step) mem(slice string) Mem {
	return Mem{Base: s.w.base[slice], Index: s.w.i, Scale: 4, Disp: 32 * s.u}
}

func (s step) load(slice string) VecVirtual {
	v := YMM()
	if s.live == nil {
		VMOVUPS(s.mem(slice), v)
	} else {
		VMASKMOVPS(s.mem(slice), s.live, v)
	}
	return v
}

func (s step) store(v VecVirtual, slice string) {
	if s.live == nil {
		VMOVUPS(v, s.mem(slice))
	} else {
		VMASKMOVPS(v, s.live, s.mem(slice))
	}
}

// keep makes the dead lanes of v zero.
func (s step) keep(v VecVirtual) {
	if s.live != nil {
		VANDPS(s.live, v, v)
	}
}

// each emits body for turns of unroll steps, for the single steps that are left, and for the masked last one.
func (w *walk) each(unroll int, body func(s step)) {
	last := GP64()
	XORQ(w.i, w.i)
	for _, u := range []int{unroll, 1} {
		loop, done := Unique("loop"), Unique("done")
		MOVQ(w.n, last)
		SUBQ(U32(8*u), last)
		CMPQ(w.i, last)
		JG(LabelRef(done))
		Label(loop)
		for k := range u {
			body(step{w: w, u: k})
		}
		ADDQ(U32(8*u), w.i)
		CMPQ(w.i, last)
		JLE(LabelRef(loop))
		Label(done)
		if unroll == 1 {
			break
		}
	}
	none := Unique("none")
	MOVQ(w.n, last)
	SUBQ(w.i, last)
	JZ(LabelRef(none))
	body(step{w: w, live: LiveLanes(last)})
	Label(none)
}

// all returns the constant v in eight lanes, in memory.
func all(v float64) Mem { return allBits(math.Float32bits(float32(v))) }

func allBits(v uint32) Mem {
	return Global(fmt.Sprintf("all%08x", v), func() {
		for i := range 8 {
			DATA(4*i, U32(v))
		}
	})
}

// load returns m in a register.
func load(m Mem) VecVirtual {
	v := YMM()
	VMOVUPS(m, v)
	return v
}

// spread returns the parameter called name, of 32 bits, in eight lanes.
func spread(name string) VecVirtual {
	p, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return spreadMem(p.Addr)
}

func spreadMem(m Mem) VecVirtual {
	v := YMM()
	VBROADCASTSS(m, v)
	return v
}

func zeros(n int) []VecVirtual {
	acc := make([]VecVirtual, n)
	for i := range acc {
		acc[i] = YMM()
		VXORPS(acc[i], acc[i], acc[i])
	}
	return acc
}

// fold combines the lanes of all accumulators into the lowest one of the returned register.
func fold(acc []VecVirtual, join func(a, b, to Op)) VecVirtual {
	for n := len(acc); n > 1; n = (n + 1) / 2 {
		for i := range n / 2 {
			join(acc[(n+1)/2+i], acc[i], acc[i])
		}
	}
	high := XMM()
	low := acc[0].AsX()
	VEXTRACTF128(Imm(1), acc[0], high)
	join(high, low, low)
	VMOVHLPS(low, low, high)
	join(high, low, low)
	VMOVSHDUP(low, high)
	join(high, low, low)
	return acc[0]
}

func plus(a, b, to Op) { VADDPS(a, b, to) }

// give ends the function with the lowest lane of v as its result number i.
func give(v VecVirtual, i int) { Store(v.AsX(), ReturnIndex(i)) }
