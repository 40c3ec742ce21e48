package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	. "github.com/attnconv/attnconv/internal/kernel/gen/machine"
)

func pairs() {
	subPairs()
	pairDots()
}

// subPairs works through panels of columns: the panel of a query's row of z stays in registers while its pairs are
// subtracted, and the panel of x stays in the caches from query to query.
func subPairs() {
	routine("SubPairs",
		"func(z []float32, ldz int, x []float32, ldx, d int, start, key []int32, weight []float32)")
	get := func(c gotypes.Component) GPVirtual {
		r := GP64()
		Load(c, r)
		return r
	}
	z, ldz, x, ldx := get(Param("z").Base()), get(Param("ldz")), get(Param("x").Base()), get(Param("ldx"))
	start, key, weight := get(Param("start").Base()), get(Param("key").Base()), get(Param("weight").Base())
	d := get(Param("d"))
	SHLQ(Imm(2), ldz)
	SHLQ(Imm(2), ldx)
	panel := func(width int, live Op) {
		query, pair, next := Unique("query"), Unique("pair"), Unique("next")
		row, q, n, stop := GP64(), GP64(), GP64(), GP64()
		MOVQ(z, row)
		queries, err := Param("start").Len().Resolve()
		if err != nil {
			panic(err)
		}
		MOVQ(U32(1), q)
		MOVLQSX(Mem{Base: start}, n)
		Label(query)
		MOVLQSX(Mem{Base: start, Index: q, Scale: 4}, stop)
		CMPQ(n, stop)
		JGE(LabelRef(next))
		acc := make([]VecVirtual, width)
		for k := range acc {
			acc[k] = loadLanes(Mem{Base: row, Disp: set.Bytes * k}, live)
		}
		Label(pair)
		from, wv := GP64(), set.Vector()
		MOVLQSX(Mem{Base: key, Index: n, Scale: 4}, from)
		IMULQ(ldx, from)
		VBROADCASTSS(Mem{Base: weight, Index: n, Scale: 4}, wv)
		for k := range acc {
			at := Mem{Base: x, Index: from, Scale: 1, Disp: set.Bytes * k}
			if live == nil {
				VFNMADD231PS(at, wv, acc[k])
			} else {
				VFNMADD231PS(loadLanes(at, live), wv, acc[k])
			}
		}
		INCQ(n)
		CMPQ(n, stop)
		JL(LabelRef(pair))
		for k := range acc {
			storeLanes(acc[k], Mem{Base: row, Disp: set.Bytes * k}, live)
		}
		Label(next)
		ADDQ(ldz, row)
		INCQ(q)
		CMPQ(q, queries.Addr)
		JL(LabelRef(query))
	}
	for _, width := range []int{8, 4, 2, 1} {
		if width == 4 && !wide() { // what is left is too little
			continue
		}
		again, done := Unique("panel"), Unique("done")
		Label(again)
		CMPQ(d, U32(uint32(lanes()*width)))
		JL(LabelRef(done))
		panel(width, nil)
		ADDQ(U32(uint32(set.Bytes*width)), z)
		ADDQ(U32(uint32(set.Bytes*width)), x)
		SUBQ(U32(uint32(lanes()*width)), d)
		JMP(LabelRef(again))
		Label(done)
	}
	TESTQ(d, d)
	JZ(LabelRef("end"))
	panel(1, firstLanes(d))
	Label("end")
	end()
}

// pairDots takes four keys at a time, so that a load of z serves four products. The sum of a pair is the same wherever
// it is among the four.
func pairDots() {
	w := begin("PairDots", "func(out, z, x []float32, ldx int, key []int32)", "z", "out", "x", "key")
	out, x, key := w.base["out"], w.base["x"], w.base["key"]
	n, ldx := GP64(), GP64()
	Load(Param("key").Len(), n)
	Load(Param("ldx"), ldx)
	SHLQ(Imm(2), ldx)
	for _, together := range []int{4, 1} {
		again, done := Unique("pairs"), Unique("done")
		Label(again)
		CMPQ(n, Imm(uint64(together)))
		JL(LabelRef(done))
		rows, each := make([]string, together), 16/lanes() // registers of a turn
		for k := range rows {
			rows[k] = "row" + string(rune('0'+k))
			r := GP64()
			MOVLQSX(Mem{Base: key, Disp: 4 * k}, r)
			IMULQ(ldx, r)
			ADDQ(x, r)
			w.base[rows[k]] = r
		}
		acc := zeros(each * together)
		w.each(2, func(s step) {
			v := s.load("z")
			for k, row := range rows {
				VFMADD231PS(s.load(row), v, acc[each*k+s.u])
			}
		})
		for k := range rows {
			sum := fold(acc[each*k:each*k+each], plus).AsX()
			at := Mem{Base: out, Disp: 4 * k}
			VADDSS(at, sum, sum)
			VMOVSS(sum, at)
		}
		ADDQ(Imm(uint64(4*together)), key)
		ADDQ(Imm(uint64(4*together)), out)
		SUBQ(Imm(uint64(together)), n)
		JMP(LabelRef(again))
		Label(done)
	}
	end()
}
