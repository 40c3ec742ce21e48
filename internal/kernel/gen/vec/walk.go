package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	. "github.com/attnconv/attnconv/internal/kernel/gen/machine"
)

// A walk goes along slices of one length, a register of elements at a time: eight, or with AVX-512 sixteen.
type walk struct {
	n, i GPVirtual            // length, elements done
	base map[string]GPVirtual // of each slice
}

// set is the one of the routines that are written, fields the ones of routines that those of a set stand in.
var (
	set    = Sets[0]
	fields = map[string][]string{}
)

func wide() bool { return set.Bytes == 64 }

func lanes() int { return set.Bytes / 4 }

// routine starts the function for a field of routines.
func routine(field, signature string) {
	fields[set.Name] = append(fields[set.Name], field)
	Func(set.Name+field, signature, "is routines."+field+".")
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

// A step is a register of neighbors of every slice. In the last step of a length that is not a multiple of lanes, those
// behind the end are dead: they load zero, and are not stored.
type step struct {
	w    *walk
	u    int // place within the unrolled turn, for separate accumulators
	live Op  // mask of the lanes that count; nil: all
}

func (s step) mem(slice string) Mem {
	return Mem{Base: s.w.base[slice], Index: s.w.i, Scale: 4, Disp: set.Bytes * s.u}
}

func (s step) load(slice string) VecVirtual { return loadLanes(s.mem(slice), s.live) }

func (s step) store(v VecVirtual, slice string) { storeLanes(v, s.mem(slice), s.live) }

// loadLanes returns the live lanes of m, or all of them if live is nil, with zeros elsewhere; storeLanes stores those
// of v.
func loadLanes(m Mem, live Op) VecVirtual {
	v := set.Vector()
	switch {
	case live == nil:
		VMOVUPS(m, v)
	case wide():
		VMOVUPS_Z(m, live, v)
	default:
		VMASKMOVPS(m, live, v)
	}
	return v
}

func storeLanes(v VecVirtual, m Mem, live Op) {
	switch {
	case live == nil:
		VMOVUPS(v, m)
	case wide():
		VMOVUPS(v, live, m)
	default:
		VMASKMOVPS(v, live, m)
	}
}

// keep makes the dead lanes of v zero.
func (s step) keep(v VecVirtual) {
	switch {
	case s.live == nil:
	case wide():
		VMOVAPS_Z(v, s.live, v)
	default:
		VANDPS(s.live, v, v)
	}
}

// each emits body for turns of unroll times eight elements, for the single steps that are left, and for the masked last
// one.
func (w *walk) each(unroll int, body func(s step)) {
	last := GP64()
	unroll = max(1, unroll*8/lanes())
	XORQ(w.i, w.i)
	for _, u := range []int{unroll, 1} {
		loop, done := Unique("loop"), Unique("done")
		MOVQ(w.n, last)
		SUBQ(U32(uint32(lanes()*u)), last)
		CMPQ(w.i, last)
		JG(LabelRef(done))
		Label(loop)
		for k := range u {
			body(step{w: w, u: k})
		}
		ADDQ(U32(uint32(lanes()*u)), w.i)
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
	body(step{w: w, live: firstLanes(last)})
	Label(none)
}

// firstLanes returns the mask of the first n lanes, of fewer than all. It may change n.
func firstLanes(n GPVirtual) Op {
	if !wide() {
		return LiveLanes(n)
	}
	return LiveLanes16(n)
}

// all returns the constant v in every lane, in memory.
func all(v float64) Mem { return allBits(math.Float32bits(float32(v))) }

func allBits(v uint32) Mem {
	return Global(fmt.Sprintf("all%08x", v), func() {
		for i := range 16 {
			DATA(4*i, U32(v))
		}
	})
}

// load returns m in a register.
func load(m Mem) VecVirtual {
	v := set.Vector()
	VMOVUPS(m, v)
	return v
}

// spread returns the parameter called name, of 32 bits, in every lane.
func spread(name string) VecVirtual {
	p, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return spreadMem(p.Addr)
}

func spreadMem(m Mem) VecVirtual {
	v := set.Vector()
	VBROADCASTSS(m, v)
	return v
}

func zeros(n int) []VecVirtual {
	acc := make([]VecVirtual, n)
	for i := range acc {
		acc[i] = set.Vector()
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
	if wide() {
		upper := YMM()
		VEXTRACTF64X4(Imm(1), acc[0], upper)
		acc[0] = acc[0].AsY().(VecVirtual)
		join(upper, acc[0], acc[0])
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

// where returns a, and in the lanes of mask b. A mask is what compare makes, or a register whose signs count.
func where(mask Op, b, a VecVirtual) VecVirtual {
	v := set.Vector()
	if _, signs := mask.(VecVirtual); wide() && signs {
		k := K()
		VPMOVD2M(mask, k)
		mask = k
	}
	if wide() {
		VBLENDMPS(b, a, mask, v)
	} else {
		VBLENDVPS(mask, b, a, v)
	}
	return v
}

// compare returns the mask of lanes of which a and b are related so.
func compare(relation uint8, a, b Op) Op {
	if wide() {
		k := K()
		VCMPPS(Imm(uint64(relation)), b, a, k)
		return k
	}
	v := YMM()
	VCMPPS(Imm(uint64(relation)), b, a, v)
	return v
}

func plus(a, b, to Op) { VADDPS(a, b, to) }

// give ends the function with the lowest lane of v as its result number i.
func give(v VecVirtual, i int) { Store(v.AsX(), ReturnIndex(i)) }
