// Command vec writes the routines of package vec for AVX2 and AVX-512, and the table that names them: go generate there
// calls it. The plain Go function of each name defines it.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"

	. "github.com/attnconv/attnconv/internal/kernel/gen/machine"
)

func main() {
	ConstraintExpr("!purego")
	for _, set = range Sets {
		elementwise()
		norm()
		softmax()
		gelu()
		dropout()
		pairs()
		outer()
	}
	set = Sets[0]
	reductions()
	optimizers()
	checks()
	batchNorm()
	windows()
	body := []string{"// sets holds the routines by kernel set. A set inherits what it lacks: avx512 has those that " +
		"pay on rows in cache.",
		"var sets = map[string]routines{", `"generic": plain,`}
	for _, s := range Sets {
		body = append(body, fmt.Sprintf("%q: {", s.Name), Fields(s.Name, fields[s.Name]), "},")
	}
	Write(append(body, "}")...)
}
