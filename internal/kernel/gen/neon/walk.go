package main

import (
	"fmt"
	"math/bits"
)

// A walk goes along slices of one length, four elements at a time.
type walk struct {
	n      general // length
	slices []string
	base   map[string]general
}

// routineFields are the ones of vec's routines that this set has.
var routineFields []string

// routine starts the function for a field of routines.
func routine(field, signature string) {
	routineFields = append(routineFields, field)
	begin(set+field, signature, "is routines."+field+".")
}

// along starts the function for a field of routines and loads its slices; the first one gives the length.
func along(field, signature string, slices ...string) *walk {
	routine(field, signature)
	w := &walk{n: length(slices[0]), slices: slices, base: map[string]general{}}
	for _, s := range slices {
		w.base[s] = argument(s)
	}
	return w
}

// A step is size bytes of every slice: 16, and for what is left 8 and 4. Then the lanes behind the end are dead: they
// load zero, and are not stored.
type step struct {
	w    *walk
	u    int // place within the unrolled turn, for separate accumulators
	size int
}

func (s step) move() string { return map[int]string{16: "FMOVQ", 8: "FMOVD", 4: "FMOVS"}[s.size] }

func (s step) load(slice string) vector {
	v := free()
	do("%s %d(%s), %s", s.move(), 16*s.u, s.w.base[slice], v.f())
	return v
}

func (s step) store(v vector, slice string) {
	do("%s %s, %d(%s)", s.move(), v.f(), 16*s.u, s.w.base[slice])
}

// keep makes the dead lanes of v zero.
func (s step) keep(v vector) {
	if s.size < 16 {
		do("%s %s, %[2]s", s.move(), v.f())
	}
}

// each emits body for turns of unroll steps, for the single steps that are left, and for the last lanes. What body
// takes of vector registers is free after it.
func (w *walk) each(unroll int, body func(s step)) {
	held, count := vectors, reg()
	turn := func(steps, size int) {
		for u := range steps {
			vectors = held
			body(step{w, u, size})
		}
		for _, s := range w.slices {
			do("ADD $%d, %s", steps*size, w.base[s])
		}
	}
	loop := func(steps int) {
		again, done := unique("loop"), unique("done")
		do("CBZ %s, %s", count, done)
		label(again)
		turn(steps, 16)
		do("SUBS $1, %s, %[1]s", count)
		do("BNE %s", again)
		label(done)
	}
	if unroll > 1 {
		do("LSR $%d, %s, %s", bits.Len(uint(4*unroll))-1, w.n, count)
		loop(unroll)
		do("AND $%d, %s, %s", 4*unroll-4, w.n, count)
		do("LSR $2, %s, %[1]s", count)
	} else {
		do("LSR $2, %s, %s", w.n, count)
	}
	loop(1)
	w.last(1, func() { turn(1, 8) })
	w.last(0, func() { turn(1, 4) })
	vectors = held
	generals = append(generals, count)
}

// last emits body for lengths that have that bit.
func (w *walk) last(bit int, body func()) {
	none := unique("none")
	do("TBZ $%d, %s, %s", bit, w.n, none)
	body()
	label(none)
}

func end() { do("RET") }

// fold combines the lanes of all accumulators into the lowest one of the first.
func fold(acc []vector, join, neighbors func(to, a, b vector)) vector {
	for n := len(acc); n > 1; n = (n + 1) / 2 {
		for i := range n / 2 {
			join(acc[i], acc[i], acc[(n+1)/2+i])
		}
	}
	neighbors(acc[0], acc[0], acc[0])
	neighbors(acc[0], acc[0], acc[0])
	return acc[0]
}

func sum(acc []vector) vector { return fold(acc, fadd, faddp) }

// finish ends a function whose one result is the lowest lane of v.
func finish(v vector) {
	give(v, "ret")
	end()
}

// fieldsOf returns the fields of a struct literal that names this set's routines.
func fieldsOf(fields []string) (s string) {
	for _, f := range fields {
		s += fmt.Sprintf("%[1]s: %[2]s%[1]s,\n", f, set)
	}
	return s
}
