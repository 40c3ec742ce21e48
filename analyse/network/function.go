package network

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/model"
)

// replacedLayers are the accuracies of the network with layers replaced.
var replacedLayers = measure{
	all:     func(ctx context.Context, m *measurement) error { return m.function(ctx) },
	columns: []column{right("", "acc_replaced_k3", replacedAccuracy)},
	screen:  []column{right("acc", "", replacedAccuracy).with(accuracyLegend)},
	tables:  functionTables,
}

func accuracyLegend(d Analysis) string {
	if d.Unchanged == nil {
		return ""
	}
	return "acc       accuracy, %, with the layer replaced by the best 3 × 3 convolution; " +
		accuracyCell(d.Unchanged).Text + " as it is"
}

func replacedAccuracy(l Layer) table.Cell {
	if l.Function == nil {
		return dash
	}
	return accuracyCell(l.Function.K3)
}

// Replacements is the accuracy of a network with layers replaced, without training, on all validation images. What
// replaces a layer was fitted on training images. Null: a layer has no such replacement, or it was not asked for.
type Replacements struct {
	Mean      *TestedAccuracy `json:"mean"`       // by their attention's mean over images
	ShiftMean *TestedAccuracy `json:"shift_mean"` // by its mean by shift: the nearest convolution
	Taps      *TestedAccuracy `json:"taps"`       // by hard taps, each head on its shift of the tap score
	TapsZeros *TestedAccuracy `json:"taps_zeros"` // by the same taps with zeros around the grid, not its edge repeated
	K1        *TestedAccuracy `json:"k1"`         // by the best 1 × 1 convolution of their input
	K3        *TestedAccuracy `json:"k3"`         // 3 × 3
	K5        *TestedAccuracy `json:"k5"`         // 5 × 5
	K7        *TestedAccuracy `json:"k7"`         // 7 × 7
	Uniform   *TestedAccuracy `json:"uniform"`    // null: every head attends to all tokens alike
	Untrained *TestedAccuracy `json:"untrained"`  // null: by attention of an untrained network, with the trained maps
	Constant  *TestedAccuracy `json:"constant"`   // null: their mean output over images and tokens
}

// A replacement is something that may replace a layer.
type replacement struct {
	head string // of its column
	k    int    // of a regression; 0: another
	of   func(f *Replacements) **TestedAccuracy
	// with returns attention to use with the layer's maps; nil: another replacement.
	with     func(s *site) ([][]float64, error)
	headline bool // it is tested by default
}

// replacements are in the order of the columns. The last three are baselines.
var replacements = []replacement{
	{head: "mean", of: func(f *Replacements) **TestedAccuracy { return &f.Mean }, with: (*site).meanAttention},
	{head: "shift", of: func(f *Replacements) **TestedAccuracy { return &f.ShiftMean }, with: (*site).shiftMean},
	{head: "taps", of: func(f *Replacements) **TestedAccuracy { return &f.Taps }, with: hardTaps(analyse.Replicate)},
	{head: "taps 0", of: func(f *Replacements) **TestedAccuracy { return &f.TapsZeros }, with: hardTaps(analyse.Zeros)},
	{head: "1×1", k: 1, of: func(f *Replacements) **TestedAccuracy { return &f.K1 }},
	{head: "3×3", k: 3, of: func(f *Replacements) **TestedAccuracy { return &f.K3 }, headline: true},
	{head: "5×5", k: 5, of: func(f *Replacements) **TestedAccuracy { return &f.K5 }, headline: true},
	{head: "7×7", k: 7, of: func(f *Replacements) **TestedAccuracy { return &f.K7 }},
	{head: "uniform", of: func(f *Replacements) **TestedAccuracy { return &f.Uniform }, with: (*site).uniformAttention,
		headline: true},
	{head: "untr.", of: func(f *Replacements) **TestedAccuracy { return &f.Untrained },
		with: func(s *site) ([][]float64, error) { return s.untrained, nil }, headline: true},
	{head: "constant", of: func(f *Replacements) **TestedAccuracy { return &f.Constant }, headline: true},
}

// onTest is the name of the split whose accuracy measures nothing here.
const onTest = "test"

