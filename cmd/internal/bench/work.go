package bench

import (
	"github.com/attnconv/attnconv/internal/op"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/nn"
)

// work is what the forward pass of one image needs, not what some program spends on it: the products of the rewritten
// graph by definition, where maps that can be one count as one. What is computed again to save memory does not count,
// and neither does what Winograd's algorithm saves. The backward pass needs twice as much: one product for each factor
// of each product.
type work struct {
	macs    float64 // multiply-adds
	dropped float64 // of them, the expected number for pairs of tokens that dropout takes out again
	largest [3]int  // the largest product (m, k)·(k, n) of the batch
}

// workOf counts for a batch of a network that trains, or does not.
func workOf(net *model.Network, train bool, batch int) (w work, err error) {
	var y *nn.Node
	image := net.Spec.Image
	g, err := nn.Build(train, func(g *nn.Graph) {
		y = net.Forward(g, g.Shaped("images", batch, image[0], image[1], image[2]))
	})
	if err != nil {
		return w, err
	}
	all := g.Rewritten(y, train)
	images := op.OfImages(all)
	var mixes []*nn.Node
	for _, n := range all {
		if n.Op() == nil || !images[n] {
			continue
		}
		cost := n.Op().Cost(n)
		w.macs += float64(cost.Definition) / float64(batch)
		if p, q := cost.Largest, w.largest; p[0]*p[1]*p[2] > q[0]*q[1]*q[2] {
			w.largest = p
		}
		if o, ok := n.Op().(op.MixSeparableOp); ok && o.Drop.Rate > 0 {
			mixes = append(mixes, n)
		}
	}
	w.dropped, err = droppedPairs(g, mixes)
	w.macs += w.dropped
	return w, err
}

// droppedPairs is the expected number of multiply-adds of an image with which separable mixings, whose product stands
// with all pairs, subtract those that dropout takes out.
func droppedPairs(g *nn.Graph, mixes []*nn.Node) (n float64, err error) {
	if len(mixes) == 0 {
		return 0, nil
	}
	var factors []*nn.Node
	for _, m := range mixes {
		factors = append(factors, m.In()[1:3]...)
	}
	f, err := nn.Compile(g, nil, factors...)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if err := f.Run(0); err != nil {
		return 0, err
	}
	for _, m := range mixes {
		x, rows, cols := m.In()[0], m.In()[1], m.In()[2]
		pairs := countingPairs(nn.Value(rows), nn.Value(cols), rows.Shape()[1], cols.Shape()[1])
		n += float64(m.Op().(op.MixSeparableOp).Drop.Rate) * float64(pairs*x.Shape()[2])
	}
	return n, nil
}

const negligible = 1.0 / (1 << 32) // pairs of less weight are not subtracted

// countingPairs counts the pairs of all heads whose weight R[h,i,k]·C[h,j,l] can change a float32 sum.
func countingPairs(r, c []float32, rows, cols int) (n int) {
	rr, cc := rows*rows, cols*cols
	for h := range len(r) / rr {
		for _, wr := range r[h*rr : (h+1)*rr] {
			for _, wc := range c[h*cc : (h+1)*cc] {
				if float64(wr)*float64(wc) >= negligible {
					n++
				}
			}
		}
	}
	return n
}
