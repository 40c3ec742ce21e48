// Command vec writes the routines of package vec for AVX2, and the table that names them: go generate there calls it.
// The plain Go function of each name defines it.
package main

import (
	. "github.com/mmcloughlin/avo/build"

	. "github.com/attnconv/attnconv/internal/kernel/gen/machine"
)

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
	batchNorm()
	windows()
	Write("// sets holds the routines by kernel set. A set inherits what it lacks; rows are bound by memory, so 16 lanes gain\n"+
		"// nothing, and avx512 lacks all of them.",
		"var sets = map[string]routines{", `"generic": plain,`, `"avx2": {`, Fields(set, fields), "},", "}")
}
