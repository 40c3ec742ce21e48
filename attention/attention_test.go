package attention_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
	"github.com/attnconv/attnconv/posenc"
)

// A layer whose encoding has another number of heads is refused, also where its values could be divided among these.
func TestHeadsOfTheEncoding(t *testing.T) {
	for _, kind := range posenc.Kinds {
		s, grid := nn.NewScope(0), posenc.Grid{Rows: 2, Cols: 3}
		o := posenc.Options{Heads: 2, Dim: 4, HeadDim: 3, MaxSide: 4, Terms: posenc.TermNames()}
		for name, layer := range map[string]*attention.SelfAttention{
			"combined": attention.New(s.In("a"), kind.New(s.In("a"), o), grid, 3, 4, 4, 0),
			"split":    attention.NewSplit(s.In("b"), kind.New(s.In("b"), o), grid, 4, 4, 3, 0),
		} {
			x := make([]float32, 24)
			_, err := nn.Build(false, func(g *nn.Graph) { layer.Forward(g, g.Input("x", x, 1, 6, 4)) })
			wrong := (*op.Error)(nil)
			if !errors.As(err, &wrong) || !strings.Contains(err.Error(), "heads, its encoding 2") {
				t.Errorf("%s, %s: %v", kind.Name, name, err)
			}
		}
	}
}
