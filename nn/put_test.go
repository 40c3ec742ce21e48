package nn

import (
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/nn/op"
)

// named taps what it reads, doubles it, and taps that.
type named struct{}

func (named) Forward(g *Graph, x *Node) *Node { return g.Tap("out", op.Scale(g.Tap("in", x), 2)) }

// What is put in place of a tapped node is what goes on and what is tapped; another shape, and nothing, are errors.
func TestPut(t *testing.T) {
	x := []float32{1, 2}
	run := func(f func(name string, n *Node) *Node) ([]float32, error) {
		var y *Node
		g, err := Build(false, func(g *Graph) {
			g.Put(f)
			y = op.Scale(named{}.Forward(g, g.Input("x", x, 1, 2)), 10)
		})
		if err != nil {
			return nil, err
		}
		c, err := Compile(g, nil, y)
		if err != nil {
			return nil, err
		}
		defer c.Close()
		err = c.Run(0)
		return slices.Clone(Value(y)), err
	}
	for name, want := range map[string]float32{"": 20, "in": 60, "out": 60} {
		y, err := run(func(at string, n *Node) *Node {
			if at == name {
				return op.Scale(n, 3)
			}
			return n
		})
		if err != nil || !slices.Equal(y, []float32{want, 2 * want}) {
			t.Errorf("in place of %q: %v, %v", name, y, err)
		}
	}
	for _, other := range []func(name string, n *Node) *Node{
		func(string, *Node) *Node { return nil },
		func(_ string, n *Node) *Node { return op.Reshape(n, 2, 1) },
	} {
		if _, err := run(other); err == nil || !strings.Contains(err.Error(), "nil or has another shape than") {
			t.Error(err)
		}
	}
}
