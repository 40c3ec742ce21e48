package network

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/internal/null"
	"github.com/attnconv/attnconv/study/stats"
)

// A replacement is something that may replace a layer.
type replacement struct {
	head string // of its column
	k    int    // of a regression; 0: another
	of   func(f *Replacements) **TestedAccuracy
	// with returns attention to use with the layer's maps; nil: another replacement.
	with     func(s *site) ([][]float64, error)
	headline bool // it is tested by default
}

// replacements are in the order of the columns. The last two are baselines.
var replacements = []replacement{
	{head: "mean", of: func(f *Replacements) **TestedAccuracy { return &f.Mean }, with: (*site).meanAttention},
	{head: "shift", of: func(f *Replacements) **TestedAccuracy { return &f.ShiftMean }, with: (*site).shiftMean},
	{head: "taps", of: func(f *Replacements) **TestedAccuracy { return &f.Taps }, with: (*site).hardTaps},
	{head: "1×1", k: 1, of: func(f *Replacements) **TestedAccuracy { return &f.K1 }},
	{head: "3×3", k: 3, of: func(f *Replacements) **TestedAccuracy { return &f.K3 }, headline: true},
	{head: "5×5", k: 5, of: func(f *Replacements) **TestedAccuracy { return &f.K5 }, headline: true},
	{head: "7×7", k: 7, of: func(f *Replacements) **TestedAccuracy { return &f.K7 }},
	{head: "uniform", of: func(f *Replacements) **TestedAccuracy { return &f.Uniform }, with: (*site).uniformAttention,
		headline: true},
	{head: "constant", of: func(f *Replacements) **TestedAccuracy { return &f.Constant }, headline: true},
}

func (s *site) meanAttention() ([][]float64, error) { return s.raw.Attention, nil }

func (s *site) shiftMean() ([][]float64, error) { return s.operator.ShiftMean(0), nil }

// hardTaps has each head on its shift of the tap score, a head without one on its peak. At a border it is on the
// nearest token, as a softmax over the grid is.
func (s *site) hardTaps() ([][]float64, error) {
	if s.kind != attends {
		return nil, nil
	}
	_, f, ok := s.operator.TapScore()
	for h, g := range s.operator.Geometry() {
		if !ok[h] {
			f[h] = g.Peak
		}
	}
	return analyse.Taps(s.grid, f, analyse.Replicate)
}

func (s *site) uniformAttention() ([][]float64, error) {
	if s.kind != attends {
		return nil, nil
	}
	n := s.grid.Tokens()
	p := make([]float64, n*n)
	for i := range p {
		p[i] = 1 / float64(n)
	}
	all := make([][]float64, len(s.raw.Maps))
	for h := range all {
		all[h] = p
	}
	return all, nil
}

// onTest is the name of the split whose accuracy measures nothing here.
const onTest = "test"

// function measures what accuracy is left if layers are replaced: one by one, and all.
func (m *measuring) function(ctx context.Context) error {
	if !m.o.Function && !m.o.Headline || len(m.sites) == 0 {
		return nil
	}
	const without = "no accuracy with layers replaced: "
	switch {
	case m.score.Len() == 0 || m.Train.Len() == 0:
		m.note(without + "it takes training and validation images")
		return nil
	case m.Split == onTest:
		m.note(without + "the run was trained on the validation images, and test images are not used for this")
		return nil
	}
	c, err := newChain(m.Net, m.sites)
	if errors.Is(err, errNoChain) {
		m.note(without+"%v", err)
		return nil
	} else if err != nil {
		return err
	}
	defer c.close()
	f := &replacing{measuring: m, chain: c, all: &Replacements{}}
	for _, r := range replacements {
		if r.headline || m.o.Function {
			f.list = append(f.list, r)
		}
	}
	for i := range m.sites {
		m.d.Layers[i].Function = &Replacements{}
	}
	if err := f.measure(ctx); err != nil {
		return err
	}
	m.d.FunctionAll = f.all
	return nil
}

