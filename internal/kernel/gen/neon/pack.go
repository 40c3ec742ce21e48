package main

import "fmt"

// transpose4 transposes four rows, four columns at a time.
func transpose4() {
	begin(set+"Transpose4", "func(n int, dst []float32, ldd int, src []float32, lds int)",
		"sets dst[j·ldd + i] = src[i·lds + j] for 4 rows i and 4·n columns j.")
	n, dst, ldd, src, lds := argument("n"), argument("dst"), inBytes("ldd"), argument("src"), inBytes("lds")
	rows := []general{src, reg(), reg(), reg()}
	for i := 1; i < 4; i++ {
		do("ADD %s, %s, %s", lds, rows[i-1], rows[i])
	}
	r, t := frees(4), frees(4)
	label("loop")
	for i, v := range r {
		do("FMOVQ.P 16(%s), %s", rows[i], v.f())
	}
	trn := func(to, a, b vector, which int, width string) {
		do("VTRN%d %s.%s, %s.%[3]s, %[5]s.%[3]s", which, b, width, a, to)
	}
	for i := range 2 { // pairs of lanes, then pairs of pairs
		trn(t[2*i], r[2*i], r[2*i+1], 1, "S4")
		trn(t[2*i+1], r[2*i], r[2*i+1], 2, "S4")
	}
	for i := range 4 {
		trn(r[i], t[i%2], t[2+i%2], 1+i/2, "D2")
	}
	for _, v := range r {
		do("FMOVQ %s, (%s)", v.f(), dst)
		do("ADD %s, %s, %[2]s", ldd, dst)
	}
	do("SUBS $1, %s, %[1]s", n)
	do("BNE loop")
	do("RET")
}

func copies(width int) {
	begin(fmt.Sprintf("%sCopy%d", set, width), "func(n int, dst, src []float32, lds int)",
		fmt.Sprintf("copies n rows of %d elements, lds apart, to dst, where they follow one another.", width))
	n, dst, src, lds := argument("n"), argument("dst"), argument("src"), inBytes("lds")
	v := frees(width / 4)
	label("loop")
	for i, x := range v {
		do("FMOVQ %d(%s), %s", 16*i, src, x.f())
	}
	do("ADD %s, %s, %[2]s", lds, src)
	for _, x := range v {
		do("FMOVQ.P %s, 16(%s)", x.f(), dst)
	}
	do("SUBS $1, %s, %[1]s", n)
	do("BNE loop")
	do("RET")
}

// round rounds to the nearest bfloat16, ties to even; NaN stays NaN.
func round() {
	begin(set+"Round", "func(n int, x []float32)", "rounds 4·n elements to bfloat16, where they are.")
	n, x := argument("n"), argument("x")
	one, half, quiet, kept := repeat(1), repeat(0x7fff), repeat(1<<22), repeat(0xffff0000)
	v, up, number := free(), free(), free()
	label("loop")
	do("FMOVQ (%s), %s", x, v.f())
	fcmeq(number, v, v)
	do("VUSHR $16, %s, %s", v.s4(), up.s4())
	and(up, up, one)
	add(up, up, half)
	add(up, up, v)
	or(v, v, quiet)
	pick(number, up, v)
	and(number, number, kept)
	do("FMOVQ.P %s, 16(%s)", number.f(), x)
	do("SUBS $1, %s, %[1]s", n)
	do("BNE loop")
	do("RET")
}
