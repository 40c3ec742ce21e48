package session

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// layer matches the name of a parameter in a stack of attention blocks: number of the block, path within it.
var layer = regexp.MustCompile(`^encoder\.layer\.(\d+)\.(.*)$`)

// parts describes prefixes of such paths.
var parts = []struct{ path, words string }{
	{"attention.self.value", "attention values"}, {"attention.self.query", "attention queries"},
	{"attention.self.key", "attention keys"}, {"attention.self", "attention scores"},
	{"attention.output", "attention output"},
	{"intermediate", "feed-forward"}, {"output", "feed-forward"}, {"attention", "attention"},
}

// placeOf describes an operation and its parameters: "mix-separable{rate=0} of encoder.layer.0.attention.self.value and
// …" becomes "layer 1, attention values (mix-separable)". Unknown names stay.
func placeOf(where string) string {
	op, owners, ok := strings.Cut(where, " of ")
	first, _, _ := strings.Cut(owners, " and ")
	m := layer.FindStringSubmatch(first)
	first, _, _ = strings.Cut(first, ", input")
	if strings.Contains(first, " ") { // already a description
		return where
	}
	if of, back := strings.CutPrefix(op, "d "); back {
		op = "gradient of " + of
	}
	if op, _, _ = strings.Cut(op, "{"); !ok {
		return op
	}
	if m == nil {
		return first + " (" + op + ")"
	}
	number, err := strconv.Atoi(m[1])
	what := m[2]
	if i := slices.IndexFunc(parts, func(p struct{ path, words string }) bool {
		return strings.HasPrefix(m[2],
			p.path)
	}); i >= 0 {
		what = parts[i].words
	}
	if err != nil {
		return first
	}
	return fmt.Sprintf("layer %d, %s (%s)", number+1, what, op)
}
