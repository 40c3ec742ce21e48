package vision

import (
	"math"
	"testing"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/model/ckpt"
)

// TestConvolveAgainstAttention changes attention between tokens of the grid by hand: with P' instead of P, queries of
// the grid get Σ_h Σ_k (P' - P)_qk·(n_k - β)·W_h more, and the other tokens what they had.
func TestConvolveAgainstAttention(t *testing.T) {
	const d, heads, side, others = 6, 2, 3, 2
	n := others + side*side
	r := uint32(7)
	draw := func(scale float64, count int) []float32 {
		x := make([]float32, count)
		for i := range x {
			r = r*1664525 + 1013904223
			x[i] = float32(scale * (float64(r>>8)/(1<<23) - 1))
		}
		return x
	}
	g := analyse.Grid{Rows: side, Cols: side}
	b := &block{others: others, norm1: &norm{draw(1, d), draw(1, d), 1e-6}, scale1: draw(1, d),
		attention: &attention{grid: g, all: g, heads: heads, channels: d, qkv: linear{draw(1, 3*d*d), draw(1, 3*d),
			3 * d, d}},
		proj: linear{draw(1, d*d), draw(1, d), d, d}}
	taps := Taps{Shifts: []analyse.Shift{{0, 0}, {-1, 1}, {2, 0}}, Weights: [][]float32{draw(1, 3), draw(1, 3)}}
	x := draw(1, n*d)
	var p []float32
	before, err := b.attend(x, 1, func(_ int, s Seen) error { p = s.Attention; return nil })
	if err != nil {
		t.Fatal(err)
	}
	after, maps, read := b.convolve(x, taps), b.maps(), b.norm1.apply(x)
	for q := range n {
		want := make([]float64, d)
		for o := range want {
			want[o] = float64(before[q*d+o])
		}
		for h := range heads {
			for k := others; k < n && q >= others; k++ {
				more := -float64(p[(h*n+q)*n+k])
				for i, s := range taps.Shifts {
					if (q-others)/side+s[0] == (k-others)/side && (q-others)%side+s[1] == (k-others)%side {
						more += float64(taps.Weights[h][i])
					}
				}
				for i := range d {
					for o := range d {
						want[o] += more * float64(read[k*d+i]-b.norm1.beta[i]) * maps[h][i*d+o]
					}
				}
			}
		}
		for o, v := range want {
			if math.Abs(v-float64(after[q*d+o])) > 1e-5 {
				t.Fatalf("token %d, channel %d: %g, want %g", q, o, after[q*d+o], v)
			}
		}
	}
}

// TestFreshNames has a rule for each name that untrained networks of all families have.
func TestFreshNames(t *testing.T) {
	for _, c := range []struct {
		f     *family
		name  string
		shape []int
		want  drawing
	}{
		{&timm, "0.qkv.weight", []int{9, 3}, drawing{deviation: 0.02}},
		{&timm, "0.norm1.weight", []int{3}, drawing{constant: 1}},
		{&timm, "0.proj.bias", []int{3}, drawing{}},
		{&timm, "stem.0.weight", []int{8, 3, 5, 5}, drawing{uniform: 1 / math.Sqrt(75)}},
		{&torchvision, "0.qkv.weight", []int{9, 3}, drawing{uniform: math.Sqrt(0.5)}},
		{&torchvision, "head.weight", []int{9, 3}, drawing{}},
		{&huggingface, "stem.0.weight", []int{8, 3, 5, 5}, drawing{deviation: 0.02}},
		{&huggingface, "stem.0.bias", []int{8}, drawing{}},
		{&convit, "0.gate", []int{4}, drawing{constant: 1}},
		{&compact, "pos", []int{1, 16, 8}, drawing{deviation: 0.2}},
		{&compact, "stem.0.weight", []int{8, 2, 5, 5}, drawing{deviation: 0.2}},
		{&swin, "0.0.table", []int{49, 3}, drawing{deviation: 0.02}},
	} {
		d, ok := drawing{}, false
		if c.f.draw != nil {
			d, ok = c.f.draw(c.name, c.shape)
		}
		if !ok {
			d = usual(c.name, c.shape)
		}
		if d.constant != c.want.constant || math.Abs(d.deviation-c.want.deviation) > 1e-12 ||
			math.Abs(d.uniform-c.want.uniform) > 1e-12 {
			t.Errorf("%s, %s: %+v, want %+v", c.f.name, c.name, d, c.want)
		}
	}
}

// TestConViTsHeads compares the part of heads by position with Gaussian heads, of which it is another form.
func TestConViTsHeads(t *testing.T) {
	g := analyse.Grid{Rows: 5, Cols: 5}
	for _, w := range [][3]float32{{2, -2, -1}, {0.5, 3, -0.7}} {
		a := -float64(w[2])
		want, err := analyse.Gaussian(g, [2]float64{float64(w[1]) / (2 * a), float64(w[0]) / (2 * a)},
			[2][2]float64{{2 * a, 0}, {0, 2 * a}})
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range localOf(g, w[:], []float32{3}) {
			if math.Abs(float64(v)-want[i]) > 1e-6 {
				t.Fatalf("weight %d: %g, want %g", i, v, want[i])
			}
		}
	}
}

// TestSetsWithoutNames refuses tensors of no family.
func TestSetsWithoutNames(t *testing.T) {
	if _, err := New([]ckpt.Tensor{{Name: "conv1.weight", Shape: []int{1}, Data: []float32{1}}},
		Options{}); err == nil {
		t.Error("not refused")
	}
}
