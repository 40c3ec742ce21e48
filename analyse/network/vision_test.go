package network

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/attnconv/attnconv/analyse/vision"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/internal/torch"
	"github.com/attnconv/attnconv/model/ckpt"
)

// tensors reads a network of package vision's tests.
func tensors(t *testing.T, name string) []ckpt.Tensor {
	t.Helper()
	f, err := torch.Read("../vision/testdata/"+name+".pth", func([]string) (map[string]bool, error) { return nil, nil })
	if err != nil {
		t.Fatal(err)
	}
	return f.Tensors
}

func visionOf(t *testing.T, all []ckpt.Tensor, heads int) *vision.Network {
	t.Helper()
	n, err := vision.New(all, vision.Options{Heads: heads})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// pixels are images of numbers between -1 and 1.
func pixels(n *vision.Network, count int) vision.Images {
	size := 3 * n.Facts.Image[0] * n.Facts.Image[1]
	return vision.Images{Count: count, At: func(i int) []float32 {
		x, r := make([]float32, size), uint32(i+1)
		for j := range x {
			r = r*1664525 + 1013904223
			x[j] = float32(r>>8)/(1<<23) - 1
		}
		return x
	}}
}

func measureVision(t *testing.T, n *vision.Network, o Options) *Analysis {
	t.Helper()
	d, err := Vision(context.Background(), Subject{Name: "test"}, n, pixels(n, 6), o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestVisionAtInit has uniform attention in untrained networks: Σ N_δ/T² over 3 × 3 shifts is 100/256 on 4 × 4 tokens,
// with a class token or without.
func TestVisionAtInit(t *testing.T) {
	for name, slack := range map[string]float64{"timm_vit": 0.005, "timm_reg4": 0.005, "hf_vit": 0.005,
		"torchvision": 0.05} { // Xavier's weights are large for 18 channels
		heads := 3
		if name == "timm_reg4" {
			heads = 2
		}
		d := measureVision(t, visionOf(t, tensors(t, name), heads), Options{Seeds: 2})
		for _, l := range d.Layers {
			if l.Null == nil || math.Abs(float64(l.Null.Within.Mean)-100.0/256) > slack ||
				float64(l.Null.Place.Mean) > slack {
				t.Errorf("%s, layer %d: %+v at init", name, l.Layer, l.Null)
			}
		}
	}
}

// TestVisionGauge changes weights of a network with LayerScale without changing what it computes.
func TestVisionGauge(t *testing.T) {
	find := func(all []ckpt.Tensor, name string) []float32 {
		i := slices.IndexFunc(all, func(x ckpt.Tensor) bool { return x.Name == name })
		return all[i].Data
	}
	before, after := tensors(t, "deit3"), tensors(t, "deit3")
	scale := find(after, "blocks.0.gamma_1")
	weight, bias := find(after, "blocks.0.attn.proj.weight"), find(after, "blocks.0.attn.proj.bias")
	for o := range scale {
		by := float32(o%3 + 1)
		scale[o] /= by
		bias[o] *= by
		for i := range weight[o*len(scale) : (o+1)*len(scale)] {
			weight[o*len(scale)+i] *= by
			weight[o*len(scale)+i] += float32(i%5) / 7 / scale[o] // the norm behind removes it
		}
	}
	a, b := visionOf(t, before, 2), visionOf(t, after, 2)
	x, err1 := a.Run(context.Background(), pixels(a, 1), nil)
	y, err2 := b.Run(context.Background(), pixels(a, 1), nil)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	for i, v := range x[0] {
		if math.Abs(float64(v-y[0][i])) > 1e-4 {
			t.Fatalf("logit %d: %g, and %g of the other weights", i, v, y[0][i])
		}
	}
	p, q := measureVision(t, a, Options{}).Layers[0], measureVision(t, b, Options{}).Layers[0]
	for i, v := range p.Shares.List() {
		if math.Abs(v-q.Shares.List()[i]) > 1e-6 {
			t.Errorf("share %d: %.8f, and %.8f of the other weights", i, v, q.Shares.List()[i])
		}
	}
	if math.Abs(p.Raw.K3-q.Raw.K3) < 1e-3 {
		t.Error("the weights as they are have the same shares: the test changes nothing")
	}
}

// TestVisionOnThreads has the same values on one thread and on two.
func TestVisionOnThreads(t *testing.T) {
	n := visionOf(t, tensors(t, "timm_vit"), 3)
	var all []*Analysis
	for _, threadCount := range []int{1, 2} {
		threads.SetLimit(threadCount)
		all = append(all, measureVision(t, n, Options{Seeds: 1, Headline: true}))
	}
	threads.SetLimit(0)
	for i, l := range all[0].Layers {
		if *l.Shares != *all[1].Layers[i].Shares || *l.Answers != *all[1].Layers[i].Answers {
			t.Errorf("layer %d: %+v, and %+v on two threads", l.Layer, l.Shares, all[1].Layers[i].Shares)
		}
	}
}

// TestVisionStops ends at any moment.
func TestVisionStops(t *testing.T) {
	n := visionOf(t, tensors(t, "timm_vit"), 3)
	for stop := range 8 {
		ctx, cancel := context.WithCancel(context.Background())
		count := 0
		s := Subject{Name: "test", Tell: func(string, ...any) {
			if count++; count > stop/2 {
				cancel()
			}
		}}
		if _, err := Vision(ctx, s, n, pixels(n, 6), Options{Seeds: 2, Headline: true}); !errors.Is(err,
			context.Canceled) &&
			count > stop/2 {
			t.Errorf("canceled at stage %d: %v", stop/2, err)
		}
		cancel()
	}
}
