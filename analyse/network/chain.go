package network

import (
	"context"
	"slices"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/study/stats"
)

// A chain computes a network layer by layer, so that what comes before a replaced layer is computed once:
//
//	image → x_1,  x_i → y_i,  (x_i, y_i) → x_{i+1},  (x_n, y_n) → logits
//
// x_i (images, tokens, in) and y_i (images, tokens, out) are the input and the output of layer i.
type chain struct {
	start         *program
	layers, after []*program
}

// newChain returns errReadsMore for a network whose layers have other connections.
func newChain(net *model.Network, sites []*site) (c *chain, err error) {
	c = &chain{}
	defer func() {
		if err != nil {
			c.close()
			c = nil
		}
	}()
	if c.start, err = newProgram(net, batch, []string{sites[0].inputName()}); err != nil {
		return c, err
	}
	for i, s := range sites {
		layer, err := layerAlone(net, s)
		if err != nil {
			return c, err
		}
		c.layers = append(c.layers, layer)
		next := logits
		if i+1 < len(sites) {
			next = sites[i+1].inputName()
		}
		after, err := newProgram(net, batch, []string{next}, s.inputName(), s.outputName())
		if err != nil {
			return c, err
		}
		c.after = append(c.after, after)
	}
	return c, nil
}

func (c *chain) close() {
	for _, p := range append(slices.Concat(c.layers, c.after), c.start) {
		if p != nil {
			p.f.Close()
		}
	}
}

// output returns y_i, by p or, if that is nil, by the layer itself.
func (c *chain) output(i int, x []float32, images int, p analyse.Predictor) ([]float32, error) {
	if p != nil {
		return p(x, images), nil
	}
	return c.layers[i].run(x)
}

// inputs returns x_1 of a split.
func (c *chain) inputs(ctx context.Context, split data.Split) (x []float32, err error) {
	err = c.start.each(ctx, split, func(b *data.Batch) error {
		x = append(x, c.start.value(0, b.N)...)
		return nil
	})
	return x, err
}

// each calls f with batches of x_i and y_i, of n images.
func (c *chain) each(ctx context.Context, i int, x []float32, p analyse.Predictor,
	f func(x, y []float32, n int) error) error {
	size := len(c.layers[i].x[0]) / batch
	for batched := range slices.Chunk(x, size*batch) {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := len(batched) / size
		y, err := c.output(i, batched, n, p)
		if err != nil {
			return err
		}
		if err := f(batched, y, n); err != nil {
			return err
		}
	}
	return nil
}

// next returns x_{i+1} if p computes layer i.
func (c *chain) next(ctx context.Context, i int, x []float32, p analyse.Predictor) (next []float32, err error) {
	err = c.each(ctx, i, x, p, func(x, y []float32, _ int) error {
		z, err := c.after[i].run(x, y)
		next = append(next, z...)
		return err
	})
	return next, err
}

// A variant is a network with other functions for some of its layers; nil stands for the layer itself.
type variant []analyse.Predictor

// first returns the first layer that is replaced, or the number of layers.
func (v variant) first() int {
	if at := slices.IndexFunc(v, func(p analyse.Predictor) bool { return p != nil }); at >= 0 {
		return at
	}
	return len(v)
}

// right returns which images each variant classifies correctly. It calls done after each layer of a batch.
func (c *chain) right(ctx context.Context, split data.Split, variants []variant, done func()) ([]stats.Bits, error) {
	hits := make([][]bool, len(variants))
	inputs := make([][]float32, len(c.layers)+1) // x_i of the network itself, and its logits
	err := c.start.each(ctx, split, func(b *data.Batch) (err error) {
		x := c.start.value(0, b.N)
		for i := range c.layers {
			inputs[i] = append(inputs[i][:0], x...)
			if x, err = c.through(i, inputs[i], b.N, nil); err != nil {
				return err
			}
			done()
		}
		inputs[len(c.layers)] = append(inputs[len(c.layers)][:0], x...)
		for v, replaced := range variants {
			first := replaced.first()
			x := inputs[first]
			for i := first; i < len(c.layers); i++ {
				if x, err = c.through(i, x, b.N, replaced[i]); err != nil {
					return err
				}
				done()
			}
			classes := len(x) / b.N
			for i, label := range b.Labels[:b.N] {
				hits[v] = append(hits[v], rankedFirst(x[i*classes:(i+1)*classes], int(label)))
			}
		}
		return ctx.Err()
	})
	all := make([]stats.Bits, len(variants))
	for v, hit := range hits {
		all[v] = stats.NewBits(len(hit), func(i int) bool { return hit[i] })
	}
	return all, err
}

// through returns x_{i+1}, or the logits behind the last layer. The next call for the layer overwrites it.
func (c *chain) through(i int, x []float32, images int, p analyse.Predictor) ([]float32, error) {
	y, err := c.output(i, x, images, p)
	if err != nil {
		return nil, err
	}
	return c.after[i].run(x, y)
}

// work is how often right calls done.
func (c *chain) work(split data.Split, variants []variant) int {
	layers := len(c.layers)
	for _, v := range variants {
		layers += len(c.layers) - v.first()
	}
	return layers * ((split.Len() + batch - 1) / batch)
}

// rankedFirst reports whether the class of label has the largest logit, the first of equal ones.
func rankedFirst(y []float32, label int) bool {
	for class, v := range y {
		if v > y[label] || v == y[label] && class < label || v-v != 0 {
			return false
		}
	}
	return true
}
