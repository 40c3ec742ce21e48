package main

// Instructions on four lanes of float32 that Go's assembler lacks: to = a op b. The encodings are those of the Arm
// Architecture Reference Manual, C7.2, in the form 4S, with all registers V0.
func three(code uint32, name string) func(to, a, b vector) {
	return func(to, a, b vector) {
		word(code|uint32(b)<<16|uint32(a)<<5|uint32(to), "%s v%d.4s, v%d.4s, v%d.4s", name, to, a, b)
	}
}

func two(code uint32, name string) func(to, a vector) {
	return func(to, a vector) { word(code|uint32(a)<<5|uint32(to), "%s v%d.4s, v%d.4s", name, to, a) }
}

var (
	fadd    = three(0x4E20D400, "fadd")
	fsub    = three(0x4EA0D400, "fsub")
	fmul    = three(0x6E20DC00, "fmul")
	fdiv    = three(0x6E20FC00, "fdiv")
	fmax    = three(0x4E20F400, "fmax")   // of a NaN and a number: NaN
	fmaxnm  = three(0x4E20C400, "fmaxnm") // the number
	faddp   = three(0x6E20D400, "faddp")  // sums of neighbors, of a and then of b
	fmaxnmp = three(0x6E20C400, "fmaxnmp")
	fcmeq   = three(0x4E20E400, "fcmeq") // all ones where true
	fcmgt   = three(0x6EA0E400, "fcmgt")
	cmhs    = three(0x6EA03C00, "cmhs") // a ≥ b, unsigned
	umaxp   = three(0x6EA0A400, "umaxp")

	fabs    = two(0x4EA0F800, "fabs")
	fneg    = two(0x6EA0F800, "fneg")
	fsqrt   = two(0x6EA1F800, "fsqrt")
	frintn  = two(0x4E218800, "frintn")
	fcvtns  = two(0x4E21A800, "fcvtns")
	fcmgt0  = two(0x4EA0C800, "fcmgt #0.0,")
	fcmlt0  = two(0x4EA0E800, "fcmlt #0.0,")
	fcvtl   = two(0x0E617800, "fcvtl 2d,") // of the lower two lanes
	fcvtl2  = two(0x4E617800, "fcvtl2 2d,")
	fadd2d  = three(0x4E60D400, "fadd 2d,")
	umull   = three(0x2EA0C000, "umull 2d,")  // of the lower two lanes
	umull2  = three(0x6EA0C000, "umull2 2d,") // of the upper two
	faddpd  = two(0x7E70D800, "faddp d,")     // the sum of both
	fmaByEl = byElement(0x4F801000, "fmla")
	fmulBy  = byElement(0x4F809000, "fmul")
)

// byElement is to += a·b, or to = a·b, with one lane of b.
func byElement(code uint32, name string) func(to, a vector, b lane) {
	return func(to, a vector, b lane) {
		l, h := uint32(b.index&1), uint32(b.index>>1)
		word(code|l<<21|uint32(b.vector)<<16|h<<11|uint32(a)<<5|uint32(to), "%s v%d.4s, v%d.4s, v%d.s[%d]", name, to, a,
			b.vector, b.index)
	}
}

// fma is to += a·b, fms to -= a·b.
func fma(to, a, b vector) { do("VFMLA %s, %s, %s", b.s4(), a.s4(), to.s4()) }
func fms(to, a, b vector) { do("VFMLS %s, %s, %s", b.s4(), a.s4(), to.s4()) }

func and(to, a, b vector) { do("VAND %s, %s, %s", a.b16(), b.b16(), to.b16()) }
func or(to, a, b vector)  { do("VORR %s, %s, %s", a.b16(), b.b16(), to.b16()) }
func xor(to, a, b vector) { do("VEOR %s, %s, %s", a.b16(), b.b16(), to.b16()) }
func add(to, a, b vector) { do("VADD %s, %s, %s", a.s4(), b.s4(), to.s4()) }
func copyTo(to, a vector) { or(to, a, a) }

// pick is mask ? a : b, lane by lane, and leaves it in mask.
func pick(mask, a, b vector) { do("VBSL %s, %s, %s", b.b16(), a.b16(), mask.b16()) }

// everywhere copies one lane to all.
func everywhere(to vector, l lane) { do("VDUP %s.S[%d], %s", l.vector, l.index, to.s4()) }

// repeat loads a number of 32 bits into four lanes.
func repeat(bits uint32) vector {
	v, r := free(), reg()
	do("MOVW $0x%08x, %s", bits, r)
	do("VDUP %s, %s", r, v.s4())
	generals = append(generals, r)
	return v
}

// cmeq compares integers.
func cmeq(to, a, b vector) { do("VCMEQ %s, %s, %s", a.s4(), b.s4(), to.s4()) }
