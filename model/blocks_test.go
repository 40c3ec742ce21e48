package model

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/internal/plain"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/option"
)

// listed is a small network of those blocks.
func listed(layers Layers) Spec {
	s := small()
	s.Layers, s.Heads, s.Dropout, s.AttentionDropout = layers, Ints{9}, 0, 0
	return s
}

// ConvMixer as in its authors' code for CIFAR-10: so many parameters and multiply-adds.
func TestConvMixerCounts(t *testing.T) {
	for _, tt := range []struct{ dim, params, macs int }{{256, 594_186, 148_113_920}, {128, 166_026, 40_502_528}} {
		s := Default()
		s.Layers, s.Dim, s.Size, s.Stem = Layers{{Kind: "convmixer", Repeat: 8}}, tt.dim, 5, "convmixer"
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
		if got := s.Params(); got != tt.params {
			t.Errorf("dim %d: %d parameters, want %d", tt.dim, got, tt.params)
		}
		if got := s.MACs().Definition; got != tt.macs {
			t.Errorf("dim %d: %d multiply-adds, want %d", tt.dim, got, tt.macs)
		}
	}
}

// Each block has the parameters and multiply-adds of its equation, for 24 tokens of 8 channels and 12 hidden ones.
func TestBlockCounts(t *testing.T) {
	const tokens, dim, ffn = 24, 8, 12
	frame := dim*dim + dim + 2*dim + dim*ffn + ffn + ffn*dim + dim + 2*dim // dense, norm, up, down, norm
	frameMACs := tokens * (dim*dim + 2*dim*ffn)
	rest := listed(Equal(1))
	outside := func(b Block) (params, macs int) {
		s := rest
		s.Layers = Layers{b, b}
		two, twice := s.Params(), s.MACs().Definition
		s.Layers = Layers{b}
		return two - s.Params(), twice - s.MACs().Definition
	}
	for _, tt := range []struct {
		block        Block
		params, macs int
	}{
		{Block{Kind: "depthwise", Own: map[string]any{"size": 5}}, dim*25 + dim + frame, tokens*dim*25 + frameMACs},
		{Block{Kind: "pointwise"}, dim*dim + dim + frame, tokens*dim*dim + frameMACs},
		{Block{Kind: "convmixer"}, dim*9 + dim + dim*dim + dim + 4*dim, tokens * (dim*9 + dim*dim)},
		{Block{Kind: "convnext"}, dim*49 + dim + 2*dim + dim*4*dim + 4*dim + 4*dim*dim + dim + dim,
			tokens * (dim*49 + 2*dim*4*dim)},
		{Block{Kind: "mixer", Own: map[string]any{"mixer_hidden": 7}},
			4*dim + tokens*7 + 7 + 7*tokens + tokens + 2*dim*ffn + ffn + dim, dim*2*tokens*7 + tokens*2*dim*ffn},
		{Block{Kind: "mixer"}, 4*dim + tokens*4 + 4 + 4*tokens + tokens + 2*dim*ffn + ffn + dim,
			dim*2*tokens*4 + tokens*2*dim*ffn},
	} {
		if params, macs := outside(tt.block); params != tt.params || macs != tt.macs {
			t.Errorf("%s: %d parameters and %d multiply-adds, want %d and %d", tt.block.Kind, params, macs, tt.params,
				tt.macs)
		}
	}
}

// Whatever follows whatever: a step has the gradient of its loss, an evaluation is finite, descriptions count every
// parameter, and the weights tell the list.
func TestAnyListOfBlocks(t *testing.T) {
	for _, first := range Blocks.Names() {
		for _, second := range Blocks.Names() {
			t.Run(first+", "+second, func(t *testing.T) {
				s := listed(Layers{{Kind: first}, {Kind: second}})
				net, err := New(s, 3)
				if err != nil {
					t.Fatal(err)
				}
				checkAlongGradient(t, net, 4, 1e-2)
				logits, _ := runOf(t, net, false, images(2, s), []int32{0, 1})
				for _, v := range logits {
					if v != v || math.Abs(float64(v)) > 1e3 {
						t.Fatalf("logits %v", logits)
					}
				}
				params := 0
				for _, p := range s.Parts() {
					params += p.Params
				}
				if params != s.Params() || nn.CountLearned(net.Params) != params {
					t.Errorf("a description counts %d parameters, the network %d", params, s.Params())
				}
				checkInferred(t, net)
			})
		}
	}
}

// checkInferred compares a network with the one that its weights tell.
func checkInferred(t *testing.T, net *Network) {
	t.Helper()
	base := Default()
	base.Image = net.Spec.Image
	found, err := Infer(net.Tensors(), base)
	if err != nil {
		t.Fatal(err)
	}
	again, err := New(found, 0)
	if err != nil {
		t.Fatal(err)
	}
	shapes := func(n *Network) (all []string) {
		for _, p := range n.Params {
			all = append(all, fmt.Sprint(p.Name, p.Shape))
		}
		return all
	}
	if got, want := shapes(again), shapes(net); !slices.Equal(got, want) {
		t.Errorf("%s is inferred as %s", net.Spec, found)
	}
}

