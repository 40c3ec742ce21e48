package attention

import (
	"strings"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
)

// ParseTap splits the name of a tap on attention into the name of its layer and its kind, which is one of posenc.Taps.
// ok is false for other taps.
func ParseTap(name string) (layer, kind string, ok bool) {
	for _, kind := range posenc.Taps() {
		if layer, ok := strings.CutSuffix(name, " "+kind); ok {
			return layer, kind, true
		}
	}
	return "", "", false
}

// tap names n after the layer and the kind.
func (l *SelfAttention) tap(g *nn.Graph, kind string, n *nn.Node) *nn.Node {
	return g.Tap(strings.TrimSuffix(l.Value.W.Name, ".value.weight")+" "+kind, n)
}