// replacing measures replaced layers.
type replacing struct {
	*measuring
	chain *chain
	list  []replacement
	all   *Replacements // with every layer replaced
	x     []float32     // what the first layer reads of the images to fit on

	variants    []variant
	to          []**TestedAccuracy // of each variant; the first is the network itself
	done, units int                // for Done
}

// add has a variant tested.
func (f *replacing) add(v variant, to **TestedAccuracy) {
	f.variants, f.to = append(f.variants, v), append(f.to, to)
}

func (f *replacing) measure(ctx context.Context) (err error) {
	f.tell("accuracy with layers replaced by convolutions, on %d images", f.Held.Len())
	if f.x, err = f.chain.inputs(ctx, f.fit); err != nil {
		return err
	}
	f.plan()
	f.add(make(variant, len(f.sites)), &f.d.Unchanged)
	if err := f.replaceEach(ctx); err != nil {
		return err
	}
	for _, r := range f.list {
		if err := f.replaceAll(ctx, r); err != nil {
			return err
		}
	}
	return f.test(ctx)
}

// fitUnits is how many layers of a batch take as much time as a regression takes for a batch of the images to fit on.
const fitUnits = 10

// plan estimates how many units of work there are: layers of a batch.
func (f *replacing) plan() {
	n := len(f.sites)
	batches := (f.Held.Len() + batch - 1) / batch
	f.units = batches * n * (1 + len(f.list)*(n+3)/2)
	for _, r := range f.list {
		if r.k > 0 {
			f.units += f.fitWork() * n
		}
	}
}

// fitWork is the units of one regression.
func (f *replacing) fitWork() int { return fitUnits * (f.fit.Len() + batch - 1) / batch }

func (f *replacing) progress(units int) {
	f.done += units
	if f.Done != nil {
		f.Done(min(1, float64(f.done)/float64(f.units)))
	}
}

