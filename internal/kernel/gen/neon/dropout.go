package main

// dropout draws Philox4x32-10 for eight counters at once, four in a register.
func dropout() {
	routine("DropoutRow", "func(mask []float32, key0, key1, step0, step1, row, below uint32, scale float32)")
	mask, n := argument("mask"), length("mask")
	counter, at := free(), reg()
	do("MOVD $%s, %s", global([]uint32{0, 1, 2, 3}), at)
	do("FMOVQ (%s), %s", at, counter.f())
	four, below, scale := repeat(4), spread("below"), spread("scale")
	p := philox{spread("key0"), spread("key1"), repeat(0xD2511F53), repeat(0xCD9E8D57), repeat(0x9E3779B9),
		repeat(0xBB67AE85),
		[2]vector{free(), free()}, [4]vector(frees(4))}
	start := []vector{spread("row"), spread("step0"), spread("step1")}
	x := [2][]vector{frees(4), frees(4)}
	do("CBZ %s, end", n)
	label("block")
	for i := range x {
		copyTo(x[i][0], counter)
		add(counter, counter, four)
		for k, v := range start {
			copyTo(x[i][k+1], v)
		}
	}
	p.draw(x)
	var words []vector
	for k := range 4 {
		for i := range x {
			v := x[i][k]
			cmhs(v, v, below)
			and(v, v, scale)
			words = append(words, v)
		}
	}
	do("CMP $32, %s", n)
	do("BLT tail")
	for _, v := range words {
		do("FMOVQ.P %s, 16(%s)", v.f(), mask)
	}
	do("SUBS $32, %s, %[1]s", n)
	do("BNE block")
	do("RET")
	label("tail")
	storePart(words, mask, n)
	label("end")
	do("RET")
}

// storePart stores the first n lanes of words at mask, n less than they have, and goes to end.
func storePart(words []vector, mask, n general) {
	for _, v := range words {
		part := unique("part")
		do("CMP $4, %s", n)
		do("BLT %s", part)
		do("FMOVQ.P %s, 16(%s)", v.f(), mask)
		do("SUBS $4, %s, %[1]s", n)
		do("BEQ end")
		next := unique("next")
		do("B %s", next)
		label(part)
		one := unique("one")
		do("TBZ $1, %s, %s", n, one)
		do("FMOVD.P %s, 8(%s)", v.f(), mask)
		do("VDUP %s.D[1], %[1]s.D2", v)
		label(one)
		do("TBZ $0, %s, end", n)
		do("FMOVS %s, (%s)", v.f(), mask)
		do("RET")
		label(next)
	}
}

// philox is the registers of keys, multipliers, key increments, and what a round works in.
type philox struct {
	key0, key1, m0, m1, w0, w1 vector
	key                        [2]vector
	t                          [4]vector
}

// draw makes the counters x their four words after ten rounds.
func (p *philox) draw(x [2][]vector) {
	copyTo(p.key[0], p.key0)
	copyTo(p.key[1], p.key1)
	for round := range 10 {
		for _, c := range x {
			umull(p.t[0], c[0], p.m0)
			umull2(p.t[1], c[0], p.m0)
			umull(p.t[2], c[2], p.m1)
			umull2(p.t[3], c[2], p.m1)
			xor(c[1], c[1], p.key[0])
			xor(c[3], c[3], p.key[1])
			do("VUZP2 %s, %s, %s", p.t[3].s4(), p.t[2].s4(), c[0].s4()) // upper halves of four products
			xor(c[0], c[0], c[1])
			do("VUZP1 %s, %s, %s", p.t[3].s4(), p.t[2].s4(), c[1].s4()) // lower halves
			do("VUZP2 %s, %s, %s", p.t[1].s4(), p.t[0].s4(), c[2].s4())
			xor(c[2], c[2], c[3])
			do("VUZP1 %s, %s, %s", p.t[1].s4(), p.t[0].s4(), c[3].s4())
		}
		if round < 9 {
			add(p.key[0], p.key[0], p.w0)
			add(p.key[1], p.key[1], p.w1)
		}
	}
}
