package attention_test

import (
	"log"
	"math"
	"testing"

	"gorgonia.org/gorgonia"

	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
	"github.com/attnconv/attnconv/posenc"
)

// docs/extending.md shows this graph, which runs and has every gradient.
func TestTheDocumentedMix(t *testing.T) {
	s := nn.NewScope(1)
	up, out := nn.NewLinear(s.In("up"), 12, 16), nn.NewLinear(s.In("out"), 16, 10)
	encoding := posenc.Kinds.Find("quadratic").New(s.In("attend"), posenc.Options{Heads: 4, Dim: 16, MaxSide: 8})
	attend := attention.New(s.In("attend"), encoding, posenc.Grid{Rows: 8, Cols: 8}, 4, 16, 16, 0)
	images := make([]float32, 100*64*12)
	for i := range images {
		images[i] = float32(math.Sin(float64(i)))
	}
	var loss *nn.Node
	classify := func(g *nn.Graph, y *nn.Node) *nn.Node {
		return op.CrossEntropy(out.Forward(g, op.MeanTokens(y)), &op.Target{Labels: make([]int32, 100)})
	}

	g, err := nn.Build(true, func(g *nn.Graph) {
		h := g.Unary(gorgonia.Tanh, up.Forward(g, g.Input("x", images, 100, 64, 12)))
		y := g.Binary(gorgonia.Add, h, attend.Forward(g, h)) // a residual
		loss = classify(g, y)
	})
	if err != nil {
		log.Fatal(err)
	}
	f, err := nn.Compile(g, loss)
	if err != nil {
		log.Fatal(err)
	}
	params, grads := f.Gradients() // of every parameter that the loss depends on

	if len(params) != len(s.Params()) {
		t.Fatalf("%d of %d parameters", len(params), len(s.Params()))
	}
	defer f.Close()
	if err := f.Run(0); err != nil {
		t.Fatal(err)
	}
	if l := nn.Value(loss)[0]; !(l > 1 && l < 4) {
		t.Errorf("loss %v, want about ln 10", l)
	}
	for i, p := range params {
		moves := false
		for _, v := range nn.Value(grads[i]) {
			moves = moves || v != 0
		}
		if !moves {
			t.Errorf("%s has no gradient", p.Name)
		}
	}
}
