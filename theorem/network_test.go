package theorem

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/nn"
)

// Every convolution of a residual network, strided ones and shortcuts too, becomes attention on what it reads there.
func TestConvolutionsOfANetworkBecomeAttention(t *testing.T) {
	const n, rows, cols, channels = 2, 9, 8, 3
	net := conv.NewResNet(nn.NewScope(1), conv.ResNetOptions{Channels: channels, Width: 2, Depths: [4]int{1, 1, 1, 1}, Classes: 2})
	x := normal[float32](rand.New(rand.NewPCG(1, 1)), n*rows*cols*channels, 1)
	sites, err := Sites(net, x, n, rows, cols, channels)
	if err != nil {
		t.Fatal(err)
	}
	if len(sites) != 12 || sites[0].Name != "conv1" || sites[3].Name != "layer2.0.conv1" || sites[3].Conv.Stride[1] != 2 ||
		sites[11].Size[0] != 2 {
		t.Errorf("found %d convolutions: %+v", len(sites), sites)
	}
	found, err := CompareSites(t.Context(), sites, 104)
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range found {
		if d.Rel > 1e-6 || !d.Bits || d.Leak != 0 {
			t.Errorf("%s: %+v", sites[i].Name, d)
		}
	}
	// With new norms the second convolution reads max(0, conv1(x)/√(1 + 1e-5)).
	for p, y := range sites[0].Conv.Forward([]int{rows, cols}, sites[0].Pictures...) {
		for i, v := range y {
			if got, want := float64(sites[1].Pictures[p][i]), max(0, float64(v)/math.Sqrt(1+1e-5)); math.Abs(got-want) > 1e-5 {
				t.Fatalf("picture %d, number %d: the second convolution reads %v, want %v", p, i, got, want)
			}
		}
	}
}
