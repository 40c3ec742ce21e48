package attention_test

import (
	"testing"

	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
)

// The paper's network, counted by hand: 32 × 32 pixels of three colours, 2 × 2 of them a token, so 256 tokens of 12
// numbers; six layers of nine heads, 400 channels, 512 in the feed-forward part.
func paper(encoding func(nn.Scope, int) posenc.Encoding) *attention.Stack {
	o := attention.StackOptions{Grid: posenc.Grid{Rows: 16, Cols: 16}, Channels: 3, Pool: 2, Dim: 400, Classes: 10}
	return stack(o, encoding, []int{9, 9, 9, 9, 9, 9}, 512, 0, 0.1)
}

// stack has a block for each of heads, whose own values have so many numbers, where that is not 0, and drops pairs at a rate.
func stack(o attention.StackOptions, encoding func(nn.Scope, int) posenc.Encoding, heads []int, ffn, own int, rate float64) *attention.Stack {
	var blocks []func(nn.Scope) nn.Layer
	for _, h := range heads {
		blocks = append(blocks, func(s nn.Scope) nn.Layer {
			self, size := attention.MixScope(s), attention.BlockOptions{Dim: o.Dim, FFN: ffn, Wide: o.Dim, Dropout: rate}
			if own == 0 {
				return attention.NewBlock(s, attention.New(self, encoding(self, h), o.Grid, h, o.Dim, o.Dim, rate), size)
			}
			size.Wide = h * own
			return attention.NewBlock(s, attention.NewSplit(self, encoding(self, h), o.Grid, h, o.Dim, own, rate), size)
		})
	}
	return attention.NewStack(nn.NewScope(0), o, blocks)
}

const (
	paperMaps = 1_228_800 + // stem: 256·12·400
		11_980_800 + // first layer's value and dense map: 256 tokens · 9 heads · 13 columns · 400
		5*368_640_000 + // the other layers': 256·9·400·400
		6*104_857_600 + // feed-forward: 2·256·400·512
		4_000 // head: 400·10
	paperSeparable = 958_464 + // first layer: 256·9·13·(16+16)
		5*29_491_200 // the others: 256·9·400·(16+16)
	paperScores = 256*9*(13*(13+62)+256*(13+32)) + // first layer: what 13 columns want of themselves and of shifts
		5*256*9*(400*(400+62)+256*(400+32)) // the others
	paperFull = 7_667_712 + 5*235_929_600 // the same with 256 keys
)

func TestWorkOfThePaper(t *testing.T) {
	for _, tt := range []struct {
		name     string
		encoding func(nn.Scope, int) posenc.Encoding
		mixing   float64
	}{
		{"quadratic", posenc.NewQuadratic, paperSeparable},
		{"quadratic-general", posenc.NewQuadraticGeneral, paperFull},
		{"content", func(s nn.Scope, heads int) posenc.Encoding {
			return posenc.NewContent(s, posenc.Options{Heads: heads, Dim: 400, HeadDim: 400, MaxSide: 16})
		}, paperFull + paperScores},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := paper(tt.encoding).Work(false)
			if err != nil {
				t.Fatal(err)
			}
			if want := (nn.Work{Maps: paperMaps, Mixing: tt.mixing, Product: [3]int{256, 3600, 400}}); got != want {
				t.Errorf("Work = %+v, want %+v", got, want)
			}
		})
	}
}

// A head that is wide and centred weighs all keys: dropout takes a tenth of all pairs out. One that is narrow and
// centred weighs its own pixel alone: e^-72 for the next.
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
			net := paper(posenc.NewQuadratic)
			for _, a := range net.Attention() {
				e := a.Encoding.(*posenc.Quadratic)
				clear(e.Center.Data)
				for h := range e.Spread.Data {
					e.Spread.Data[h] = tt.spread
				}
			}
			got, err := net.Work(true)
			if err != nil {
				t.Fatal(err)
			}
			if want := 0.1 * 9 * tt.pairs * (13 + 5*400); got.Dropped < want*0.999999 || got.Dropped > want*1.000001 {
				t.Errorf("%.0f multiply-adds of dropped pairs, want %.0f", got.Dropped, want)
			}
			if got.Maps != paperMaps || got.Mixing != paperSeparable {
				t.Errorf("dropout changed the rest: %+v", got)
			}
		})
	}
}

// Where a token has more numbers than the network has channels, the first layer is one like the others; without dropout
// no pair is dropped.
func TestWorkOfWideTokens(t *testing.T) {
	o := attention.StackOptions{Grid: posenc.Grid{Rows: 2, Cols: 4}, Channels: 3, Pool: 4, Dim: 10, Classes: 5}
	net := stack(o, posenc.NewQuadratic, []int{2, 3}, 7, 0, 0)
	got, err := net.Work(true)
	if err != nil {
		t.Fatal(err)
	}
	want := nn.Work{
		Maps:    8*48*10 + 8*2*10*10 + 8*3*10*10 + 2*2*8*10*7 + 10*5,
		Mixing:  8 * (2 + 3) * 10 * (2 + 4),
		Product: [3]int{8, 48, 10}, // the stem's
	}
	if got != want {
		t.Errorf("Work = %+v, want %+v", got, want)
	}
}

// Positions that are added to the tokens leave them no affine map of the pixels.
func TestWorkOfAbsolutePositions(t *testing.T) {
	o := attention.StackOptions{Grid: posenc.Grid{Rows: 4, Cols: 4}, Channels: 3, Pool: 2, Dim: 20, Classes: 5,
		Absolute: posenc.Absolutes.Find("learned").New}
	net := stack(o, posenc.NewQuadratic, []int{2}, 90, 7, 0)
	got, err := net.Work(false)
	if err != nil {
		t.Fatal(err)
	}
	want := nn.Work{
		Maps:    16*12*20 + 16*2*(20*7+7*20) + 2*16*20*90 + 20*5,
		Mixing:  16 * 2 * 7 * (4 + 4),
		Product: [3]int{16, 20, 90}, // the feed-forward part's
	}
	if got != want {
		t.Errorf("Work = %+v, want %+v", got, want)
	}
}
