// Command vec writes the AVX2 kernels that work on rows: go generate in internal/kernel calls it. Each is the AVX2 form
// of the plain Go function of its name with Generic for AVX2, which defines it.
package main

import . "github.com/mmcloughlin/avo/build"

func main() {
	ConstraintExpr("!purego")
	elementwise()
	reductions()
	norm()
	softmax()
	gelu()
	dropout()
	optimisers()
	checks()
	pairs()
	rowDots()
	batchNorm()
	Generate()
}
