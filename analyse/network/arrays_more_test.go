package network

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/npy"
)

// kernelArrays is a 3 × 3 convolution with zeros around an n × n grid, of random maps.
func kernelArrays(n, in, out int) []array {
	t := n * n
	attention := make([]float64, 9*t*t)
	for h := range 9 {
		for q := range t {
			if r, c := q/n+h/3-1, q%n+h%3-1; r >= 0 && r < n && c >= 0 && c < n {
				attention[(h*t+q)*t+r*n+c] = 1
			}
		}
	}
	return []array{{"attention", fmt.Sprintf("(9, %d, %d)", t, t), attention},
		{"maps", fmt.Sprintf("(9, %d, %d)", in, out), random(11, 9*in*out)}}
}

func random(seed uint64, n int) []float64 {
	rng, x := rand.New(rand.NewPCG(seed, 1)), make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

func arraysOf(t *testing.T, o Options, arrays ...array) *Analysis {
	t.Helper()
	d, err := Arrays(context.Background(), savez(t, arrays...), o, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The paper's own layer has zeros around the grid: rows at borders add up to less than 1. It is one 3 × 3 convolution,
// with one profile, and the best 3 × 3 convolution of its inputs is it.
func TestArraysWithZeroPadding(t *testing.T) {
	d := arraysOf(t, Options{Draws: 5, Kernel: 5}, append(kernelArrays(6, 3, 4),
		array{"inputs", "(80, 36, 3)", random(12, 80*36*3)})...)
	l := d.Layers[0]
	if math.Abs(l.Shares.K1+l.Shares.K3-1) > 1e-12 || l.TapScore != 1 || len(l.Heads) > 0 {
		t.Errorf("%+v", l)
	}
	if l.Profiles == nil || l.Profiles.Sentence != "one profile: nine heads form a 3 × 3 kernel" {
		t.Errorf("%+v", l.Profiles)
	}
	if s := l.Spectrum; s == nil || s.Largest != 5 || s.K1 > 0.5 || s.K3 < 1-1e-6 || s.K5 < 1-1e-6 ||
		s.Shift < 1-1e-6 || s.Mean < 1-1e-6 || s.K7.Known() {
		t.Errorf("%+v", s)
	}
	if d.Images.Fit != 40 || d.Images.Score != 40 || !strings.Contains(strings.Join(d.Notes, "\n"),
		"have the rest on zeros around the grid") {
		t.Errorf("%+v, %q", d.Images, d.Notes)
	}
	// Less than 1 in the middle is a class token, and an error.
	token := kernelArrays(6, 3, 4)
	for i := range token[0].values {
		token[0].values[i] *= 0.9
	}
	_, err := Arrays(context.Background(), savez(t, token...), Options{}, nil)
	if bad := (*data.CorruptError)(nil); !errors.As(err, &bad) || !strings.Contains(err.Error(),
		"head 1, query 14: the row adds up to 0.9, want 1; what it has on tokens that are not on the grid") {
		t.Error(err)
	}
}

// Attention of each image acts on the inputs of that image, so the outputs are those of the layer: the mean over images
// predicts them less well, the more attention depends on the image.
func TestArraysWithInputsOfEachImage(t *testing.T) {
	const images, n = 60, 9
	weights := make([]float64, images*n*n)
	for image := range images {
		for q := range n {
			key := (q + image%2) % n // of odd images the next token
			weights[(image*n+q)*n+key] = 1
		}
	}
	x := random(13, images*n*2)
	d := arraysOf(t, Options{Kernel: 1}, array{"attention", "(60, 1, 9, 9)", weights},
		array{"maps", "(1, 2, 2)", random(14, 4)}, array{"inputs", "(60, 9, 2)", x})
	// Of y, half is x_q·W and half x_k·W for another, independent token: a mean attention of ½ for each explains ½.
	if r2 := float64(d.Layers[0].Spectrum.Mean); math.Abs(r2-0.5) > 0.1 {
		t.Errorf("the mean attention explains %.3f of the outputs, want about 0.5", r2)
	}
	// If the second half of the images has other attention than the first, what was fitted on the first fails there.
	for image := range images {
		for q := range n {
			row := weights[(image*n+q)*n : (image*n+q+1)*n]
			clear(row)
			row[(q+image/30)%n] = 1
		}
	}
	half := arraysOf(t, Options{Kernel: 1}, array{"attention", "(60, 1, 9, 9)", weights},
		array{"maps", "(1, 2, 2)", random(14, 4)}, array{"inputs", "(60, 9, 2)", x})
	if r2 := half.Layers[0].Spectrum.K1; r2 > 0.2 {
		t.Errorf("the images of the fit have R² %.3f on others", float64(r2))
	}
	// What depends on the place is in the mean attention, and not in its mean by shift.
	first := make([]float64, 81)
	for q := range 9 {
		first[9*q] = 1
	}
	place := arraysOf(t, Options{Kernel: 1}, array{"attention", "(1, 9, 9)", first},
		array{"maps", "(1, 2, 2)", random(14, 4)}, array{"inputs", "(60, 9, 2)", x})
	if s := place.Layers[0].Spectrum; s.Mean < 1-1e-6 || s.Shift > 0.9 {
		t.Errorf("attention to the first token: %+v", s)
	}
	same := arraysOf(t, Options{Kernel: 1}, array{"attention", "(1, 9, 9)", weights[:81]},
		array{"maps", "(1, 2, 2)", random(14, 4)}, array{"inputs", "(60, 9, 2)", x})
	if s := same.Layers[0].Spectrum; s.Mean < 1-1e-6 || s.K1 < 1-1e-6 {
		t.Errorf("one attention for all images: %+v", s)
	}
}

// Untrained arrays are the initializer's null: of shares, and of profiles.
func TestArraysWithUntrainedLayers(t *testing.T) {
	arrays := kernelArrays(5, 2, 2)
	for i, name := range []string{"untrained", "untrained2", "untrained31"} {
		p := make([]float64, 9*25*25)
		for at := range p {
			p[at] = 1.0 / 25
		}
		arrays = append(arrays, array{name + "_attention", "(9, 25, 25)", p},
			array{name + "_maps", "(9, 2, 2)", random(uint64(20+i), 36)})
	}
	d := arraysOf(t, Options{Draws: 5}, arrays...)
	l := d.Layers[0]
	// A uniform head has the share Σ_{Δ₃} N_δ/T² of a 3 × 3 convolution: (5 + 2·4)² / 25².
	if l.Null == nil || l.Null.Name != initializerNull || l.Null.Draws != 3 || l.Null.Own != nil ||
		math.Abs(float64(l.Null.Within.Mean)-169.0/625) > 1e-9 || l.Null.P != 0.25 {
		t.Errorf("%+v", l.Null)
	}
	if u := l.Profiles.Untrained; u == nil || u.Draws != 3 || u.Count.Mean != 1 {
		t.Errorf("%+v", u)
	}
	if !strings.Contains(l.Sentence, "(untrained arrays 27") || !strings.Contains(Text([]Analysis{*d}, nil, 0),
		"untrained") || strings.Contains(strings.Join(d.Notes, ""), "no untrained layers") {
		t.Errorf("%s, %q", l.Sentence, d.Notes)
	}
}

// Inputs say how large the layer is next to them, and inputs of the untrained layers what R² these have.
func TestArraysWithUntrainedInputs(t *testing.T) {
	eye, half := make([]float64, 625), []float64{0.5, 0, 0, 0.5}
	for q := range 25 {
		eye[26*q] = 1
	}
	x := array{"inputs", "(90, 25, 2)", random(17, 90*25*2)}
	at := func(of array, name string) array { return array{name, of.shape, of.values} }
	even := uniform(625, 1.0/25)
	arrays := []array{{"attention", "(1, 25, 25)", even}, {"maps", "(1, 2, 2)", half}, x,
		{"untrained_attention", "(1, 25, 25)", eye}, {"untrained_maps", "(1, 2, 2)", random(18, 4)},
		at(x, "untrained_inputs"),
		{"untrained2_attention", "(1, 25, 25)", eye}, {"untrained2_maps", "(1, 2, 2)", half}}
	s := arraysOf(t, Options{Kernel: 3}, arrays...).Layers[0].Spectrum
	// A token is as a rule one of 9 of the 25 that the 3 × 3 around it sees; a uniform layer is the mean of all.
	if s == nil || s.Null == nil || s.Null.Draws != 1 || s.Null.K3.Mean < 1-1e-6 || s.K3 > 0.5 {
		t.Errorf("%+v", s)
	}
	arrays[5] = array{"untrained_inputs", "(90, 25, 2)", make([]float64, 90*25*2)}
	_, err := Arrays(context.Background(), savez(t, arrays...), Options{Kernel: 3}, nil)
	if err == nil || !strings.Contains(err.Error(), "untrained: inputs: all are zero") {
		t.Errorf("untrained inputs that are zero: %v", err)
	}
	// y = x/2 has a quarter of the variance. With gamma, an equal change of all channels is none.
	for _, tt := range []struct {
		maps  []float64
		gamma bool
		want  float64
	}{{half, false, 0.25}, {half, true, 0.25}, {[]float64{3.5, 3, 3, 3.5}, true, 0.25}} {
		arrays := []array{{"attention", "(1, 25, 25)", eye}, {"maps", "(1, 2, 2)", tt.maps}, x}
		if tt.gamma {
			arrays = append(arrays, array{"gamma", "(2,)", uniform(2, 1)})
		}
		if got := float64(arraysOf(t, Options{Kernel: 1}, arrays...).Layers[0].Size); math.Abs(got-tt.want) > 1e-6 {
			t.Errorf("maps %v, gamma %v: size %g, want %g", tt.maps, tt.gamma, got, tt.want)
		}
	}
}

// Changes of the maps that layer norms hide leave every share as it is, if gamma is there, and move it otherwise. With
// zeros around the grid that is so behind the layer alone.
func TestArraysWithGamma(t *testing.T) {
	const heads, tokens, in, out = 3, 9, 4, 5
	soft := random(16, heads*tokens*tokens)
	for row := 0; row < len(soft); row += tokens {
		sum := 0.0
		for k := range tokens {
			soft[row+k] = math.Exp(soft[row+k])
			sum += soft[row+k]
		}
		for k := range tokens {
			soft[row+k] /= sum
		}
	}
	padded := kernelArrays(3, 1, 1)[0].values[:heads*tokens*tokens]
	gamma := []float64{0.5, -2, 1, 3}
	maps, a, b := random(17, heads*in*out), random(18, heads*in), random(19, heads*out)
	changed := func(before, behind bool) []float64 {
		w := make([]float64, len(maps))
		for i, v := range maps {
			h, c, o := i/(in*out), i/out%in, i%out
			if w[i] = v; behind {
				w[i] += a[h*in+c]
			}
			if before {
				w[i] += b[h*out+o] / gamma[c]
			}
		}
		return w
	}
	for _, tt := range []struct {
		attention              []float64
		before, behind, equals bool
	}{{soft, true, true, true}, {soft, true, false, true}, {soft, false, true, true}, {padded, false, true, true},
		{padded, true, false, false}} {
		of := func(w []float64, more ...array) Layer {
			return arraysOf(t, Options{Kernel: 3}, append(more, array{"attention", "(3, 9, 9)", tt.attention},
				array{"maps", "(3, 4, 5)", w}, array{"inputs", "(80, 9, 4)", random(20, 80*9*4)})...).Layers[0]
		}
		norm := array{"gamma", "(4,)", gamma}
		one, two := of(maps, norm), of(changed(tt.before, tt.behind), norm)
		same := true
		for i, v := range one.Shares.List() {
			same = same && math.Abs(v-two.Shares.List()[i]) < 1e-10
		}
		same = same && math.Abs(float64(one.Rank.Effective-two.Rank.Effective)) < 1e-9
		if same != tt.equals || !one.Canonical {
			t.Errorf("%+v: shares %v and %v", tt, *one.Shares, *two.Shares)
		}
		if r2 := math.Abs(float64(one.Spectrum.K3 - two.Spectrum.K3)); tt.behind && !tt.before && r2 > 1e-6 {
			t.Errorf("R² %v and %v", one.Spectrum, two.Spectrum)
		}
		before := []array{{"untrained_attention", "(3, 9, 9)", soft}, {"untrained_maps", "(3, 4, 5)", maps}}
		if a, b := of(maps, append(before, norm)...), of(maps, append(before, array{"gamma", "(4,)",
			[]float64{1, 1, 1, 1}})...); a.Null.Within.Mean != b.Null.Within.Mean {
			t.Errorf("untrained layers depend on gamma: %v and %v", a.Null.Within, b.Null.Within)
		}
		if raw := of(maps); raw.Canonical || math.Abs(raw.Shares.K1-one.Raw.K1) > 1e-12 {
			t.Errorf("without gamma: canonical %t, shares %v, raw ones %v", raw.Canonical, *raw.Shares, *one.Raw)
		}
	}
}

// What does not fit is an error that says which array.
func TestArraysRefusesMore(t *testing.T) {
	p, w := array{"attention", "(1, 4, 4)", uniform(16, 0.25)}, array{"maps", "(1, 2, 1)", []float64{2, 1}}
	of := func(name, shape string, n int) array { return array{name, shape, uniform(n, 0.25)} }
	x := of("inputs", "(2, 4, 2)", 16)
	x.values[3] = math.NaN()
	for _, tt := range []struct {
		want   string
		arrays []array
	}{
		{"inputs [2 4]: want (images, tokens, channels)", []array{p, w, of("inputs", "(2, 4)", 8)}},
		{"inputs [1 4 2]: want (images", []array{p, w, of("inputs", "(1, 4, 2)", 8)}},
		{"inputs [2 3 2]: want 4 tokens", []array{p, w, of("inputs", "(2, 3, 2)", 12)}},
		{"inputs [2 4 3]: want 4 tokens, as attention [1 4 4] has, of 2 channels", []array{p, w,
			of("inputs", "(2, 4, 3)", 24)}},
		{"inputs [2 4 2] are of 2 images", []array{of("attention", "(3, 1, 4, 4)", 48), w,
			of("inputs", "(2, 4, 2)", 16)}},
		{"untrained: no array maps", []array{p, w, of("untrained_attention", "(1, 4, 4)", 16)}},
		{"untrained7: no array attention", []array{p, w, of("untrained7_maps", "(1, 2, 1)", 2)}},
		{"untrained: attention [1 1 1] with maps [1 2 1]: want heads", []array{p, w,
			of("untrained_attention", "(1, 1, 1)", 1), of("untrained_maps", "(1, 2, 1)", 2)}},
		{"untrained: inputs [2 4 2]: want an array inputs of the layer", []array{p, w,
			of("untrained_attention", "(1, 4, 4)", 16), of("untrained_maps", "(1, 2, 1)", 2),
			of("untrained_inputs", "(2, 4, 2)", 16)}},
		{"gamma [3]: want (2)", []array{p, w, of("gamma", "(3,)", 3)}},
		{"want attention, maps, grid, gamma, elsewhere, inputs, stream", []array{p, w, of("untrainedx_maps", "(1, 2, 1)", 2)}},
	} {
		_, err := Arrays(context.Background(), savez(t, tt.arrays...), Options{Kernel: 1}, nil)
		if bad := (*data.CorruptError)(nil); !errors.As(err, &bad) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
	many := []array{{"attention", "(1, 4, 4)", uniform(16, 0.25)}, {"maps", "(1, 1, 1)", []float64{2}},
		{"inputs", "(40, 4, 1)", random(15, 160)}}
	many[2].values[7] = math.Inf(1)
	if _, err := Arrays(context.Background(), savez(t, many...), Options{Kernel: 1}, nil); err == nil ||
		!strings.Contains(err.Error(), "inputs: image 2: element 3 is +Inf") {
		t.Error(err)
	}
}

// Regressions take as large a kernel as their work allows, and work that is too much is refused before it is begun.
func TestInputsAreRefusedByTheirCost(t *testing.T) {
	of := func(images, tokens, in int) *arrayLayer {
		member := func(shape ...int) *npy.Member { return &npy.Member{Header: npy.Header{Shape: shape}} }
		return &arrayLayer{attention: member(6, tokens, tokens), maps: member(6, in, in),
			inputs: member(images, tokens, in)}
	}
	for _, tt := range []struct{ in, want int }{{16, 7}, {96, 7}, {384, 3}, {1024, 1}, {1 << 14, 1}} {
		if k := of(100, 196, tt.in).kernelOf(7); k != tt.want {
			t.Errorf("%d channels: %d × %d, want %d", tt.in, k, k, tt.want)
		}
	}
	g := analyse.Grid{Rows: 14, Cols: 14}
	deit := of(1000, 196, 384)
	if c := deit.inputCost(g, deit.kernelFor(g, 7)); 4*c.work > mostWork || c.work < 1e9 {
		t.Errorf("DeiT-S: %v", c)
	}
	if c := of(1<<20, 196, 1024).inputCost(g, 1); c.work < mostWork {
		t.Errorf("a million images: %v", c)
	}
	large := of(20000, 196, 512)
	large.inputs.Elements = 1 // what it takes in memory is another error
	_, err := affordable([]*arrayLayer{large}, 0, 3)
	if err == nil || !strings.Contains(err.Error(), "multiplications") {
		t.Errorf("20,000 images: %v", err)
	}
	if _, err := affordable([]*arrayLayer{of(100, 196, 384)}, 0, 3); err != nil {
		t.Error(err)
	}
	// Of 12 layers with the channels of ViT-B/16, 50 images have no regression, and none is counted.
	for _, tokens := range []int{16, 196} {
		if c, err := affordable(slices.Repeat([]*arrayLayer{of(50, tokens, 768)}, 12), 100, 7); err != nil ||
			c.work > mostWork/4 {
			t.Errorf("50 images of %d tokens: %v, %v", tokens, c, err)
		}
	}
	for _, tt := range []struct {
		layer         *arrayLayer
		layers, draws int
		want          string
	}{
		{of(200, 196, 384), 100, 0, "at most\n  smaller regressions: --kernel 1 (now 7)   fewer layers"},
		{of(2, 196, 384), 24, 1 << 15, "at most\n  fewer draws of the nulls: --draws (now 32768)   fewer layers"},
	} {
		if _, err := affordable(slices.Repeat([]*arrayLayer{tt.layer}, tt.layers), tt.draws, 7); err == nil ||
			!strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
}

// A small file of a large layer says what it takes before that is begun: 21 s and 1.05 GB were measured of 4,096
// tokens, before products of heads took 0.13 GB.
func TestArraysSayWhatTheyTake(t *testing.T) {
	of := func(heads, tokens int) string {
		member := func(shape ...int) *npy.Member { return &npy.Member{Header: npy.Header{Shape: shape}} }
		l := &arrayLayer{attention: member(heads, tokens, tokens), maps: member(heads, 4, 4)}
		c, err := affordable([]*arrayLayer{l}, 20, 7)
		if err != nil {
			t.Fatal(err)
		}
		return c.String()
	}
	for _, tt := range []struct {
		heads, tokens int
		want          string
	}{
		{1, 1 << 12, "about 21 s of one core and up to 1.3 GB of memory"},
		{60, 1 << 10, "about 2 min of one core and up to 5.1 GB of memory"},
	} {
		if got := of(tt.heads, tt.tokens); got != tt.want {
			t.Errorf("%d heads of %d tokens take %s, want %s", tt.heads, tt.tokens, got, tt.want)
		}
	}
}
