package network

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/null"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc/geometry"
)

// maxMoments bounds the memory of the sums of a regression, in float64.
const maxMoments = 1 << 26

// A features reads inputs and outputs of layers off a network.
type features struct {
	f    *nn.Func
	x    []float32
	ends [][3]*nn.Node // of each site: input, output, and what the output is added to
}

// newFeatures compiles the network up to the last of sites.
func newFeatures(net *model.Network, sites ...*site) (*features, error) {
	image := net.Spec.Image
	r := &features{x: make([]float32, batch*image[0]*image[1]*image[2]), ends: make([][3]*nn.Node, len(sites))}
	names := map[string]**nn.Node{}
	for i, s := range sites {
		for j, end := range []string{nn.LayerInput, nn.LayerOutput, nn.LayerStream} {
			names["model."+s.path+end] = &r.ends[i][j]
		}
	}
	g, err := nn.Build(false, func(g *nn.Graph) {
		g.Want(func(name string) bool { return names[name] != nil })
		net.Layer.Forward(g, g.Input("x", r.x, batch, image[0], image[1], image[2]))
	})
	if err != nil {
		return nil, err
	}
	for _, t := range g.Taps() {
		*names[t.Name] = t.Node
	}
	for i := range r.ends {
		r.ends[i][2] = cmp.Or(r.ends[i][2], r.ends[i][0])
	}
	r.f, err = nn.Compile(g, nil)
	return r, err
}

// each calls f for batches of images with the values of site's input and output. x (images, T, in), y (images, T, out)
func (r *features) each(ctx context.Context, split data.Split, f func(n int) error) error {
	return eachBatch(ctx, split, batch, func(b *data.Batch) error {
		copy(r.x, b.X)
		if err := r.f.Run(0); err != nil {
			return err
		}
		return f(b.N)
	})
}

// of returns the values of n images at an end of a site: 0 is the input, 1 the output, 2 what that is added to.
func (r *features) of(site, end, n int) []float32 {
	v := nn.Value(r.ends[site][end])
	return v[:len(v)/batch*n]
}

// spectra fits convolutions to the inputs and outputs of each layer.
func (m *measuring) spectra(ctx context.Context) error {
	if m.fit.Len() == 0 || m.o.Kernel < 1 {
		return nil
	}
	for i, s := range m.sites {
		k := m.largest(i, s, m.fit.Len(), m.o.Kernel)
		if k < 1 {
			continue
		}
		m.tell("regressions of layer %d of %d", i+1, len(m.sites))
		spectrum, err := m.spectrum(ctx, s, k)
		if err != nil {
			return fmt.Errorf("layer %d (%s): %w", i+1, s.path, err)
		}
		m.d.Layers[i].Spectrum, m.d.Layers[i].Size, s.fitted = spectrum, s.size, k
		// the next layer takes as much again, 0.5 GB of a small network, and would start before a collection
		runtime.GC()
	}
	return nil
}

// largest returns the K of the largest regression, at most the given one, that grid, images to fit on and memory allow;
// 0 for none.
func (m *measuring) largest(i int, s *site, images, most int) int {
	unknowns := func(k int) int { return 1 + k*k*s.in }
	fits := func(k int) bool {
		return s.in*s.in <= maxMoments/near(s.grid, k) && unknowns(k) <= maxMoments/unknowns(k)
	}
	t := s.result.Tokens()
	most = min(most, 2*max(s.grid.Rows, s.grid.Cols)-1)
	k := most
	for k > 0 && !(fits(k) && 2*unknowns(k) <= images*t) {
		k -= 2
	}
	switch {
	case k < 1 && !fits(1):
		m.lacks(i, "no spectrum: the moments of %d tokens of %d channels take more than %d MB", s.grid.Tokens(), s.in,
			maxMoments>>17)
	case k < 1:
		m.lacks(i, "no spectrum: %d images of %d tokens are too few for %d channels", images, t, s.in)
	case k < most && !fits(k+2):
		m.lacks(i, "no regression beyond %d × %d: it takes more than %d MB", k, k, maxMoments>>17)
	case k < most:
		m.lacks(i, "no regression beyond %d × %d: it has %s unknowns", k, k, table.Thousands(unknowns(k+2)))
	}
	return k
}

