// Owngraph trains attention, convolution, attention in a gorgonia graph of its own: gorgonia adds the residuals, takes
// the gradients and moves the parameters; the layers are attnconv's. Every token learns the mean of two others.
package main

import (
	"fmt"
	"log"
	"math/rand/v2"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
)

const (
	batch, rows, cols, dim = 8, 4, 4, 8

	tokens = rows * cols
)

// A network is the user's graph, what is fed, and what comes out.
type network struct {
	expr   *gorgonia.ExprGraph
	x      *gorgonia.Node // (batch, tokens, 1)
	want   *gorgonia.Node // (batch, tokens, 1)
	loss   *gorgonia.Node // the mean square error
	params []*nn.Param
	leaves gorgonia.Nodes // of params
}

// build makes x -> up -> attention -> + -> convolution -> + -> attention -> + -> down, and the error.
func build() (*network, error) {
	n := &network{expr: gorgonia.NewGraph()}
	s, grid := nn.NewScope(1), posenc.Grid{Rows: rows, Cols: cols}
	attend := func(s nn.Scope) nn.Layer {
		return attention.New(s, posenc.NewQuadratic(s, 4), grid, 4, dim, dim, 0)
	}
	up, down := nn.NewLinear(s.In("up"), 1, dim), nn.NewLinear(s.In("down"), dim, 1)
	branches := []nn.Layer{
		attend(s.In("first")),
		nn.Seq{nn.AsGrid{Rows: rows, Cols: cols}, conv.New(s.In("conv"), dim, dim, 3, 1, true), nn.AsTokens{}},
		attend(s.In("second")),
	}
	n.params = s.Params()

	n.x = gorgonia.NewTensor(n.expr, gorgonia.Float32, 3, gorgonia.WithShape(batch, tokens, 1), gorgonia.WithName("x"))
	n.want = gorgonia.NewTensor(n.expr, gorgonia.Float32, 3, gorgonia.WithShape(batch, tokens, 1),
		gorgonia.WithName("want"))
	g := nn.On(n.expr, true)
	h, err := g.Layer(up, n.x)
	for _, branch := range branches {
		if err != nil {
			return nil, err
		}
		var y *gorgonia.Node
		if y, err = g.Layer(branch, h); err == nil {
			h, err = gorgonia.Add(h, y) // the residual
		}
	}
	if err != nil {
		return nil, err
	}
	y, err := g.Layer(down, h)
	if err != nil {
		return nil, err
	}
	n.loss = gorgonia.Must(gorgonia.Mean(gorgonia.Must(gorgonia.Square(gorgonia.Must(gorgonia.Sub(y, n.want))))))
	for _, p := range n.params {
		n.leaves = append(n.leaves, g.Use(p).Emitted())
	}
	_, err = gorgonia.Grad(n.loss, n.leaves...)
	return n, err
}

// feed sets a batch: each token wants the mean of the image's first and last token.
func (n *network) feed(rng *rand.Rand) error {
	x, want := make([]float32, batch*tokens), make([]float32, batch*tokens)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	for i := range want {
		image := x[i/tokens*tokens:][:tokens]
		want[i] = (image[0] + image[tokens-1]) / 2
	}
	for node, data := range map[*gorgonia.Node][]float32{n.x: x, n.want: want} {
		if err := gorgonia.Let(node, tensor.New(tensor.WithShape(batch, tokens, 1),
			tensor.WithBacking(data))); err != nil {
			return err
		}
	}
	return nil
}

// train takes steps, and returns the mean loss of the first ten and of the last ten.
func (n *network) train(steps int) (first, last float32, err error) {
	machine := gorgonia.NewTapeMachine(n.expr, gorgonia.BindDualValues(n.leaves...))
	defer machine.Close()
	solver, rng := gorgonia.NewAdamSolver(gorgonia.WithLearnRate(0.01)), rand.New(rand.NewPCG(1, 2))
	for step := range steps {
		if err := n.feed(rng); err != nil {
			return 0, 0, err
		}
		if err := machine.RunAll(); err != nil {
			return 0, 0, err
		}
		switch loss := n.loss.Value().Data().(float32); {
		case step < 10:
			first += loss / 10
		case step >= steps-10:
			last += loss / 10
		}
		if err := solver.Step(gorgonia.NodesToValueGrads(n.leaves)); err != nil {
			return 0, 0, err
		}
		machine.Reset()
	}
	return first, last, nil
}

func main() {
	n, err := build()
	if err != nil {
		log.Fatal(err)
	}
	first, last, err := n.train(300)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("mean square error: %.3f in the first ten steps, %.3f in the last\n", first, last)
}
