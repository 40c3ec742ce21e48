package attention

import (
	"strings"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
)

// Tapped splits the name of a tap on attention into its layer and what was tapped, one of posenc.Taps; ok is false for other
// taps.
func Tapped(name string) (layer, kind string, ok bool) {
	for _, kind := range posenc.Taps() {
		if layer, ok := strings.CutSuffix(name, " "+kind); ok {
			return layer, kind, true
		}
	}
	return "", "", false
}

// tap calls n after the layer and its kind.
func (l *SelfAttention) tap(g *nn.Graph, kind string, n *nn.Node) *nn.Node {
	return g.Tap(strings.TrimSuffix(l.Value.W.Name, ".value.weight")+" "+kind, n)
}
