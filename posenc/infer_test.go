package posenc

import (
	"slices"
	"testing"
)

// Each encoding is known by its own parameters, whatever was said; and the terms that were said hold where they make
// the same.
func TestInfer(t *testing.T) {
	for _, k := range Kinds {
		for _, said := range Kinds {
			got, terms := Infer(parametersOf(k, TermNames()), said.Name, TermNames())
			if got != k.Name || !slices.Equal(terms, TermNames()) {
				t.Errorf("the parameters of %s are taken for those of %s with %v, where %s was said", k.Name, got,
					terms, said.Name)
			}
		}
	}
	relative := *Kinds.Find("relative")
	for _, set := range subsets(TermNames()) {
		dims := parametersOf(relative, set)
		if got, terms := Infer(dims, "relative", set); got != "relative" || !slices.Equal(terms, set) {
			t.Errorf("relative with %v was said; got %s with %v", set, got, terms)
		}
	}
}
