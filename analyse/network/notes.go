package network

import (
	"fmt"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/internal/table"
)

// notes say what was not measured, and why.
type notes struct {
	list    []string
	reasons []reason
}

// A reason is why something was not measured of some layers.
type reason struct {
	why    string
	layers []int
}

// missing is the error of a layer that cannot have a measure: the others go on, and a note says so.
type missing string

func (m missing) Error() string { return string(m) }

func (n *notes) note(format string, args ...any) {
	n.list = append(n.list, fmt.Sprintf(format, args...))
}

// lacks says what was not measured of layer i, and why. Layers with the same reason share a note.
func (n *notes) lacks(i int, format string, args ...any) {
	why := fmt.Sprintf(format, args...)
	at := slices.IndexFunc(n.reasons, func(r reason) bool { return r.why == why })
	if at < 0 {
		at, n.reasons = len(n.reasons), append(n.reasons, reason{why: why})
	}
	n.reasons[at].layers = append(n.reasons[at].layers, i+1)
}

// all returns the notes on the whole network, and then those on layers.
func (n *notes) all() []string {
	all := append([]string{}, n.list...)
	for _, r := range n.reasons {
		all = append(all, layersWords(r.layers)+": "+r.why)
	}
	return all
}

// layersWords is "layer 3" or "layers 1–2, 5".
func layersWords(layers []int) string {
	if len(layers) > 1 {
		return "layers " + ranges(layers)
	}
	return "layer " + ranges(layers)
}

// ranges lists rising numbers: 1–4, 6.
func ranges(numbers []int) string {
	var words []string
	for _, at := range table.Ranges(numbers) {
		word := fmt.Sprint(at[0])
		if at[1] > at[0] {
			word += fmt.Sprintf("–%d", at[1])
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}
