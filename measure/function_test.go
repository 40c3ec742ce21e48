package measure

import (
	"context"
	"math"
	"testing"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/report"
)

// answers are a network's logits of all images.
func answers(t *testing.T, net *model.Network, split data.Split) (all []float32) {
	t.Helper()
	if err := logits(context.Background(), net, split, func(y []float32, _ []int32) { all = append(all, y...) }); err != nil {
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

// measuringOf is an analysis of a network up to its regressions.
func measuringOf(t *testing.T, net *model.Network, images data.Split, o Options) *measuring {
	t.Helper()
	sites, err := sitesOf(net)
	if err != nil {
		t.Fatal(err)
	}
	o.Function = true
	m := &measuring{Subject: Subject{Name: "x", Net: net, Held: images}, o: o, d: &report.Analysis{}, sites: sites}
	m.divide()
	for _, step := range []func(context.Context) error{m.operators, m.spectra} {
		if err := step(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// with returns the network with every layer replaced.
func (m *measuring) with(t *testing.T, head string) *model.Network {
	t.Helper()
	by := map[string]analyse.Predictor{}
	for _, r := range replacements {
		for _, s := range m.sites {
			if r.head != head {
				continue
			}
			p, err := m.predictor(context.Background(), m.Net, s, r)
			if err != nil || p == nil {
				t.Fatal(head, p == nil, err)
			}
			by[s.path] = p
		}
	}
	return replace(m.Net, by)
}

// Without content, the mean attention is the attention: no logit changes, for one kind of value as for the other. The shift-invariant
// mean is another function, and so is uniform attention.
func TestMeanAttentionChangesNothing(t *testing.T) {
	images := noise(60)
	for _, encoding := range []string{"quadratic", "learned", "content"} {
		net := small(t, func(s *model.Spec) { s.Encoding = encoding })
		m := measuringOf(t, net, images, Options{Images: 30, Attention: 10})
		as := answers(t, net, m.score)
		if by := apart(as, answers(t, m.with(t, "mean"), m.score)); (by > 1e-5) != (encoding == "content") {
			t.Errorf("%s: mean attention changes logits by %v", encoding, by)
		}
		for _, head := range []string{"shift", "uniform", "constant"} {
			if by := apart(as, answers(t, m.with(t, head), m.score)); by < 1e-4 {
				t.Errorf("%s: %s changes logits by %v only", encoding, head, by)
			}
		}
	}
}

// A layer whose heads are taps of their own, as in the theorem, is replaced by them without a change; a soft one is not.
func TestHardTapsOfTheorem(t *testing.T) {
	images := noise(60)
	for _, sharp := range []float64{1, 400} {
		net := small(t, func(s *model.Spec) { s.Encoding, s.Heads = "quadratic-general", model.Ints{9} })
		for i := range net.Spec.Blocks() {
			sites, err := sitesOf(net)
			if err != nil {
				t.Fatal(err)
			}
			heads := attentionOf(sites[i]).Encoding.(posenc.Gaussian)
			for h := range 9 {
				heads.Put(h, posenc.Head{Center: [2]float64{float64(h/3 - 1), float64(h%3 - 1)}, Precision: [2][2]float64{{sharp, 0}, {0, sharp}}})
			}
		}
		m := measuringOf(t, net, images, Options{Images: 30})
		by := apart(answers(t, net, m.score), answers(t, m.with(t, "taps"), m.score))
		if sharp > 1 && by > 1e-5 || sharp == 1 && by < 1e-3 {
			t.Errorf("precision %v: hard taps change logits by %v", sharp, by)
		}
	}
}

// A network of 3 × 3 convolutions with zero borders is found by regressions of 3 × 3, alone and one after the other, and not by those
// of 1 × 1.
func TestFunctionRecoversConvolutions(t *testing.T) {
	net := small(t, func(s *model.Spec) { s.Kind, s.Heads, s.Border = "conv-twin", model.Ints{9}, "zero" })
	images := noise(400)
	m := measuringOf(t, net, images, Options{Images: 200, Kernel: 3})
	as := answers(t, net, m.score)
	if by := apart(as, answers(t, m.with(t, "3×3"), m.score)); by > 1e-3 {
		t.Errorf("3 × 3 changes logits by %v", by)
	}
	if by := apart(as, answers(t, m.with(t, "1×1"), m.score)); by < 1e-2 {
		t.Errorf("1 × 1 changes logits by %v only", by)
	}
	for i := range images.Labels { // as the network says, so that it has accuracy 1
		images.Labels[i] = 0
	}
	labelled := answers(t, net, images)
	classes := len(labelled) / images.Len()
	for i := range images.Labels {
		for class := range classes {
			if labelled[i*classes+class] > labelled[i*classes+int(images.Labels[i])] {
				images.Labels[i] = int32(class)
			}
		}
	}
	d, err := Network(context.Background(), Subject{Name: "x", Net: net, Held: images, Split: "val"}, Options{Images: 200, Kernel: 3, Function: true})
	if err != nil {
		t.Fatal(err)
	}
	all := d.FunctionAll
	if d.Unchanged.Acc != 1 || d.Unchanged.N != 200 || all.K3.Acc < 0.99 || all.Mean.Acc != 1 || all.K1.Acc > 0.95 || all.Constant.Acc > 0.9 {
		t.Errorf("unchanged %+v, 3 × 3 %+v, 1 × 1 %+v, mean %+v, constant %+v", d.Unchanged, all.K3, all.K1, all.Mean, all.Constant)
	}
	if all.K5 != nil || all.Taps != nil || all.Uniform != nil || d.Layers[1].Function.K3.Acc < 0.99 || d.Layers[1].Function.K5 != nil {
		t.Errorf("all %+v, layer 2 %+v", all, d.Layers[1].Function)
	}
	if ci := *all.K3.CI; !(ci[0] < all.K3.Acc && ci[1] >= all.K3.Acc) {
		t.Errorf("interval %v of %v", ci, all.K3.Acc)
	}
}

// In the row of all layers, the second layer is fitted on what the first replacement leaves: a constant first layer leaves the second
// another input, for which its best 1 × 1 convolution is another.
func TestReplacementsFollowEachOther(t *testing.T) {
	net := small(t, func(s *model.Spec) { s.Encoding = "content" })
	m := measuringOf(t, net, noise(200), Options{Images: 100, Attention: 20, Kernel: 1})
	by := map[string]analyse.Predictor{m.sites[0].path: constant(make([]float64, m.sites[0].out), m.sites[0].result.Tokens())}
	changed := replace(net, by)
	second := *m.sites[1]
	own := second.kernels[0].Maps[0]
	second.kernels = nil
	k, err := m.kernel(context.Background(), changed, &second, 1)
	if err != nil {
		t.Fatal(err)
	}
	by1 := 0.0
	for i, v := range k.Maps[0] {
		by1 = max(by1, math.Abs(v-own[i]))
	}
	before := second.operator.Layer.Attention[0]
	if err := m.seeAgain(context.Background(), changed, &second); err != nil {
		t.Fatal(err)
	}
	moved := 0.0
	for i, v := range second.operator.Layer.Attention[0] {
		moved = max(moved, math.Abs(v-before[i]))
	}
	if by1 < 1e-3 || moved < 1e-4 {
		t.Errorf("behind another first layer, the kernel differs by %v and attention by %v", by1, moved)
	}
}

// Of equal logits the first is the prediction, and a row with a NaN has none.
func TestFirstOfEqualLogits(t *testing.T) {
	nan := float32(math.NaN())
	for _, tt := range []struct {
		logits []float32
		right  [3]int // for each label
	}{{[]float32{2, 2, 1}, [3]int{1, 0, 0}}, {[]float32{1, 2, 2}, [3]int{0, 1, 0}}, {[]float32{0, 0, 0}, [3]int{1, 0, 0}},
		{[]float32{2, 1, nan}, [3]int{0, 0, 0}}} {
		for label, want := range tt.right {
			if got := rankedFirst(tt.logits, label); got != want {
				t.Errorf("logits %v, label %d: %d right, want %d", tt.logits, label, got, want)
			}
		}
	}
}

// Uniform attention is 1/tokens for each pair of a query and a key, the query itself included: behind it, every token
// of the layer's output is the same.
func TestUniformAttention(t *testing.T) {
	net := small(t, func(s *model.Spec) { s.Encoding = "learned" })
	m := measuringOf(t, net, noise(10), Options{Images: 5, Attention: 5})
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
