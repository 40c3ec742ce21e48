package network

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/posenc"
)

// answers are a network's logits of all images.
func answers(t *testing.T, net *model.Network, split data.Split) (all []float32) {
	t.Helper()
	if err := eachLogits(context.Background(), net, split, func(y []float32,
		_ []int32) {
		all = append(all, y...)
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// apart is the largest difference of logits, as a part of the largest logit.
func apart(a, b []float32) float64 {
	most, by := 0.0, 0.0
	for i := range a {
		most, by = max(most, math.Abs(float64(a[i]))), max(by, math.Abs(float64(a[i]-b[i])))
	}
	return by / most
}

// measurementOf is an analysis of a network up to its regressions, which are fitted on train.
func measurementOf(t *testing.T, net *model.Network, train, held data.Split, o Options) *measurement {
	t.Helper()
	sites, err := sitesOf(net)
	if err != nil {
		t.Fatal(err)
	}
	o.Function = true
	m := &measurement{Subject: Subject{Name: "x", Net: net, Train: train, Held: held, Split: "val"}, o: o,
		d: &Analysis{}, sites: sites}
	m.divide()
	for _, step := range []func(context.Context) error{m.describe, m.spectra} {
		if err := step(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// substitutionOf is such an analysis with every variant of the network, none of which was tested.
func substitutionOf(t *testing.T, net *model.Network, train, held data.Split, o Options) *substitution {
	t.Helper()
	m := measurementOf(t, net, train, held, o)
	c, err := newChain(net, m.sites)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.close)
	f := &substitution{measurement: m, chain: c, all: &Replacements{}, list: replacements}
	for i := range m.sites {
		m.d.Layers[i].Function = &Replacements{}
	}
	if f.x, err = c.inputs(context.Background(), m.fit); err == nil {
		err = f.replaceEach(context.Background())
	}
	for _, r := range replacements {
		if err == nil {
			err = f.replaceAll(context.Background(), r)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// replacer returns the replacement of a column.
func replacer(t *testing.T, head string) replacement {
	t.Helper()
	at := slices.IndexFunc(replacements, func(r replacement) bool { return r.head == head })
	if at < 0 {
		t.Fatalf("no replacement %q", head)
	}
	return replacements[at]
}

// with returns the network with all layers replaced by the variant of a column, computed as a whole.
func (f *substitution) with(t *testing.T, head string) *model.Network {
	t.Helper()
	at := slices.Index(f.to, replacer(t, head).of(f.all))
	if at < 0 {
		t.Fatalf("%s: not all layers are replaced", head)
	}
	return f.whole(f.variants[at])
}

func (f *substitution) whole(v variant) *model.Network {
	by := map[string]analyse.Predictor{}
	for i, p := range v {
		by[f.sites[i].path] = p
	}
	return replace(f.Net, by)
}

// label gives every image the class that the network finds.
func label(t *testing.T, net *model.Network, images data.Split) {
	t.Helper()
	as := answers(t, net, images)
	classes := len(as) / images.Len()
	for i := range images.Labels {
		row := as[i*classes : (i+1)*classes]
		images.Labels[i] = int32(slices.Index(row, slices.Max(row)))
	}
}

// Without content, the mean attention is the attention: no logit changes, for one kind of value as for the other. The
// shift-invariant mean is another function, and so is uniform attention.
func TestMeanAttentionChangesNothing(t *testing.T) {
	for _, encoding := range []string{"quadratic", "learned", "content"} {
		net := small(t, func(s *model.Spec) { s.Encoding = encoding })
		f := substitutionOf(t, net, noise(60), otherNoise(30), Options{Images: 60, Attention: 10})
		as := answers(t, net, f.Held)
		if by := apart(as, answers(t, f.with(t, "mean"), f.Held)); (by > 1e-5) != (encoding == "content") {
			t.Errorf("%s: mean attention changes logits by %v", encoding, by)
		}
		for _, head := range []string{"shift", "uniform", "constant"} {
			if by := apart(as, answers(t, f.with(t, head), f.Held)); by < 1e-4 {
				t.Errorf("%s: %s changes logits by %v only", encoding, head, by)
			}
		}
	}
}

// A layer whose heads are taps of their own, as in the theorem, is replaced by them without a change; a soft one is
// not.
func TestHardTapsOfTheorem(t *testing.T) {
	for _, sharp := range []float64{1, 400} {
		net := small(t, func(s *model.Spec) { s.Encoding, s.Heads = "quadratic-general", model.Ints{9} })
		for i := range net.Spec.Blocks() {
			sites, err := sitesOf(net)
			if err != nil {
				t.Fatal(err)
			}
			heads := attentionOf(sites[i]).Encoding.(posenc.Gaussian)
			for h := range 9 {
				heads.Put(h, posenc.Head{Center: [2]float64{float64(h/3 - 1), float64(h%3 - 1)},
					Precision: [2][2]float64{{sharp, 0}, {0, sharp}}})
			}
		}
		f := substitutionOf(t, net, noise(60), otherNoise(30), Options{Images: 60})
		by := apart(answers(t, net, f.Held), answers(t, f.with(t, "taps"), f.Held))
		if sharp > 1 && by > 1e-5 || sharp == 1 && by < 1e-3 {
			t.Errorf("precision %v: hard taps change logits by %v", sharp, by)
		}
	}
}

// Taps with zeros read a token where its shift is on the grid, and nothing elsewhere.
func TestHardTapsWithZeros(t *testing.T) {
	net := small(t, func(s *model.Spec) { s.Encoding = "quadratic-general" })
	shifts := [][2]int{{1, 0}, {0, -1}, {0, 0}, {-1, 1}}
	var sharp []posenc.Head
	for _, s := range shifts {
		sharp = append(sharp, posenc.Head{Center: [2]float64{float64(s[0]), float64(s[1])},
			Precision: [2][2]float64{{400, 0}, {0, 400}}})
	}
	place(t, net, [][]posenc.Head{sharp})
	m := measurementOf(t, net, noise(5), otherNoise(5), Options{Images: 5})
	p, err := replacer(t, "taps 0").with(m.sites[0])
	if err != nil {
		t.Fatal(err)
	}
	for h, shift := range shifts {
		for i, got := range p[h] {
			r, c, want := i/16/4+shift[0], i/16%4+shift[1], 0.
			if r >= 0 && r < 4 && c >= 0 && c < 4 && i%16 == r*4+c {
				want = 1
			}
			if got != want {
				t.Fatalf("head %d: query %d reads key %d by %v, want %v", h, i/16, i%16, got, want)
			}
		}
	}
}

// Attention of an untrained network that is the network itself changes nothing, and attention of another one does.
func TestUntrainedAttention(t *testing.T) {
	for _, same := range []bool{true, false} {
		net := small(t, func(s *model.Spec) { s.Encoding = "quadratic" })
		f := substitutionOf(t, net, noise(60), otherNoise(30), Options{Images: 60, Seeds: 1})
		f.Fresh = func(seed uint64) (*model.Network, error) {
			if same {
				return net, nil
			}
			return model.New(net.Spec, seed)
		}
		if err := f.seeUntrained(context.Background()); err != nil {
			t.Fatal(err)
		}
		if err := f.replaceAll(context.Background(), replacer(t, "untr.")); err != nil {
			t.Fatal(err)
		}
		by := apart(answers(t, net, f.Held), answers(t, f.with(t, "untr."), f.Held))
		if same && by > 1e-5 || !same && by < 1e-3 {
			t.Errorf("the network's own attention %t: logits change by %v", same, by)
		}
	}
}

// A network of 3 × 3 convolutions with zero borders is found by regressions of 3 × 3, alone and one after the other,
// and not by those of 1 × 1. One that repeats its edges is not found, since the regressions have zero borders.
func TestFunctionRecoversConvolutions(t *testing.T) {
	for _, border := range []string{"zero", "replicate"} {
		net := small(t, func(s *model.Spec) { s.Kind, s.Heads, s.Border = "conv-twin", model.Ints{9}, border })
		train, held := noise(200), otherNoise(300)
		f := substitutionOf(t, net, train, held, Options{Images: 200, Kernel: 3})
		as := answers(t, net, held)
		if by := apart(as, answers(t, f.with(t, "3×3"), held)); (by > 1e-3) != (border == "replicate") {
			t.Errorf("%s borders: 3 × 3 changes logits by %v", border, by)
		}
		if by := apart(as, answers(t, f.with(t, "1×1"), held)); by < 1e-2 {
			t.Errorf("%s borders: 1 × 1 changes logits by %v only", border, by)
		}
		if border == "replicate" {
			continue
		}
		label(t, net, held)
		d, err := Measure(context.Background(), Subject{Name: "x", Net: net, Train: train, Held: held, Split: "val"},
			Options{Images: 200, Kernel: 3, Function: true})
		if err != nil {
			t.Fatal(err)
		}
		all := d.FunctionAll
		if d.Unchanged.Acc != 1 || d.Unchanged.N != 300 || all.K3.Acc < 0.99 || all.Mean.Acc != 1 ||
			all.K1.Acc > 0.95 || all.Constant.Acc > 0.9 || all.Constant.Diff != null.Float(all.Constant.Acc-1) {
			t.Errorf("unchanged %+v, 3 × 3 %+v, 1 × 1 %+v, mean %+v, constant %+v", d.Unchanged, all.K3, all.K1,
				all.Mean, all.Constant)
		}
		if all.K5 != nil || all.Taps != nil || all.Uniform != nil || d.Layers[1].Function.K3.Acc < 0.99 ||
			d.Layers[1].Function.K5 != nil {
			t.Errorf("all %+v, layer 2 %+v", all, d.Layers[1].Function)
		}
		if ci := all.K3.CI; !(ci.Lo < all.K3.Acc && ci.Hi > all.K3.Acc-1e-12) || d.Unchanged.Diff.Known() ||
			d.Unchanged.DiffCI.Known() {
			t.Errorf("interval %v of %v, unchanged %+v", ci, all.K3.Acc, d.Unchanged)
		}
	}
}

// In the row of all layers, the second layer is fitted on what the first replacement leaves: a constant first layer
// leaves the second another input, for which its best 1 × 1 convolution is another. Alone, it is fitted on its own
// inputs.
func TestReplacementsFollowEachOther(t *testing.T) {
	net := small(t, func(s *model.Spec) { s.Encoding = "content" })
	f := substitutionOf(t, net, noise(100), otherNoise(20), Options{Images: 100, Attention: 20, Kernel: 1})
	ctx, first := context.Background(), variant{constant(make([]float64, 8), 16), nil}
	x, err := f.chain.next(ctx, 0, f.x, first[0])
	if err != nil {
		t.Fatal(err)
	}
	second := *f.sites[1]
	own, before := second.kernels[0].Maps[0], second.operator.Layer.Attention[0]
	second.kernels = nil
	k, err := f.kernel(ctx, 1, &second, 1, x)
	if err != nil {
		t.Fatal(err)
	}
	by := 0.0
	for i, v := range k.Maps[0] {
		by = max(by, math.Abs(v-own[i]))
	}
	if err := f.seeAgain(ctx, first, 1, &second); err != nil {
		t.Fatal(err)
	}
	moved := 0.0
	for i, v := range second.operator.Layer.Attention[0] {
		moved = max(moved, math.Abs(v-before[i]))
	}
	if by < 1e-3 || moved < 1e-4 {
		t.Errorf("behind another first layer, the kernel differs by %v and attention by %v", by, moved)
	}
	// as the analysis does it: the first layer's own kernel is the same alone and in the row of all, the second's not
	alone, all := f.outputs(t, f.d.Layers[0].Function, f.d.Layers[1].Function), f.outputs(t, f.all, f.all)
	if apart(alone[0], all[0]) > 0 || apart(alone[1], all[1]) < 1e-3 {
		t.Errorf("alone and in the row of all, 1 × 1 differs by %v in layer 1 and by %v in layer 2",
			apart(alone[0], all[0]), apart(alone[1], all[1]))
	}
}

// outputs are what the 1 × 1 convolutions of each layer make of the same inputs.
func (f *substitution) outputs(t *testing.T, of ...*Replacements) (y [][]float32) {
	t.Helper()
	for i, replaced := range of {
		v := f.variants[slices.Index(f.to, &replaced.K1)]
		y = append(y, v[i](f.x, f.fit.Len()))
	}
	return y
}

// Of equal logits the first is the prediction, and a row with a NaN has none.
func TestFirstOfEqualLogits(t *testing.T) {
	nan := float32(math.NaN())
	for _, tt := range []struct {
		logits []float32
		right  int // the label that is; -1: none
	}{{[]float32{2, 2, 1}, 0}, {[]float32{1, 2, 2}, 1}, {[]float32{0, 0, 0}, 0}, {[]float32{2, 1, nan}, -1}} {
		for label := range tt.logits {
			if got := rankedFirst(tt.logits, label); got != (label == tt.right) {
				t.Errorf("logits %v, label %d: %t", tt.logits, label, got)
			}
		}
	}
}

// Uniform attention is 1/tokens for each pair of a query and a key, the query itself included.
func TestUniformAttention(t *testing.T) {
	net := small(t, func(s *model.Spec) { s.Encoding = "learned" })
	m := measurementOf(t, net, noise(5), otherNoise(5), Options{Images: 5, Attention: 5})
	for _, s := range m.sites {
		all, err := s.uniformAttention()
		if err != nil || len(all) != 4 {
			t.Fatalf("%d heads, %v", len(all), err)
		}
		for h, p := range all {
			if len(p) != 16*16 {
				t.Fatalf("head %d has %d pairs, want 16 × 16", h, len(p))
			}
			for i, v := range p {
				if v != 1./16 {
					t.Fatalf("head %d: query %d looks at key %d by %v, want 1/16", h, i/16, i%16, v)
				}
			}
		}
	}
}

// eachLogits calls f with a network's outputs for batches of images, (images, classes), and their labels.
func eachLogits(ctx context.Context, net *model.Network, split data.Split, f func(y []float32, labels []int32)) error {
	p, err := newProgram(net, batch, []string{logits})
	if err != nil {
		return err
	}
	defer p.f.Close()
	return p.each(ctx, split, func(b *data.Batch) error {
		f(p.value(0, b.N), b.Labels[:b.N])
		return nil
	})
}