func TestInferStemOfConvMixer(t *testing.T) {
	s := listed(Layers{{Kind: "convmixer", Repeat: 2, Own: map[string]any{"size": 5}}})
	s.Stem = "convmixer"
	net, err := New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	checkInferred(t, net)
}

// A network with that one block is, between its stem and its head, what the block's definition says.
func checkBlock(t *testing.T, s Spec, train bool, define func(m *plainMixer, x []float64) []float64) {
	t.Helper()
	net, err := New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range net.Params { // statistics and norms that differ from one channel to the next
		for i := range p.Data {
			if strings.Contains(strings.ToLower(p.Name), "norm") || strings.HasSuffix(p.Name, "gamma") {
				p.Data[i] += 0.3 + 0.05*float32(i%7)
			}
		}
	}
	o := oracleOf(net)
	const count = 3
	x, grid := images(count, s), s.Grid()
	m := &plainMixer{Rows: grid.Rows, Cols: grid.Cols, Dim: s.Dim, Size: 3, Params: map[string][]float64{}}
	for name, w := range o.w {
		if own, ok := strings.CutPrefix(name, "encoder.layer.0."); ok {
			m.Params[own] = float64s(w)
		}
	}
	if s.Border == "replicate" {
		m.Outside = plain.Edge
	}
	size := len(x) / count
	var tokens []float64
	for i := range count {
		tokens = append(tokens, slices.Concat(o.tokens(float64s(x[i*size:][:size]))...)...)
	}
	if s.Stem == "convmixer" {
		norm := &plainMixer{Dim: s.Dim, Params: map[string][]float64{}}
		for name, w := range o.w {
			norm.Params[strings.TrimPrefix(name, "stem.")] = float64s(w)
		}
		tokens = norm.Stem(tokens, train)
	}
	y := define(m, tokens)
	logits, _ := runOf(t, net, train, x, []int32{0, 1, 2})
	for i := range count {
		mean := make([]float64, s.Dim)
		image := y[i*len(y)/count:][:len(y)/count]
		for token := range slices.Chunk(image, s.Dim) {
			if _, normed := o.w["encoder.LayerNorm.weight"]; normed {
				token = o.norm("encoder.LayerNorm", token)
			}
			for c, v := range token {
				mean[c] += v * float64(s.Dim) / float64(len(image))
			}
		}
		for c, want := range o.linear("classifier", mean) {
			if got := float64(logits[i*s.Classes+c]); math.Abs(got-want) > 3e-6 {
				t.Errorf("train %t, image %d, class %d: logit %.8f, definition %.8f", train, i, c, got, want)
			}
		}
	}
}

func TestConvMixerEqualsDefinition(t *testing.T) {
	for _, train := range []bool{false, true} {
		for _, border := range Borders.Names() {
			s := listed(Layers{{Kind: "convmixer"}})
			s.Stem, s.Border = "convmixer", border
			checkBlock(t, s, train, func(m *plainMixer, x []float64) []float64 { return m.Conv(x, train) })
		}
	}
}

func TestConvNeXtEqualsDefinition(t *testing.T) {
	checkBlock(t, listed(Layers{{Kind: "convnext"}}), true, func(m *plainMixer, x []float64) []float64 {
		m.Size = 7
		return m.NeXt(x)
	})
}

// The blocks of ConvNeXt-T have as many parameters as in their authors' network (Liu et al. 2022), whose stem, maps
// between stages and head have the others. So has the isotropic ConvNeXt-S of their code, apart from γ, which it lacks.
func TestConvNeXtCounts(t *testing.T) {
	s := Default()
	count := func(dim, blocks int) int {
		s.Layers, s.Dim = Layers{{Kind: "convnext", Repeat: blocks}}, dim
		return s.Params()
	}
	got := 0
	for i, depth := range []int{3, 3, 9, 3} {
		dim := 96 << i
		got += count(dim, depth+1) - count(dim, 1)
		if i == 0 {
			got += 4*4*3*dim + dim + 2*dim // squares of 4 × 4 pixels, and a norm
		} else {
			got += dim + 2*2*dim/2*dim + dim // a norm of dim/2 channels, and squares of 2 × 2 pixels
		}
	}
	if got += 2*768 + 1000*768 + 1000; got != 28_589_128 {
		t.Errorf("ConvNeXt-T has %d parameters, want 28,589,128", got)
	}
	s.Image, s.Classes, s.Pool = [3]int{224, 224, 3}, 1000, 16
	if got := count(384, 18) - 18*384; got != 22_308_712 {
		t.Errorf("ConvNeXt-S (isotropic) has %d parameters, want 22,308,712", got)
	}
}

