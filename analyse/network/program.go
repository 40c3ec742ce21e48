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

// batch is how many images a graph takes at once. Results do not depend on it.
const batch = 50

// A program computes nodes of a network from others.
type program struct {
	f     *nn.Func
	x     [][]float32 // what it reads, (images, …) each
	y     []*nn.Node  // what it computes; nil: the network has no such node
	count int         // images
	ran   bool
}

// errReadsMore is the error of newProgram for a node that depends on more of the image than its inputs.
var errReadsMore = errors.New("a layer reads more than the layer before it returns")

// logits stands for the logits in newProgram.
const logits = ""

// newProgram compiles what computes the taps called to from the taps called from, or from the image if there are none.
// The parameters must not change while it runs.
func newProgram(net *model.Network, count int, to []string, from ...string) (*program, error) {
	p, image := &program{count: count, x: make([][]float32, max(1, len(from))), y: make([]*nn.Node, len(to))},
		net.Spec.Image
	var x, out *nn.Node
	g, err := nn.Build(false, func(g *nn.Graph) {
		read := func(at int, name string, shape ...int) *nn.Node {
			p.x[at] = make([]float32, op.Shape(shape).TotalSize())
			return g.Input(name, p.x[at], shape...)
		}
		if x = g.Shaped("x", count, image[0], image[1], image[2]); len(from) == 0 {
			x = read(0, "x", x.Shape()...)
		}
		g.Want(func(name string) bool { return slices.Contains(to, name) })
		g.Put(func(name string, n *nn.Node) *nn.Node {
			if at := slices.Index(from, name); at >= 0 {
				return read(at, name, n.Shape()...)
			}
			return n
		})
		out = net.Layer.Forward(g, x)
	})
	if err != nil {
		return nil, err
	}
	for _, t := range g.Taps() {
		p.y[slices.Index(to, t.Name)] = t.Node
	}
	if at := slices.Index(to, logits); at >= 0 {
		p.y[at] = out
	}
	known := slices.DeleteFunc(slices.Clone(p.y), func(n *nn.Node) bool { return n == nil })
	if len(from) > 0 && slices.Contains(op.Order(known), x) {
		return nil, errReadsMore
	}
	p.f, err = nn.Compile(g, nil, known...)
	return p, err
}

// run computes the results for some images, and returns the first. The next call overwrites them.
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
	return p.value(0, len(x[0])*p.count/len(p.x[0])), nil
}

// value returns a result of the last run for n images; nil if the network has no such node.
func (p *program) value(i, n int) []float32 {
	if p.y[i] == nil {
		return nil
	}
	v := nn.Value(p.y[i])
	return v[:len(v)/p.count*n]
}

// each calls f for batches of images, of n each, when their results are there.
func (p *program) each(ctx context.Context, split data.Split, f func(b *data.Batch) error) error {
	return eachBatch(ctx, split, p.count, func(b *data.Batch) error {
		if _, err := p.run(b.X); err != nil {
			return err
		}
		return f(b)
	})
}

// layerAlone computes the output of a layer from its input.
func layerAlone(net *model.Network, s *site) (*program, error) {
	return newProgram(net, batch, []string{s.outputName()}, s.inputName())
}

// eachBatch calls f with the images of a split in order. Batches behind the last image are padded.
func eachBatch(ctx context.Context, split data.Split, size int, f func(*data.Batch) error) error {
	loader, err := data.NewLoader(split, data.LoaderOptions{Batch: size, Pad: true})
	if err != nil {
		return err
	}
	for b := range loader.Epoch(ctx, 0, 0) {
		if err := f(b); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func upTo(from, to int) (all []int) {
	for i := from; i < to; i++ {
		all = append(all, i)
	}
	return all
}
