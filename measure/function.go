package measure

import (
	"context"
	"fmt"
	"maps"
	"runtime"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/report"
	"github.com/attnconv/attnconv/study"
)

// A replacement is something that may stand in place of a layer.
type replacement struct {
	head string // of its column
	k    int    // of a regression; 0: another
	of   func(f *report.Replaced) **report.TestedAccuracy
	// with returns attention to use with the layer's maps; nil: another replacement.
	with func(s *site) ([][]float64, error)
}

// replacements are in the order of the columns. The last two are nulls.
var replacements = []replacement{
	{head: "mean", of: func(f *report.Replaced) **report.TestedAccuracy { return &f.Mean }, with: (*site).meanAttention},
	{head: "shift", of: func(f *report.Replaced) **report.TestedAccuracy { return &f.ShiftMean }, with: (*site).shiftMean},
	{head: "taps", of: func(f *report.Replaced) **report.TestedAccuracy { return &f.Taps }, with: (*site).hardTaps},
	{head: "1×1", k: 1, of: func(f *report.Replaced) **report.TestedAccuracy { return &f.K1 }},
	{head: "3×3", k: 3, of: func(f *report.Replaced) **report.TestedAccuracy { return &f.K3 }},
	{head: "5×5", k: 5, of: func(f *report.Replaced) **report.TestedAccuracy { return &f.K5 }},
	{head: "7×7", k: 7, of: func(f *report.Replaced) **report.TestedAccuracy { return &f.K7 }},
	{head: "uniform", of: func(f *report.Replaced) **report.TestedAccuracy { return &f.Uniform }, with: (*site).uniformAttention},
	{head: "constant", of: func(f *report.Replaced) **report.TestedAccuracy { return &f.Constant }},
}

func (s *site) meanAttention() ([][]float64, error) { return s.operator.Layer.Attention, nil }

func (s *site) shiftMean() ([][]float64, error) { return s.operator.ShiftMean(0), nil }

// hardTaps has each head on its shift of the tap score, a head without one on its peak. At a border it is on the nearest token, as a
// softmax over the grid is.
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
	all := make([][]float64, len(s.operator.Layer.Maps))
	for h := range all {
		all[h] = p
	}
	return all, nil
}

// function measures what accuracy is left if layers are replaced: one by one, and all.
func (m *measuring) function(ctx context.Context) error {
	if !m.o.Function {
		return nil
	}
	if m.score.Len() == 0 {
		m.note("no accuracy of replaced layers: it needs images")
		return nil
	}
	var err error
	if m.d.Unchanged, err = m.accuracy(ctx, m.Net); err != nil {
		return err
	}
	all := &report.Replaced{}
	for _, r := range replacements {
		m.tell("layers replaced: %s", r.head)
		if err := m.replaceEach(ctx, r); err != nil {
			return err
		}
		if *r.of(all), err = m.replaceAll(ctx, r); err != nil {
			return err
		}
	}
	m.d.FunctionAll = all
	return nil
}

// replaceEach tests the network with one layer replaced at a time.
func (m *measuring) replaceEach(ctx context.Context, r replacement) error {
	for i, s := range m.sites {
		if m.d.Layers[i].Function == nil {
			m.d.Layers[i].Function = &report.Replaced{}
		}
		p, err := m.predictor(ctx, m.Net, s, r)
		if err != nil {
			return err
		}
		if p == nil {
			continue
		}
		if *r.of(m.d.Layers[i].Function), err = m.accuracy(ctx, replace(m.Net, map[string]analyse.Predictor{s.path: p})); err != nil {
			return err
		}
	}
	return nil
}

// replaceAll tests it with every layer replaced that can be, each fitted on the inputs that the earlier replacements leave.
func (m *measuring) replaceAll(ctx context.Context, r replacement) (*report.TestedAccuracy, error) {
	by := map[string]analyse.Predictor{}
	var without []int
	for i, s := range m.sites {
		net := replace(m.Net, maps.Clone(by))
		here := *s
		if len(by) > 0 {
			here.kernels = nil
		}
		if len(by) > 0 && m.d.Layers[i].ByImage && here.operator != nil && r.with != nil {
			if err := m.seeAgain(ctx, net, &here); err != nil {
				return nil, err
			}
		}
		p, err := m.predictor(ctx, net, &here, r)
		if err != nil {
			return nil, err
		}
		if p == nil {
			without = append(without, i)
			continue
		}
		by[s.path] = p
	}
	if len(by) == 0 {
		return nil, nil
	}
	for _, i := range without {
		m.lacks(i, "in the row of all layers it stays as it is where the others are replaced by %s", r.head)
	}
	return m.accuracy(ctx, replace(m.Net, by))
}

