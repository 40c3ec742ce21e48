package claims

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/internal/op"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/theorem"
)

// A Site is a convolution of a network with the norm after it, folded into one convolution, and the network's own
// inputs and results for each image: Results = ReLU(Conv(Images) + Added).
type Site struct {
	Name    string                 // of the layer: layer1.0.conv1
	Conv    *theorem.Conv[float32] // with the norm's scale in its weights, and its shift as bias
	Size    []int                  // rows, columns
	Images  [][]float32            // inputs, (rows, cols, in) each
	Added   [][]float32            // the shortcut's values; nil: none
	ReLU    bool                   // false: no ReLU
	Results [][]float32            // the network's outputs
}

// Sites runs a trained network on n images x (n, rows, cols, channels), and returns its convolutions in the order of
// computation. All values of a site except its weights are taps of that one run.
func Sites(net *conv.ResNet, x []float32, n, rows, cols, channels int) ([]Site, error) {
	if net == nil || net.Stem == nil {
		return nil, errors.New("the network is nil or empty: want one of conv.NewResNet")
	}
	if slices.ContainsFunc(net.Units(), func(u *conv.Unit) bool { return u.Conv.Taps != nil }) {
		return nil, errors.New("the convolutions of the network are attention already: want kernels of taps")
	}
	var found []tapped
	var nodes []*nn.Node
	values, err := nn.Evaluate(func(g *nn.Graph) []*nn.Node {
		g.Want(func(name string) bool { return strings.HasSuffix(name, conv.Result) })
		net.Forward(g, g.Input("x", x, n, rows, cols, channels))
		for _, t := range g.Taps() {
			s := siteOf(t.Node)
			s.name = strings.TrimSuffix(t.Name, conv.Result)
			found, nodes = append(found, s), append(nodes, s.x, s.y)
			if s.add != nil {
				nodes = append(nodes, s.add)
			}
		}
		return nodes
	})
	if err != nil {
		return nil, err
	}
	images := map[*nn.Node][][]float32{}
	for i, node := range nodes {
		images[node] = parts(values[i], n)
	}
	units := map[string]*conv.Unit{}
	for _, u := range net.Units() {
		units[u.Conv.W.Name] = u
	}
	sites := make([]Site, len(found))
	for i, s := range found {
		shape := s.x.Shape()
		sites[i] = Site{Name: layerName(s.name), Conv: folded(units[s.name]), Size: []int{shape[1], shape[2]},
			ReLU:   s.relu,
			Images: images[s.x], Added: images[s.add], Results: images[s.y]}
	}
	return sites, nil
}

// A tapped unit is the nodes of y = ReLU(Norm(Conv(x)) + add); without add if it is nil, without ReLU unless relu.
type tapped struct {
	name      string
	x, add, y *nn.Node
	relu      bool
}

// siteOf finds the nodes of the unit whose result is y.
func siteOf(y *nn.Node) (s tapped) {
	s.y = y
	if _, s.relu = y.Op().(op.ReLUOp); s.relu {
		y = y.In()[0]
	}
	if _, sum := y.Op().(op.AddOp); sum {
		y, s.add = y.In()[0], y.In()[1]
	}
	s.x = y.In()[0].In()[0] // of the norm, of the convolution
	return s
}

// folded returns a unit's convolution and norm, γ·(x - μ)/√(σ² + 1e-5) + β, as one convolution.
func folded(u *conv.Unit) *theorem.Conv[float32] {
	c := u.Conv
	k := c.W.Shape[2]
	p := (k - 1) / 2
	same := func(n int) []int { return []int{n, n} }
	t := &theorem.Conv[float32]{In: c.W.Shape[1], Out: c.W.Shape[0],
		Geometry: theorem.Geometry{Kernel: same(k), Stride: same(c.Stride), Before: same(p), After: same(k - 1 - p)}}
	size := t.In * t.Entries()
	for o := range t.Out {
		scale := float64(u.Norm.Gamma.Data[o]) / math.Sqrt(float64(u.Norm.Variance.Data[o])+1e-5)
		t.Bias = append(t.Bias, float32(float64(u.Norm.Beta.Data[o])-float64(u.Norm.Mean.Data[o])*scale))
		for _, w := range c.W.Data[o*size : (o+1)*size] {
			t.Weight = append(t.Weight, float32(float64(w)*scale))
		}
	}
	return t
}

// layerName returns layer1.0.conv1 for the parameter model.layer1.0.conv1.weight.
func layerName(parameter string) string {
	return strings.TrimSuffix(strings.TrimPrefix(parameter, "model."), ".weight")
}

// A SiteDeviation is the difference between a site's attention layer and the network: maxima over the images.
type SiteDeviation struct {
	Max  float64 // |attention - network|
	Rel  float64 // Max divided by the largest |network|
	Own  float64 // |network - definition| divided by the largest |network|: the network's own rounding errors
	Leak float64 // largest weight of a pixel other than the head's
}

// CompareSites converts every convolution to attention, and compares the results with the network's.
func CompareSites(ctx context.Context, sites []Site, alpha float64) ([]SiteDeviation, error) {
	found, failed := make([]SiteDeviation, len(sites)), make([]error, len(sites))
	if err := each(ctx, len(sites), func(i int) { found[i], failed[i] = sites[i].compare(alpha) }); err != nil {
		return nil, err
	}
	return found, first(failed)
}

// check returns an error unless the images and results of a site have its sizes.
func (s *Site) check() error {
	if err := s.Conv.Validate(); err != nil {
		return fmt.Errorf("%w (site %s)", err, s.Name)
	}
	if len(s.Size) != s.Conv.Axes() || len(s.Images) != len(s.Results) || s.Added != nil &&
		len(s.Added) != len(s.Results) {
		return fmt.Errorf("site %s: want rows and columns, and a result for each image; got the size %v, %d images, "+
			"%d results",
			s.Name, s.Size, len(s.Images), len(s.Results))
	}
	for n, x := range s.Images {
		if want := theorem.Volume(s.Size) * s.Conv.In; len(x) != want {
			return fmt.Errorf("site %s: image %d: want %d elements, got %d", s.Name, n, want, len(x))
		}
	}
	return nil
}

func (s *Site) compare(alpha float64) (d SiteDeviation, err error) {
	if err := s.check(); err != nil {
		return d, err
	}
	l, err := theorem.FromConv(s.Conv, theorem.FromOptions{Alpha: alpha})
	if err != nil {
		return d, err
	}
	d.Leak = leak(l, s.Size)
	ys := l.Forward(s.Size, s.Images...)
	for n, want := range s.Results {
		abs, top := distance(finish(s, n, ys[n]), want)
		own, _ := distance(finish(s, n, exact(s.Conv, s.Size, s.Images[n])), want)
		top = max(top, math.SmallestNonzeroFloat64)
		d.Max, d.Rel, d.Own = max(d.Max, abs), max(d.Rel, abs/top), max(d.Own, own/top)
	}
	return d, nil
}

// finish applies the site's addition and ReLU to its convolution's result y for image n.
func finish[F theorem.Float](s *Site, n int, y []F) []F {
	for i := range y {
		if s.Added != nil && len(s.Added[n]) == len(y) { // else y has a wrong size, which distance reports
			y[i] += F(s.Added[n][i])
		}
		if s.ReLU {
			y[i] = max(0, y[i])
		}
	}
	return y
}
