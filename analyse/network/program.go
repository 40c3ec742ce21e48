package network

import (
	"context"
	"errors"
	"slices"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/op"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/nn"
)

// A program computes one node of a network from others.
type program struct {
	f     *nn.Func
	x     [][]float32 // what it reads, (images, …) each
	y     *nn.Node
	count int // images
	ran   bool
}

// errReadsMore is the error of newProgram for a node that depends on more of the image than its inputs.
var errReadsMore = errors.New("it reads more than that")

// newProgram compiles what computes the tap called to, or the logits if that is "", from the taps called from, or from
// the image if there are none. The parameters must not change while it runs.
func newProgram(net *model.Network, count int, to string, from ...string) (*program, error) {
	p, image := &program{count: count, x: make([][]float32, max(1, len(from)))}, net.Spec.Image
	var x *nn.Node
	g, err := nn.Build(false, func(g *nn.Graph) {
		read := func(at int, name string, shape ...int) *nn.Node {
			p.x[at] = make([]float32, op.Shape(shape).TotalSize())
			return g.Input(name, p.x[at], shape...)
		}
		if x = g.Shaped("x", count, image[0], image[1], image[2]); len(from) == 0 {
			x = read(0, "x", x.Shape()...)
		}
		g.Want(func(name string) bool { return name == to })
		g.Put(func(name string, n *nn.Node) *nn.Node {
			if at := slices.Index(from, name); at >= 0 {
				return read(at, name, n.Shape()...)
			}
			return n
		})
		p.y = net.Layer.Forward(g, x)
	})
	if err != nil {
		return nil, err
	}
	if to != "" {
		p.y = g.Taps()[0].Node
	}
	if len(from) > 0 && slices.Contains(op.Order([]*nn.Node{p.y}), x) {
		return nil, errReadsMore
	}
	p.f, err = nn.Compile(g, nil, p.y)
	return p, err
}

// run returns the results for some images. The next call overwrites them.
func (p *program) run(x ...[]float32) ([]float32, error) {
	for i, v := range x {
		copy(p.x[i], v)
	}
	run := p.f.Run
	if p.ran {
		run = p.f.RunAgain
	}
	if err := run(0); err != nil {
		return nil, err
	}
	p.ran = true
	y := nn.Value(p.y)
	return y[:len(y)/p.count*(len(x[0])*p.count/len(p.x[0]))], nil
}

func (s *site) inputName() string { return "model." + s.path + nn.LayerInput }

func (s *site) outputName() string { return "model." + s.path + nn.LayerOutput }

// layerAlone computes the output of a layer from its input.
func layerAlone(net *model.Network, s *site, count int) (*program, error) {
	return newProgram(net, count, s.outputName(), s.inputName())
}

// wholeProgram computes logits from images.
func wholeProgram(net *model.Network, count int) (*program, error) { return newProgram(net, count, "") }

// logits calls f with a network's outputs for batches of images, (images, classes), and their labels.
func logits(ctx context.Context, net *model.Network, split data.Split, f func(y []float32, labels []int32)) error {
	p, err := wholeProgram(net, batch)
	if err != nil {
		return err
	}
	defer p.f.Close()
	return eachBatch(ctx, split, batch, func(b *data.Batch) error {
		y, err := p.run(b.X[:len(b.X)/batch*b.N])
		if err != nil {
			return err
		}
		f(y, b.Labels[:b.N])
		return nil
	})
}