// seeAgain averages the attention of a layer over images as they come to it in net, if that depends on them.
func (m *measuring) seeAgain(ctx context.Context, net *model.Network, s *site) error {
	seen, _, err := see(ctx, net, m.Held, m.o.Attention)
	if err != nil {
		return err
	}
	s.seen = seen[s.block]
	return s.project()
}

// predictor returns what replaces a layer of net; nil: it has no such replacement.
func (m *measuring) predictor(ctx context.Context, net *model.Network, s *site, r replacement) (analyse.Predictor, error) {
	switch {
	case r.with != nil:
		if s.operator == nil {
			return nil, nil
		}
		l := s.operator.Layer
		var err error
		if l.Attention, err = r.with(s); err != nil || l.Attention == nil {
			return nil, err
		}
		return l.Predictor(s.bias)
	case r.k == 0:
		mean, err := meanOutput(ctx, net, s, m.fit)
		return constant(mean, s.result.Tokens()), err
	}
	k, err := m.kernel(ctx, net, s, r.k)
	if err != nil || k == nil {
		return nil, err
	}
	return k.Predictor(s.grid, s.result)
}

// kernel returns the best K × K convolution for a layer in net; nil if none of its size was fitted to the layer itself.
func (m *measuring) kernel(ctx context.Context, net *model.Network, s *site, k int) (*analyse.Kernel, error) {
	if at := k / 2; at < len(s.kernels) {
		return &s.kernels[at], nil
	}
	if k > s.fitted {
		return nil, nil
	}
	defer runtime.GC() // as in spectra
	r, err := newFeatures(net, s)
	if err != nil {
		return nil, err
	}
	defer r.f.Close()
	moments, err := m.moments(ctx, r, s, k)
	if err != nil {
		return nil, err
	}
	kernels, err := moments.Fit(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.path, err)
	}
	return &kernels[len(kernels)-1], nil
}

// accuracy tests a network on the images that score regressions.
func (m *measuring) accuracy(ctx context.Context, net *model.Network) (*report.TestedAccuracy, error) {
	right, n := 0, m.score.Len()
	err := logits(ctx, net, m.score, func(y []float32, labels []int32) {
		classes := len(y) / len(labels)
		for i, label := range labels {
			right += rankedFirst(y[i*classes:(i+1)*classes], int(label))
		}
	})
	if err != nil {
		return nil, err
	}
	s := study.Summarise(study.Measured{Runs: []float64{float64(right) / float64(n)}, Images: n})
	return &report.TestedAccuracy{Acc: s.Mean, N: n, CI: interval(s.CI)}, nil
}

// rankedFirst is 1 if the class of label has the largest logit, the first of equal ones.
func rankedFirst(y []float32, label int) int {
	for class, v := range y {
		if v > y[label] || v == y[label] && class < label || v-v != 0 {
			return 0
		}
	}
	return 1
}

// functionTable lists the accuracies of replaced layers; nil if they were not asked for.
func functionTable(d report.Analysis) *table.Table {
	if d.Unchanged == nil || d.FunctionAll == nil {
		return nil
	}
	t := &table.Table{Title: fmt.Sprintf("%s   accuracy, %%, if a layer is replaced, without training: %s as it is", d.Source, accuracyCell(d.Unchanged).Text),
		Columns: []table.Column{{Head: "layer", Right: true, Name: true}}}
	for _, r := range replacements {
		t.Columns = append(t.Columns, table.Column{Head: r.head, Right: true})
	}
	row := func(name string, f *report.Replaced) {
		cells := []table.Cell{table.Words(name)}
		for _, r := range replacements {
			cells = append(cells, accuracyCell(*r.of(f)))
		}
		t.Add(cells...)
	}
	for _, l := range d.Layers {
		if l.Function != nil {
			row(fmt.Sprint(l.Layer), l.Function)
		}
	}
	row("all", d.FunctionAll)
	ci := *d.Unchanged.CI
	t.Notes = []string{
		"mean      attention's mean over images; shift: its mean by shift, the nearest convolution; taps: each head on one shift",
		"K×K       the best convolution of the layer's input; all: each fitted on what the earlier ones leave",
		"uniform   null: heads attend to all tokens alike; constant: the layer's mean output",
		fmt.Sprintf("images    %s of %s that nothing was fitted on; 95 %% interval of %s: %.1f–%.1f",
			table.Thousands(d.Unchanged.N), d.Images.Split, accuracyCell(d.Unchanged).Text, 100*ci[0], 100*ci[1]),
	}
	return t
}

func accuracyCell(a *report.TestedAccuracy) table.Cell {
	if a == nil {
		return table.Words("–")
	}
	return table.Words(fmt.Sprintf("%.1f", 100*a.Acc))
}
