package network

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/posenc/geometry"
	"github.com/attnconv/attnconv/study/stats"
)

// judged is a layer with a share, corrected p and a cost, with its interval, of being replaced.
func judged(number int, within, p float64, cost stats.Interval) Layer {
	band := analyse.NewBand([]float64{0.2, 0.3})
	l := Layer{Layer: number, Size: 0.5, Shares: &analyse.Shares{K1: within, Place: 1 - within},
		Null: &NullShares{Within: &band, Place: &band, Draws: 200, P: null.Float(p),
			PHolm: null.Float(p)}}
	if cost.Known() {
		l.Function = &Replacements{K3: &TestedAccuracy{Acc: 0.6, Diff: null.Float(-(cost.Lo + cost.Hi) / 2),
			DiffCI: stats.Interval{Lo: -cost.Hi, Hi: -cost.Lo}}}
	}
	v, _ := analyse.Judge(p, replacementOf(l))
	l.Verdict = &v
	return l
}

// The three sentences group the layers by what holds, and claim nothing that does not.
func TestVerdict(t *testing.T) {
	cheap, dear := stats.Interval{Lo: -0.001, Hi: 0.009}, stats.Interval{Lo: 0.005, Hi: 0.011}
	d := Analysis{Source: "run", Model: "mhsa", Unchanged: &TestedAccuracy{Acc: 0.7}, FunctionAll: &Replacements{
		K3: &TestedAccuracy{Acc: 0.581}, K5: &TestedAccuracy{Acc: 0.64}, Constant: &TestedAccuracy{Acc: 0.1}},
		Layers: []Layer{judged(1, 0.94, 0.01, cheap), judged(2, 0.89, 0.01, cheap), judged(3, 0.7, 0.04, dear),
			judged(4, 0.12, 0.3, cheap), judged(5, 0.3, 0.05, dear)}}
	for i, want := range []string{
		"With every layer replaced by a 3 × 3 convolution, one after the other and without training, the network keeps " +
			"58.1 of 70.0 % accuracy (5 × 5 64.0; mean outputs 10.0).",
		"Layers 1–2 act as 3 × 3 convolutions; layer 3 has a larger share of one than untrained layers, but replacing it " +
			"may cost more than 1 point of accuracy; layer 4 can be replaced by one for less than 1 point of accuracy, but " +
			"its share does not exceed that of untrained layers; layer 5 meets neither condition.",
		"One 3 × 3 convolution is 94 % of the squared norm of the operator of layer 1 (relative error 24 %; untrained " +
			"25 ± 7 %) and 12 % of the squared norm of the operator of layer 4 (relative error 94 %; untrained 25 ± 7 %).",
	} {
		if got := verdict(d)[i]; got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	d.Verdict = verdict(d)
	lines := strings.Split(Screen([]Analysis{d}, nil, 80), "\n")
	for _, line := range lines {
		if utf8.RuneCountInString(line) > 80 {
			t.Errorf("%d columns: %s", utf8.RuneCountInString(line), line)
		}
	}
	if len(lines) > 32 {
		t.Errorf("%d lines are more than one screen", len(lines))
	}

	d.Unchanged, d.FunctionAll = nil, nil
	d.Layers = []Layer{judged(1, 0.9, 0.01, stats.NoInterval), judged(2, 0.2, 0.5, stats.NoInterval)}
	if got, want := verdict(d)[1], "Layer 1 has a larger share of a 3 × 3 convolution than untrained layers; layer 2 has "+
		"not."; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	d.Layers = d.Layers[1:]
	if got, want := verdict(d)[1], "No layer acts as a 3 × 3 convolution."; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	d.Layers = nil
	if got := verdict(d); !strings.HasPrefix(got[0], "What accuracy") ||
		!strings.HasPrefix(got[1], "No layer was judged") ||
		!strings.HasPrefix(got[2], "No layer is one linear map") {
		t.Errorf("%q", got)
	}
}

// A size is a ratio of variances over tokens, of what is left without the mean over channels.
func TestSize(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const rows, channels = 50, 4
	values := func(scale, offset float32) []float32 {
		x := make([]float32, rows*channels)
		for i := range x {
			x[i] = offset*float32(i%channels+1) + scale*float32(rng.NormFloat64()) + float32(i/channels)
		}
		return x
	}
	spread := func(x []float32) (sum float64) { // Σ over pairs of rows of ‖C(x_i - x_j)‖² is 2·rows² times the variance
		for i := range rows {
			for j := range rows {
				mean := 0.0
				d := make([]float64, channels)
				for c := range d {
					d[c] = float64(x[i*channels+c]) - float64(x[j*channels+c])
					mean += d[c] / channels
				}
				for _, v := range d {
					sum += (v - mean) * (v - mean)
				}
			}
		}
		return sum
	}
	s := &site{in: channels, out: channels, gauge: analyse.Gauge{Center: true}}
	x, y := values(1, 5), values(0.3, -2)
	z := newSize(s)
	z.add(x[:100], y[:100])
	z.add(x[100:], y[100:])
	if got, want := float64(z.value()), spread(y)/spread(x); math.Abs(got/want-1) > 1e-5 {
		t.Errorf("size %v, want %v", got, want)
	}
	z = newSize(s)
	if z.add(x, make([]float32, rows*channels)); z.value() != 0 {
		t.Errorf("a layer that adds nothing has size %v", float64(z.value()))
	}
	z = newSize(&site{in: channels, out: 8})
	if z.add(x, y); z.value().Known() {
		t.Errorf("a layer that is added to nothing has size %v", float64(z.value()))
	}
}

// Untrained networks see as many images as the trained one: a run's own start has the shares of an untrained run.
// A note says where images are too few for the bits.
func TestAsManyImagesForUntrainedNetworks(t *testing.T) {
	spec := model.Default()
	spec.Encoding, spec.Layers, spec.Heads, spec.Dim, spec.FFN, spec.Pool, spec.Image = "content-only", model.Equal(1),
		model.Ints{2}, 8, 8, 4, [3]int{16, 16, 3}
	net, err := model.New(spec, 5)
	if err != nil {
		t.Fatal(err)
	}
	for images, noted := range map[int]bool{70: true, 120: false} { // 15/(2·n·ln 2) is 0.15 and 0.09 bits
		d, err := Measure(t.Context(), Subject{Name: "x", Net: net, Start: net, Held: noise(120),
			Fresh: func(seed uint64) (*model.Network, error) { return model.New(spec, seed) }},
			Options{Attention: images, Seeds: 1})
		if err != nil {
			t.Fatal(err)
		}
		if l := d.Layers[0]; *l.Null.Own != *l.Shares {
			t.Errorf("%d images: the start has shares %+v, the same network %+v", images, *l.Null.Own, *l.Shares)
		}
		if got := strings.Contains(strings.Join(d.Notes, "\n"), "content bits are too low and place bits too high by "+
			"up to 0.15"); got != noted {
			t.Errorf("%d images: notes %q", images, d.Notes)
		}
	}
}

// With a head that takes the token away, I + L is the other head: the identity is added to the weights as they are, and
// then made canonical.
func TestSharesWithResidual(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	g := analyse.Grid{Rows: 2, Cols: 3}
	unit := func(n int, scale float64) []float64 {
		m := make([]float64, n*n)
		for i := range n {
			m[i*n+i] = scale
		}
		return m
	}
	p, w, gamma := make([]float64, 36), make([]float64, 16), make([]float64, 4)
	for i := range p {
		p[i] = rng.Float64()
	}
	for q := range 6 {
		geometry.Softmax(p[q*6 : q*6+6])
	}
	for i := range w {
		w[i] = rng.NormFloat64()
	}
	for i := range gamma {
		gamma[i] = 0.5 + 2*rng.Float64()
	}
	other := analyse.Layer{Grid: g, In: 4, Out: 4, Attention: [][]float64{p}, Maps: [][]float64{w}}
	s := &site{gauge: analyse.Gauge{Gamma: gamma, Center: true}, mix: &attention.Block{}}
	s.raw = analyse.Layer{Grid: g, In: 4, Out: 4, Attention: [][]float64{p, unit(6, 1)},
		Maps: [][]float64{w, unit(4, -1)}}
	got, err := s.withResidual()
	if err != nil {
		t.Fatal(err)
	}
	canonical, err := s.gauge.Layer(other)
	if err != nil {
		t.Fatal(err)
	}
	want, err := sharesOf(canonical)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range want.List() {
		if math.Abs(got.List()[i]-v) > 1e-9 {
			t.Errorf("share %d of I + L is %v, of the other head %v", i, got.List()[i], v)
		}
	}
}
