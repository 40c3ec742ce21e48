package theorem

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/nn"
)

// A Site is a convolution inside a network, with the pictures that it reads there.
type Site struct {
	Name     string // of the layer: layer1.0.conv1
	Conv     *Conv[float32]
	Size     []int       // rows, columns
	Pictures [][]float32 // (rows, cols, in) each
}

// Sites runs a trained network on n pictures x (n, rows, cols, channels), and returns its convolutions, from the first to
// the last, without the norms behind them.
func Sites(net *conv.ResNet, x []float32, n, rows, cols, channels int) ([]Site, error) {
	var convs []*conv.Conv
	var reads []*nn.Node
	g, err := nn.Build(false, func(g *nn.Graph) {
		forward := func(u *conv.Unit, x, add *nn.Node, relu bool) *nn.Node {
			convs, reads = append(convs, u.Conv), append(reads, x)
			return u.Forward(g, x, add, relu)
		}
		x := forward(net.Stem, g.Input("x", x, n, rows, cols, channels), nil, true)
		for _, b := range net.Blocks {
			y := forward(b.First, x, nil, true)
			if b.Shortcut != nil {
				x = forward(b.Shortcut, x, nil, false)
			}
			x = forward(b.Second, y, x, true)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("theorem: %w", err)
	}
	f := nn.Compile(g, reads...)
	defer f.Close()
	if err := f.Run(0); err != nil {
		return nil, fmt.Errorf("theorem: %w", err)
	}
	sites := make([]Site, len(convs))
	for i, c := range convs {
		shape, all := reads[i].Shape(), nn.Value(reads[i])
		s := Site{Name: layerName(c.W.Name), Conv: weights(c), Size: []int{shape[1], shape[2]}}
		for each := len(all) / n; len(all) > 0; all = all[each:] {
			s.Pictures = append(s.Pictures, append([]float32(nil), all[:each]...))
		}
		sites[i] = s
	}
	return sites, nil
}

// weights is the network's convolution as its weights and geometry.
func weights(c *conv.Conv) *Conv[float32] {
	k := c.W.Shape[2]
	p := (k - 1) / 2
	same := func(n int) []int { return []int{n, n} }
	t := &Conv[float32]{In: c.W.Shape[1], Out: c.W.Shape[0], Weight: c.W.Data,
		Geometry: Geometry{Kernel: same(k), Stride: same(c.Stride), Before: same(p), After: same(k - 1 - p)}}
	if c.B != nil {
		t.Bias = c.B.Data
	}
	return t
}

// layerName is a parameter's name without what is the same for all: model.layer1.0.conv1.weight.
func layerName(parameter string) string {
	return strings.TrimSuffix(strings.TrimPrefix(parameter, "model."), ".weight")
}

// CompareSites turns every convolution into attention and compares the two on its pictures.
func CompareSites(ctx context.Context, sites []Site, alpha float64) ([]Deviation, error) {
	found, failed := make([]Deviation, len(sites)), make([]error, len(sites))
	if err := each(ctx, len(sites), func(i int) { found[i], failed[i] = sites[i].compare(alpha) }); err != nil {
		return nil, err
	}
	return found, first(failed)
}

func (s *Site) compare(alpha float64) (d Deviation, err error) {
	l, err := FromConv(s.Conv, FromOptions{Alpha: alpha})
	if err != nil {
		return d, err
	}
	d.Leak, d.Bits = l.Leak(s.Size), true
	ys, same := l.Forward(s.Size, s.Pictures...), s.Conv.Forward(s.Size, s.Pictures...)
	for n, x := range s.Pictures {
		abs, top := distance(ys[n], s.Conv.exact(s.Size, x))
		d.Max, d.Rel = max(d.Max, abs), max(d.Rel, abs/max(top, math.SmallestNonzeroFloat64))
		d.Bits = d.Bits && slices.Equal(ys[n], same[n])
	}
	return d, nil
}
