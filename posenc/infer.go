package posenc

import (
	"math"
	"strings"

	"github.com/attnconv/attnconv/nn"
)

// Infer returns the encoding, and its terms, whose parameter names fit those of a layer best. Among equals it takes the
// first with the most terms. dims holds the number of dimensions of each of the layer's parameters, by name. If the
// encoding is given, the terms given with it are returned, because several sets of terms have the same parameters.
func Infer(dims map[string]int, said string, terms []string) (encoding string, _ []string) {
	encoding, best, least := said, terms, math.MaxInt
	for _, k := range Kinds {
		sets := [][]string{TermNames()}
		switch {
		case k.Terms && said == k.Name:
			sets = [][]string{terms}
		case k.Terms:
			sets = subsets(TermNames())
		}
		for _, set := range sets {
			if d := mismatches(dims, parametersOf(k, set)); d < least {
				encoding, best, least = k.Name, set, d
			}
		}
	}
	return encoding, best
}

// parametersOf returns the number of dimensions of each parameter of an encoding with the given terms, by name.
func parametersOf(k Kind, terms []string) map[string]int {
	scope, all := nn.ShapesOnly(), map[string]int{}
	k.Build(scope, Options{Heads: 1, Dim: 2, HeadDim: 2, MaxSide: 1, Terms: terms})
	for _, p := range scope.Params() {
		all[strings.TrimPrefix(p.Name, "model.")] = len(p.Shape)
	}
	return all
}

// mismatches counts the names whose values in a and b differ, or that only one of them has.
func mismatches(a, b map[string]int) (n int) {
	for name, dims := range a {
		if b[name] != dims {
			n++
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			n++
		}
	}
	return n
}

// subsets returns all nonempty sets of words. A set precedes its subsets.
func subsets(words []string) (all [][]string) {
	for mask := 1<<len(words) - 1; mask > 0; mask-- {
		var set []string
		for i, w := range words {
			if mask>>(len(words)-1-i)&1 == 1 {
				set = append(set, w)
			}
		}
		all = append(all, set)
	}
	return all
}