// replaceEach adds the network with one layer replaced at a time.
func (f *replacing) replaceEach(ctx context.Context) error {
	x := f.x
	for i, s := range f.sites {
		here := *s
		if err := f.seeAgain(ctx, nil, i, &here); err != nil {
			return err
		}
		for _, r := range f.list {
			p, err := f.predictor(ctx, i, &here, r, x)
			if err != nil {
				return err
			}
			if p != nil {
				v := make(variant, len(f.sites))
				v[i] = p
				f.add(v, r.of(f.d.Layers[i].Function))
			}
		}
		var err error
		if i+1 < len(f.sites) {
			if x, err = f.chain.next(ctx, i, x, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// replaceAll adds the network with every layer replaced that can be, each fitted on the inputs that the earlier
// replacements leave.
func (f *replacing) replaceAll(ctx context.Context, r replacement) error {
	x, v := f.x, make(variant, len(f.sites))
	var without []int
	for i, s := range f.sites {
		here := *s
		if v.first() < len(v) {
			here.kernels = nil
		}
		if r.with != nil {
			if err := f.seeAgain(ctx, v, i, &here); err != nil {
				return err
			}
		}
		p, err := f.predictor(ctx, i, &here, r, x)
		if err != nil {
			return err
		}
		if v[i] = p; p == nil {
			without = append(without, i)
		}
		if i+1 < len(f.sites) {
			if x, err = f.chain.next(ctx, i, x, p); err != nil {
				return err
			}
		}
		if r.k > 0 {
			f.progress(f.fitWork())
		}
	}
	if len(without) == len(v) {
		return nil
	}
	for _, i := range without {
		f.lacks(i, "in the row of all layers it stays as it is where the others are replaced by %s", r.head)
	}
	f.add(v, r.of(f.all))
	return nil
}

// seeAgain averages the attention of layer i over the images to fit on, if that depends on them, with the earlier
// layers replaced by v.
func (f *replacing) seeAgain(ctx context.Context, v variant, i int, s *site) error {
	if !f.o.Function || !f.d.Layers[i].ByImage || s.operator == nil {
		return nil
	}
	by := map[string]analyse.Predictor{}
	for j, p := range v {
		by[f.sites[j].path] = p
	}
	seen, _, err := see(ctx, replace(f.Net, by), f.fit, f.o.Attention, nil)
	if err != nil {
		return err
	}
	s.seen = seen[s.block]
	return s.project()
}

// predictor returns what replaces layer i, which reads x of the images to fit on; nil: it has no such replacement.
func (f *replacing) predictor(ctx context.Context, i int, s *site, r replacement, x []float32) (analyse.Predictor,
	error) {
	switch {
	case r.with != nil:
		if s.operator == nil {
			return nil, nil
		}
		l := s.raw
		var err error
		if l.Attention, err = r.with(s); err != nil || l.Attention == nil {
			return nil, err
		}
		return l.Predictor(s.bias)
	case r.k == 0:
		mean, err := f.meanOutput(ctx, i, s, x)
		return constant(mean, s.result.Tokens()), err
	}
	k, err := f.kernel(ctx, i, s, r.k, x)
	if err != nil || k == nil {
		return nil, err
	}
	return k.Predictor(s.grid, s.result)
}

// kernel returns the best K × K convolution for layer i; nil if none of its size was fitted to the layer itself.
func (f *replacing) kernel(ctx context.Context, i int, s *site, k int, x []float32) (*analyse.Kernel, error) {
	if at := k / 2; at < len(s.kernels) {
		return &s.kernels[at], nil
	}
	if k > s.fitted {
		return nil, nil
	}
	defer runtime.GC() // as in spectra
	moments, err := analyse.NewMoments(s.grid, s.result, s.in, s.out, k)
	if err != nil {
		return nil, err
	}
	err = f.chain.each(ctx, i, x, nil, func(x, y []float32, _ int) error { return moments.Add(x, y) })
	if err != nil {
		return nil, err
	}
	kernels, err := moments.Fit(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.path, err)
	}
	return &kernels[len(kernels)-1], nil
}

// meanOutput returns the mean output of layer i over images and tokens.
func (f *replacing) meanOutput(ctx context.Context, i int, s *site, x []float32) ([]float64, error) {
	mean, rows := make([]float64, s.out), float64(f.fit.Len()*s.result.Tokens())
	err := f.chain.each(ctx, i, x, nil, func(_, y []float32, _ int) error {
		for j, v := range y {
			mean[j%s.out] += float64(v) / rows
		}
		return nil
	})
	return mean, err
}

// test tests all variants on all validation images.
func (f *replacing) test(ctx context.Context) error {
	f.done = max(f.done, f.units-f.chain.work(f.Held, f.variants))
	right, err := f.chain.right(ctx, f.Held, f.variants, func() { f.progress(1) })
	if err != nil {
		return err
	}
	f.progress(f.units)
	for v, to := range f.to {
		base := right[0]
		if v == 0 {
			base = nil
		}
		*to = Tested(right[v], base, f.Held.Len())
	}
	return nil
}

// Tested summarizes which of n images are classified correctly, compared with base on the same images; a nil base is
// none.
func Tested(right, base stats.Bits, n int) *TestedAccuracy {
	x := measuredOn(right, n)
	s := stats.Summarize(x)
	t := &TestedAccuracy{Acc: s.Mean, N: n, CI: s.CI, Diff: null.Unknown, DiffCI: stats.NoInterval}
	if base != nil {
		if c, err := stats.Compare(x, measuredOn(base, n), false); err == nil {
			t.Diff, t.DiffCI = null.Float(c.Diff), c.CI
		}
	}
	return t
}

func measuredOn(right stats.Bits, n int) stats.Accuracies {
	count := 0
	for i := range n {
		if right.At(i) {
			count++
		}
	}
	return stats.Accuracies{Runs: []float64{float64(count) / float64(n)}, Images: n, Right: []stats.Bits{right}}
}
