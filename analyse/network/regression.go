package network

import (
	"context"
	"errors"
	"runtime"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/posenc/geometry"
)

// maxMoments bounds the memory of the sums of a regression, in float64.
const maxMoments = 1 << 26

// unknowns is how many values a K × K convolution of so many channels has, for one output.
func unknowns(k, in int) int { return 1 + k*k*in }

// affords reports whether the moments of a regression take no more memory than is allowed.
func affords(g analyse.Grid, in, k int) bool {
	return in*in <= maxMoments/near(g, k) && unknowns(k, in) <= maxMoments/unknowns(k, in)
}

// fitting returns the K of the largest regression, at most the given one, that a grid, so many queries and memory
// allow; 0 or less for none. Two queries for each unknown are enough.
func fitting(g analyse.Grid, in, queries, most int) int {
	k := min(most, 2*max(g.Rows, g.Cols)-1)
	for k > 0 && !(affords(g, in, k) && 2*unknowns(k, in) <= queries) {
		k -= 2
	}
	return k
}

// largest returns the K of the largest regression, at most the given one, that grid, images to fit on and memory allow;
// 0 or less for none. A note says why there is none, or no larger one.
func (n *notes) largest(i int, s *site, images, most int) int {
	t := s.result.Tokens()
	most = min(most, 2*max(s.grid.Rows, s.grid.Cols)-1)
	k := fitting(s.grid, s.in, images*t, most)
	fits := func(k int) bool { return affords(s.grid, s.in, k) }
	switch {
	case k < 1 && !fits(1):
		n.lacks(i, "no spectrum: the moments of %d tokens of %d channels take more than %d MB", s.grid.Tokens(), s.in,
			maxMoments>>17)
	case k < 1:
		n.lacks(i, "no spectrum: %d images of %d tokens are too few for %d channels", images, t, s.in)
	case k < most && !fits(k+2):
		n.lacks(i, "no regression beyond %d × %d: it takes more than %d MB", k, k, maxMoments>>17)
	case k < most:
		n.lacks(i, "no regression beyond %d × %d: it has %s unknowns", k, k, table.Thousands(unknowns(k+2, s.in)))
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

// addImages takes values of images, (images, tokens, channels) each: the input x of a site, what its output is added
// to, and its output y.
type addImages func(site int, x, stream, y []float32) error

// A pass calls add with the values of images, of one site after the other.
type pass func(ctx context.Context, add addImages) error

// ends computes the input of sites, what their output is added to, and their output, from images.
func ends(net *model.Network, sites ...*site) (*program, error) {
	var names []string
	for _, s := range sites {
		names = append(names, s.inputName(), "model."+s.path+nn.LayerStream, s.outputName())
	}
	return newProgram(net, batch, names)
}

// pass reads the ends of sites off a split.
func (p *program) pass(split data.Split) pass {
	return func(ctx context.Context, add addImages) error {
		return p.each(ctx, split, func(b *data.Batch) error {
			for i := 0; i < len(p.y); i += 3 {
				x, stream := p.value(i, b.N), p.value(i+1, b.N)
				if stream == nil {
					stream = x
				}
				if err := add(i/3, x, stream, p.value(i+2, b.N)); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// A regression is the best convolutions of the input of a site, up to K × K, and their R² on other images.
type regression struct {
	kernels  []analyse.Kernel
	first    int            // of the kernels that are scored
	others   int            // predictors that are scored behind them
	interior bool           // the last one is fitted to queries away from borders
	score    *analyse.Score // nil: not scored
	size     *size
}

// A fit says what is fitted and scored.
type fit struct {
	k        int  // of the largest kernel
	all      bool // kernels are scored; else only the largest one
	interior bool // 3 × 3 for queries away from borders
	centered bool // scores are of outputs as far as the network reads them
	// others returns predictors to score; nil: none
	others func(s *site) ([]analyse.Predictor, error)
}

// regress fits convolutions to sites in one pass over images, and scores them in another, if that is not nil.
func (o fit) regress(ctx context.Context, sites []*site, fitted, scored pass) ([]*regression, error) {
	// the next layer takes as much again, 0.5 GB of a small network, and would start before a collection
	defer runtime.GC()
	moments, all := make([]*analyse.Moments, len(sites)), make([]*regression, len(sites))
	for i, s := range sites {
		var err error
		if moments[i], err = analyse.NewMoments(s.grid, s.result, s.in, s.out, o.k); err != nil {
			return nil, err
		}
	}
	if err := fitted(ctx, func(i int, x, _, y []float32) error { return moments[i].Add(x, y) }); err != nil {
		return nil, err
	}
	for i, s := range sites {
		var err error
		if all[i], err = o.of(ctx, s, moments[i]); err != nil {
			return nil, err
		}
		moments[i] = nil
	}
	if scored == nil {
		return all, nil
	}
	return all, scored(ctx, func(i int, x, stream, y []float32) error {
		all[i].size.add(stream, y)
		return all[i].score.Add(x, y)
	})
}

// of fits one site.
func (o fit) of(ctx context.Context, s *site, moments *analyse.Moments) (r *regression, err error) {
	r = &regression{size: newSize(s)}
	if r.kernels, err = moments.Fit(ctx); err != nil {
		return nil, err
	}
	if !o.all {
		r.first = len(r.kernels) - 1
	}
	var predictors []analyse.Predictor
	for _, k := range r.kernels[r.first:] {
		p, err := k.Predictor(s.grid, s.result)
		if err != nil {
			return nil, err
		}
		predictors = append(predictors, p)
	}
	if o.others != nil {
		others, err := o.others(s)
		if err != nil {
			return nil, err
		}
		r.others, predictors = len(others), append(predictors, others...)
	}
	if o.interior && o.k >= 3 {
		kernel, err := moments.FitInterior(ctx, 3)
		if few := (*analyse.Error)(nil); err == nil {
			p, err := kernel.Predictor(s.grid, s.result)
			if err != nil {
				return nil, err
			}
			r.interior, predictors = true, append(predictors, p)
		} else if !errors.As(err, &few) {
			return nil, err
		}
	}
	if r.score, err = analyse.NewScore(s.grid, s.result, s.in, s.out, predictors...); err == nil {
		r.score.Centered = o.centered && s.gauge.Center
	}
	return r, err
}

// r2 returns the R² of the best k × k convolution.
func (r *regression) r2(k int) null.Float {
	at := k/2 - r.first
	if at < 0 || k/2 >= len(r.kernels) {
		return null.Unknown
	}
	return null.Float(r.score.R2(at, 0))
}

// other returns the R² of another predictor.
func (r *regression) other(i int) null.Float {
	if i >= r.others {
		return null.Unknown
	}
	return null.Float(r.score.R2(len(r.kernels)-r.first+i, 0))
}

// near returns R² away from borders and at borders; nil if that was not asked for, or the queries are too few.
func (r *regression) near() *nearBorder {
	if !r.interior {
		return nil
	}
	return &nearBorder{r.score.R2(len(r.kernels)-r.first+r.others, 1), r.score.BorderR2(1-r.first, 1)}
}