func TestMixerEqualsDefinition(t *testing.T) {
	s := listed(Layers{{Kind: "mixer", Own: map[string]any{"mixer_hidden": 5}}})
	checkBlock(t, s, true, (*plainMixer).MLP)
}

// twins runs two networks with blocks of two kinds, whose parameters are alike except for those that change copies, and
// compares their logits and the gradients of the classifier.
func twins(t *testing.T, a, b Block, change func(b, a *nn.Param)) {
	t.Helper()
	first, err := New(listed(Layers{a}), 4)
	if err != nil {
		t.Fatal(err)
	}
	second, err := New(listed(Layers{b}), 5)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range second.Params {
		if q := first.Params[i]; slices.Equal(p.Shape, q.Shape) {
			copy(p.Data, q.Data)
		} else {
			change(p, q)
		}
	}
	x, labels := images(3, first.Spec), []int32{0, 1, 2}
	one, grads := runOf(t, first, true, x, labels)
	two, others := runOf(t, second, true, x, labels)
	if d := largest(one, two); d > 2e-6 {
		t.Errorf("%s and %s: logits differ by %v", a.Kind, b.Kind, d)
	}
	for _, name := range []string{"model.classifier.weight", "model.features_upscale.weight"} {
		if d := largest(grads[name], others[name]); d > 2e-6 {
			t.Errorf("%s and %s: gradients of %s differ by %v", a.Kind, b.Kind, name, d)
		}
	}
}

// A depth-wise block is a block with a convolution whose kernel is diagonal.
func TestDepthwiseBlockIsADiagonalConvolution(t *testing.T) {
	for _, border := range Borders.Names() {
		own := map[string]any{"size": 5, "border": border}
		twins(t, Block{Kind: "depthwise", Own: own}, Block{Kind: "conv", Own: own}, func(full, depth *nn.Param) {
			clear(full.Data)
			dim, taps := full.Shape[0], 25
			for c := range dim {
				copy(full.Data[(c*dim+c)*taps:][:taps], depth.Data[c*taps:])
			}
		})
	}
}

// A pointwise block is a block with a convolution of size 1, and that a linear map of each token.
func TestPointwiseBlockIsAConvolutionOfSizeOne(t *testing.T) {
	twins(t, Block{Kind: "pointwise"}, Block{Kind: "conv", Own: map[string]any{"size": 1}},
		func(to, from *nn.Param) { copy(to.Data, from.Data) })
}

// With conv_init dirac, a depth-wise convolution begins as the identity.
func TestDiracDepthwise(t *testing.T) {
	s := listed(Layers{{Kind: "convmixer", Own: map[string]any{"size": 4, "conv_init": "dirac"}}})
	net, err := New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range net.Params {
		if !strings.HasSuffix(p.Name, "depth.weight") {
			continue
		}
		for i, v := range p.Data {
			if want := i%16 == 5; (v == 1) != want || !want && v != 0 { // row 1, column 1 of 4 × 4
				t.Errorf("weight %d is %v", i, v)
			}
		}
	}
}

// Blocks work for smaller images, except where a map has a weight for each token.
func TestResizedBlocks(t *testing.T) {
	for _, kind := range Blocks.Names() {
		s := listed(Layers{{Kind: kind}, {}})
		s.Image = [3]int{32, 32, 3}
		net, err := New(s, 1)
		if err != nil {
			t.Fatal(err)
		}
		_, err = net.Resized(16, 16)
		if kind != "mixer" {
			if err != nil {
				t.Errorf("%s: %v", kind, err)
			}
			continue
		}
		const want = "a network for images of 16 × 16 has other weights"
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("mixer: %v, want %q", err, want)
		}
	}
}

func TestMixerOptionsRefused(t *testing.T) {
	s := listed(Layers{{Kind: "mixer", Own: map[string]any{"mixer_hidden": -1}}})
	if err := s.Validate(); err == nil || err.(*option.Error).Key != "model.layers[0].mixer_hidden" {
		t.Errorf("%v", err)
	}
	s = listed(Layers{{Kind: "convmixer", Own: map[string]any{"ffn": 8}}})
	if err := s.Validate(); err == nil || err.(*option.Error).Key != "model.layers[0].ffn" {
		t.Errorf("%v", err)
	}
	s = listed(Layers{{Kind: "convnext", Own: map[string]any{"size": 5}}})
	if err := s.Validate(); err == nil || err.Error() != "model.layers[0].size a block of kind convnext has none; it has no options" {
		t.Errorf("%v", err)
	}
	s = listed(Layers{{Kind: "depthwise"}})
	s.Heads = Ints{8}
	if err := s.Validate(); err == nil || err.(*option.Error).Key != "model.heads" {
		t.Errorf("%v", err)
	}
}