// function measures what accuracy is left if layers are replaced: one by one, and all.
func (m *measurement) function(ctx context.Context) error {
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
	if errors.Is(err, errReadsMore) {
		m.note(without+"%v", err)
		return nil
	} else if err != nil {
		return err
	}
	defer c.close()
	f := &substitution{measurement: m, chain: c, all: &Replacements{}}
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

// substitution measures replaced layers.
type substitution struct {
	*measurement
	chain *chain
	list  []replacement
	all   *Replacements // with every layer replaced
	x     []float32     // what the first layer reads of the images to fit on

	variants    []variant
	to          []**TestedAccuracy // of each variant; the first is the network itself
	done, units int                // for Done
}

// add has a variant tested.
func (f *substitution) add(v variant, to **TestedAccuracy) {
	f.variants, f.to = append(f.variants, v), append(f.to, to)
}

func (f *substitution) measure(ctx context.Context) (err error) {
	f.tell("accuracy with layers replaced by convolutions, on %d images", f.Held.Len())
	if f.x, err = f.chain.inputs(ctx, f.fit); err != nil {
		return err
	}
	if err := f.seeUntrained(ctx); err != nil {
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

// seeUntrained gives each layer of attention the attention of the same layer of an untrained network.
func (f *substitution) seeUntrained(ctx context.Context) error {
	return f.eachFresh(ctx, f.o, 1, func(_ int, net *model.Network) error {
		sites, err := sitesOf(net)
		if err != nil || len(sites) != len(f.sites) {
			return err
		}
		if _, err := see(ctx, net, sites, f.Held, f.o.Attention, true); err != nil {
			return err
		}
		for i, s := range sites {
			if s.seen != nil {
				f.sites[i].untrained = s.seen.Mean()
			}
		}
		return nil
	})
}

// fitUnits is how many layers of a batch take as much time as a regression takes for a batch of the images to fit on.
const fitUnits = 10

// plan estimates how many units of work there are: layers of a batch.
func (f *substitution) plan() {
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
func (f *substitution) fitWork() int { return fitUnits * (f.fit.Len() + batch - 1) / batch }

func (f *substitution) progress(units int) {
	f.done += units
	if f.Done != nil {
		f.Done(min(1, float64(f.done)/float64(f.units)))
	}
}

// replaceEach adds the network with one layer replaced at a time.
func (f *substitution) replaceEach(ctx context.Context) error {
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
func (f *substitution) replaceAll(ctx context.Context, r replacement) error {
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
func (f *substitution) seeAgain(ctx context.Context, v variant, i int, s *site) error {
	if !f.o.Function || !f.d.Layers[i].ByImage || s.operator == nil {
		return nil
	}
	by := map[string]analyse.Predictor{}
	for j, p := range v {
		by[f.sites[j].path] = p
	}
	if _, err := see(ctx, replace(f.Net, by), []*site{s}, f.fit, f.o.Attention, false); err != nil {
		return err
	}
	return s.project()
}

// predictor returns what replaces layer i, which reads x of the images to fit on; nil: it has no such replacement.
func (f *substitution) predictor(ctx context.Context, i int, s *site, r replacement, x []float32) (analyse.Predictor,
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
func (f *substitution) kernel(ctx context.Context, i int, s *site, k int, x []float32) (*analyse.Kernel, error) {
	if k/2 < len(s.kernels) {
		return &s.kernels[k/2], nil
	}
	if k > s.fitted {
		return nil, nil
	}
	all, err := fit{k: k}.regress(ctx, []*site{s}, func(ctx context.Context, add addImages) error {
		return f.chain.each(ctx, i, x, nil, func(x, y []float32, _ int) error { return add(0, x, x, y) })
	}, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.path, err)
	}
	return &all[0].kernels[k/2], nil
}

// meanOutput returns the mean output of layer i over images and tokens.
func (f *substitution) meanOutput(ctx context.Context, i int, s *site, x []float32) ([]float64, error) {
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
func (f *substitution) test(ctx context.Context) error {
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

// functionTables lists the accuracies of replaced layers, if they were asked for.
func functionTables(d Analysis) []*table.Table {
	if d.Unchanged == nil || d.FunctionAll == nil {
		return nil
	}
	full := slices.ContainsFunc(replacements, func(r replacement) bool {
		return !r.headline && *r.of(d.FunctionAll) != nil
	})
	columns := []column{numbered}
	for _, r := range replacements {
		if r.headline || full {
			columns = append(columns, right(r.head, "", func(l Layer) table.Cell {
				return accuracyCell(*r.of(l.Function))
			}))
		}
	}
	ci, acc := d.Unchanged.CI, accuracyCell(d.Unchanged).Text
	notes := []string{
		"K×K       the best convolution of the layer's input; all: each fitted on what the earlier ones leave",
		"uniform   baseline: heads attend to all tokens alike; untr.: as those of an untrained network; constant: " +
			"the layer's mean output",
		fmt.Sprintf("images    %s of %s that nothing was fitted on; 95 %% interval of %s: %.1f–%.1f",
			table.Thousands(d.Unchanged.N), d.Images.Split, acc, 100*ci.Lo, 100*ci.Hi),
	}
	if full {
		notes = append([]string{"mean      attention's mean over images; shift: its mean by shift, the nearest " +
			"convolution; taps: each head on one shift, at the border on the edge or (taps 0) on zeros"}, notes...)
	}
	layers := layersWith(d, func(l Layer) bool { return l.Function != nil })
	return []*table.Table{layerTable(append(layers, Layer{Function: d.FunctionAll}), columns, fmt.Sprintf(
		"%s   accuracy, %%, if a layer is replaced, without training: %s as it is", d.Source, acc), notes...)}
}
