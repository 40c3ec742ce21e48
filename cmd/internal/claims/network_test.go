package claims

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/theorem"
)

// sites returns those of a small network with random norms, on images of a size that no stride divides.
func sites(t *testing.T) []Site {
	t.Helper()
	const n, rows, cols, channels = 2, 9, 8, 3
	s := nn.NewScope(1)
	net := conv.NewResNet(s, conv.ResNetOptions{Channels: channels, Width: 2, Depths: []int{1, 1, 1, 1}, Classes: 2})
	rng := rand.New(rand.NewPCG(1, 1))
	for _, p := range s.Params() {
		if len(p.Shape) == 1 { // norms, and the classifier's bias
			for i := range p.Data {
				p.Data[i] = float32(0.5 + rng.Float64())
			}
		}
	}
	found, err := Sites(net, normal[float32](rng, n*rows*cols*channels, 1), n, rows, cols, channels)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Every convolution of a residual network, also strided ones and shortcuts, equals an attention layer on its inputs.
func TestConvolutionsOfANetworkBecomeAttention(t *testing.T) {
	all := sites(t)
	if len(all) != 12 || all[0].Name != "conv1" || all[3].Name != "layer2.0.conv1" || all[3].Conv.Stride[1] != 2 ||
		all[11].Size[0] != 2 {
		t.Errorf("found %d convolutions: %+v", len(all), all)
	}
	found, err := CompareSites(t.Context(), all, 104)
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range found {
		if d.Rel > 2e-6 || d.Own > 2e-6 || d.Leak != 0 {
			t.Errorf("%s: %+v", all[i].Name, d)
		}
	}
	if all[2].Added == nil || all[4].Added != nil || all[4].ReLU {
		t.Error("want a sum behind the second convolution of a block, none and no cut behind a shortcut")
	}
}

// The inputs of a site are the network's own: the second convolution's are the results of the first.
func TestSitesAreReadOffTheNetwork(t *testing.T) {
	all := sites(t)
	for i, v := range all[0].Results[1] {
		if all[1].Images[1][i] != v {
			t.Fatalf("number %d: the second convolution reads %v, the first one made %v", i, all[1].Images[1][i], v)
		}
	}
}

// A site with a wrong geometry or bias has a large deviation.
func TestWrongSitesAreFoundOut(t *testing.T) {
	for name, spoil := range map[string]func(c *theorem.Conv[float32]){
		"stride":  func(c *theorem.Conv[float32]) { c.Stride = []int{1, 1} },
		"mirror":  func(c *theorem.Conv[float32]) { c.Flip = true },
		"padding": func(c *theorem.Conv[float32]) { c.Before, c.After = []int{0, 0}, []int{2, 2} },
		"bias":    func(c *theorem.Conv[float32]) { c.Bias = nil },
	} {
		site := sites(t)[3]
		spoil(site.Conv)
		d, err := site.compare(104)
		if err != nil || d.Rel < 0.01 || math.IsNaN(d.Rel) {
			t.Errorf("%s: %+v, %v; want a deviation", name, d, err)
		}
	}
}
