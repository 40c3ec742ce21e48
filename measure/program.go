package measure

import (
	"context"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/nn"
)

// A program computes a part of a network for values of a node in it.
type program struct {
	f     *nn.Func
	x     []float32 // (images, …)
	y     *nn.Node
	count int // images
}

// run returns the results for some images. It is overwritten by the next call.
func (p *program) run(x []float32) ([]float32, error) {
	copy(p.x, x)
	if err := p.f.Run(0); err != nil {
		return nil, err
	}
	y := nn.Value(p.y)
	return y[:len(y)/p.count*(len(x)*p.count/len(p.x))], nil
}

// layerAlone computes the output of a layer from its input.
func layerAlone(net *model.Network, s *site, count int) (*program, error) {
	p, image := &program{count: count}, net.Spec.Image
	g, err := nn.Build(false, func(g *nn.Graph) {
		g.Want(func(name string) bool { return name == "model."+s.path+nn.LayerOutput })
		g.Put(func(name string, n *nn.Node) *nn.Node {
			if name == "model."+s.path+nn.LayerInput {
				p.x = make([]float32, n.Shape().TotalSize())
				return g.Input("input of the layer", p.x, n.Shape()...)
			}
			return n
		})
		net.Layer.Forward(g, g.Input("x", make([]float32, count*image[0]*image[1]*image[2]), count, image[0], image[1], image[2]))
	})
	if err != nil {
		return nil, err
	}
	p.y = g.Taps()[0].Node
	p.f, err = nn.Compile(g, nil)
	return p, err
}

// wholeProgram computes logits from images.
func wholeProgram(net *model.Network, count int) (*program, error) {
	image := net.Spec.Image
	p := &program{count: count, x: make([]float32, count*image[0]*image[1]*image[2])}
	g, err := nn.Build(false, func(g *nn.Graph) {
		p.y = net.Layer.Forward(g, g.Input("x", p.x, count, image[0], image[1], image[2]))
	})
	if err != nil {
		return nil, err
	}
	p.f, err = nn.Compile(g, nil, p.y)
	return p, err
}

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
