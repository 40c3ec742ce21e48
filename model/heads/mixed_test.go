package heads

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/model"
)

// mixed is a network of blocks of two kinds, with options of their own.
func mixed() model.Spec {
	s := small()
	s.Layers = model.Layers{
		{Kind: "conv", Repeat: 2, Own: map[string]any{"size": 3, "ffn": 7}},
		{Own: map[string]any{"encoding": "learned", "heads": model.Ints{2}, "max_position": 6}},
		{Own: map[string]any{"encoding": "relative", "value": "factored", "head_dim": 4,
			"terms": []string{"qk", "vr"}}},
		{Kind: "conv"},
	}
	s.Heads = model.Ints{3, 3, 3, 3, 4}
	return s
}

// images are n images of noise.
func images(n int, s model.Spec) []float32 {
	rng := rand.New(rand.NewPCG(5, 6))
	x := make([]float32, n*s.Image[0]*s.Image[1]*s.Image[2])
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}

func small() model.Spec {
	s := model.Default()
	s.Layers, s.Heads, s.Dim, s.FFN, s.Image, s.Classes = model.Equal(2), model.Ints{3}, 8, 12, [3]int{8, 12, 3}, 5
	return s
}

// Layers without heads have none to show, and those that have keep their numbers.
func TestHeadsOfMixedNetwork(t *testing.T) {
	s := mixed()
	s.Layers[1].Own = map[string]any{"heads": model.Ints{2}}
	net, err := model.New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	heads, isotropic := net.Heads()
	start, err := model.InitialHeads(s, 1)
	if err != nil || !reflect.DeepEqual(heads, start) || !isotropic {
		t.Errorf("heads %v, at the start %v, %v", heads, start, err)
	}
	if len(heads) != 5 || len(heads[2]) != 2 || heads[0] != nil || heads[3] != nil {
		t.Errorf("heads %v: want two in the third layer of five", heads)
	}
	for block, want := range []int{0, 0, 2, 0, 0, 0} {
		if got := len(Weights(net, block)); got != want {
			t.Errorf("block %d has matrices of %d heads, want %d", block, got, want)
		}
	}
	l, err := NewReader(net)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	layers, err := l.Of(images(1, s))
	if err != nil {
		t.Fatal(err)
	}
	for i, layer := range layers {
		if want := []int{0, 0, 2, 3, 0}[i]; layer.Heads != want || len(layer.Weights()) != want*24*24 {
			t.Errorf("layer %d shows %d heads and %d weights, want %d heads", i, layer.Heads, len(layer.Weights()),
				want)
		}
	}
	pruned, err := Prune(net, func(layer, head int) bool { return head == 1 })
	if err != nil {
		t.Fatal(err)
	}
	if got := pruned.Spec.Heads.String(); got != "3,3,1,3,4" {
		t.Errorf("heads %s, want one less in the third layer", got)
	}
}

func TestFreezeOfMixedNetwork(t *testing.T) {
	net, err := model.New(mixed(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for item, want := range map[string]string{
		"heads:1": "layer 1 is a convolution and has no heads; its convolutions are " +
			"encoder.layer.0.attention.self.conv.*",
		"heads:6":   "with layers 1 to 5",
		"heads:3.1": "heads of encoding learned share parameters",
	} {
		if err := Freeze(net, []string{item}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", item, err, want)
		}
	}
	if err := Freeze(net, []string{"heads"}); err != nil {
		t.Fatal(err)
	}
	for name := range frozenIn(net) {
		if !strings.Contains(name, "layer.2.attention.self.") && !strings.Contains(name, "layer.3.attention.self.") {
			t.Errorf("%s is frozen", name)
		}
	}
}
