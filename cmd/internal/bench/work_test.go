package bench

import (
	"math"
	"testing"

	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/posenc"
)

// The paper's networks, counted by hand: 32 × 32 pixels of three colors, 2 × 2 of them a token, so 256 tokens of 12
// channels; six layers of nine heads, 400 channels, 512 in the feed-forward part.
const (
	linear = 256*12*400 + // stem
		256*9*16*400 + 5*256*9*400*400 + // values and dense maps folded, 12+1 columns in the first layer, padded to 16
		6*2*256*400*512 + // feed-forward
		400*10 // classifier
	full = 256*256*9*16 + 5*256*256*9*400 // every query weighs every key
)

func TestWorkOfThePaper(t *testing.T) {
	for _, tt := range []struct {
		name    string
		change  func(*model.Spec)
		macs    float64
		largest [3]int
	}{
		{"quadratic", func(*model.Spec) {}, linear + 256*9*16*32 + 5*256*9*400*32, [3]int{256, 3600, 400}},
		{"quadratic-general", func(s *model.Spec) { s.Encoding = "quadratic-general" }, linear + full,
			[3]int{256, 3600, 400}},
		// One map of the query stands for query and key; a query meets the key itself, and 31 shifts an axis.
		{"content", func(s *model.Spec) { s.Encoding = "content" },
			linear + full + 256*9*(16*(16+62)+256*16) + 5*256*9*(400*(400+62)+256*400), [3]int{256, 400, 3600}},
		{"resnet18", func(s *model.Spec) { s.Kind = "resnet18" }, 555_422_720, [3]int{1024, 576, 64}},
		{"conv-twin", func(s *model.Spec) { s.Kind = "conv-twin" }, 2_842_218_400, [3]int{256, 3600, 400}},
		{"tokens that are wider than the network", func(s *model.Spec) {
			s.Pool, s.Dim, s.FFN, s.Classes, s.Heads, s.Image = 4, 10, 7, 5, model.Ints{2, 3, 2, 3, 2, 3},
				[3]int{8, 16, 3}
		}, 8*48*10 + 15*8*10*10 + 6*2*8*10*7 + 10*5 + 8*15*10*(2+4), [3]int{8, 48, 10}},
		// Positions that are added leave the first layer no affine map of the pixels. Heads have values of 7 channels.
		{"positions added, own values", func(s *model.Spec) {
			s.Dim, s.FFN, s.Classes, s.Heads, s.Image = 20, 90, 5, model.Ints{2}, [3]int{8, 8, 3}
			s.Absolute, s.Value, s.HeadDim = "learned", "factored", 7
		}, 16*12*20 + 6*(16*2*(20*7+7*20)+2*16*20*90+16*2*7*16) + 20*5, [3]int{16, 20, 90}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := model.Default()
			tt.change(&s)
			net, err := model.New(s, 0)
			if err != nil {
				t.Fatal(err)
			}
			w, err := workOf(net, false, 1)
			if err != nil || w.macs != tt.macs || w.largest != tt.largest || w.dropped != 0 {
				t.Errorf("%+v, %v; want %.0f and %v", w, err, tt.macs, tt.largest)
			}
		})
	}
}

// A head that is wide and centered weighs all keys: dropout drops a tenth of all pairs. One that is narrow and centered
// weighs only its own token: e^-72 for the next.
func TestWorkOfDroppedPairs(t *testing.T) {
	for _, tt := range []struct {
		name   string
		spread float32
		pairs  float64 // of one head
	}{
		{"wide", 0.01, 256 * 256},
		{"narrow", 12, 256},
	} {
		t.Run(tt.name, func(t *testing.T) {
			net, err := model.New(model.Default(), 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range net.Layer.(*attention.Stack).Attention() {
				e := a.Encoding.(*posenc.Quadratic)
				clear(e.Center.Data)
				for h := range e.Spread.Data {
					e.Spread.Data[h] = tt.spread
				}
			}
			w, err := workOf(net, true, 32)
			if err != nil {
				t.Fatal(err)
			}
			if want := 0.1 * 9 * tt.pairs * (16 + 5*400); math.Abs(w.dropped-want) > 1e-6*want {
				t.Errorf("%.0f multiply-adds of dropped pairs, want %.0f", w.dropped, want)
			}
			if want := float64(paperMACs); w.macs-w.dropped != want {
				t.Errorf("%.0f for the rest, want %.0f", w.macs-w.dropped, want)
			}
		})
	}
}