// near is how many pairs of tokens the moments for K × K have: those that two of a query's keys can be.
func near(g analyse.Grid, k int) int {
	n := g.Tokens()
	for _, s := range geometry.Square(2*k - 1) {
		n += g.Pairs(s)
	}
	return n / 2
}

// moments returns those of images for a site, the only one that r reads.
func (r *features) moments(ctx context.Context, images data.Split, s *site, k int) (*analyse.Moments, error) {
	all, err := analyse.NewMoments(s.grid, s.result, s.in, s.out, k)
	if err != nil {
		return nil, err
	}
	return all, r.each(ctx, images, func(n int) error { return all.Add(r.of(0, 0, n), r.of(0, 1, n)) })
}

func (m *measuring) spectrum(ctx context.Context, s *site, k int) (*Spectrum, error) {
	r, err := newFeatures(m.Net, s)
	if err != nil {
		return nil, err
	}
	defer r.f.Close()
	moments, err := r.moments(ctx, m.fit, s, k)
	if err != nil {
		return nil, err
	}
	kernels, err := moments.Fit(ctx)
	if err != nil {
		return nil, err
	}
	if m.o.Function || m.o.Headline {
		s.kernels = kernels
	}
	var predictors []analyse.Predictor
	for _, kernel := range kernels {
		p, err := kernel.Predictor(s.grid, s.result)
		if err != nil {
			return nil, err
		}
		predictors = append(predictors, p)
	}
	if s.operator != nil {
		mean := s.raw
		shifted := mean
		shifted.Attention = s.operator.ShiftMean(0)
		for _, l := range []analyse.Layer{shifted, mean} {
			p, err := l.Predictor(s.bias)
			if err != nil {
				return nil, err
			}
			predictors = append(predictors, p)
		}
	}
	interior, err := m.interior(ctx, moments, k)
	if err != nil {
		return nil, err
	}
	if interior != nil {
		predictors = append(predictors, interior)
	}
	score, err := s.score(predictors...)
	if err != nil {
		return nil, err
	}
	size := newSize(s)
	err = r.each(ctx, m.score, func(n int) error {
		size.add(r.of(0, 2, n), r.of(0, 1, n))
		return score.Add(r.of(0, 0, n), r.of(0, 1, n))
	})
	if err != nil {
		return nil, err
	}
	s.size = size.value()
	d := unfitted()
	d.Largest = k
	for i, to := range []*null.Float{&d.K1, &d.K3, &d.K5, &d.K7} {
		if i < len(kernels) {
			*to = null.Float(score.R2(i, 0))
		}
	}
	if s.operator != nil {
		d.Shift, d.Mean = null.Float(score.R2(len(kernels), 0)), null.Float(score.R2(len(kernels)+1, 0))
	}
	if interior != nil {
		s.near = &nearBorder{score.R2(len(predictors)-1, 1), score.BorderR2(1, 1)}
	}
	return d, nil
}

// score compares predictors with the output of the site, as far as the network reads it.
func (s *site) score(predictors ...analyse.Predictor) (*analyse.Score, error) {
	score, err := analyse.NewScore(s.grid, s.result, s.in, s.out, predictors...)
	if err == nil {
		score.Centered = s.gauge.Center
	}
	return score, err
}

// unfitted is the spectrum of a layer without regressions.
func unfitted() *Spectrum {
	u := null.Unknown
	return &Spectrum{K1: u, K3: u, K5: u, K7: u, Shift: u, Mean: u}
}

// nearBorder is R² of 3 × 3 convolutions: of the best one for queries away from borders, there, and of the best one for
// all queries, at borders.
type nearBorder struct{ inside, border float64 }

// interior fits 3 × 3 to the queries away from borders; nil if it is not asked for, or they are too few.
func (m *measuring) interior(ctx context.Context, moments *analyse.Moments, k int) (analyse.Predictor, error) {
	if !m.o.Network || k < 3 {
		return nil, nil
	}
	kernel, err := moments.FitInterior(ctx, 3)
	if few := (*analyse.Error)(nil); errors.As(err, &few) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return kernel.Predictor(moments.From, moments.To)
}
