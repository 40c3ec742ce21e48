package network

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/study/stats"
)

// kinds are networks of several kinds, whose layers have inputs and outputs of different sizes.
func kinds(t *testing.T) map[string]*model.Network {
	return map[string]*model.Network{
		"quadratic": small(t, func(*model.Spec) {}),
		"content":   small(t, func(s *model.Spec) { s.Encoding, s.Layers = "content", model.Equal(3) }),
		"conv-twin": small(t, func(s *model.Spec) { s.Kind, s.Heads = "conv-twin", model.Ints{9} }),
		"resnet10":  small(t, func(s *model.Spec) { s.Kind, s.Width = "resnet10", 4 }),
		"convnet":   small(t, func(s *model.Spec) { s.Kind, s.Width = "convnet", 4 }),
	}
}

// A chain classifies every image as the whole network does, with no layer replaced, with one, and with all. What
// replaces a layer alone reads what the trained layers before it return, never what other replacements do.
func TestChainIsTheNetwork(t *testing.T) {
	for name, net := range kinds(t) {
		sites, err := sitesOf(net)
		if err != nil {
			t.Fatal(err)
		}
		c, err := newChain(net, sites)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		defer c.close()
		none, all := make(variant, len(sites)), make(variant, len(sites))
		variants := []variant{none}
		for i, s := range sites {
			all[i] = shifting3(s)
			one := make(variant, len(sites))
			one[i] = all[i]
			variants = append(variants, one)
		}
		variants = append(variants, all)
		held, f := noise(70), &substitution{measurement: &measurement{Subject: Subject{Net: net}, sites: sites}}
		label(t, net, held)
		calls := 0
		right, err := c.right(context.Background(), held, variants, func() { calls++ })
		if err != nil {
			t.Fatal(err)
		}
		if want := c.work(held, variants); calls != want {
			t.Errorf("%s: %d steps of progress, want %d", name, calls, want)
		}
		for v, of := range variants {
			as, wrong := answers(t, f.whole(of), held), 0
			classes := len(as) / held.Len()
			for i, l := range held.Labels {
				row := as[i*classes : (i+1)*classes]
				if right[v].At(i) != (slices.Index(row, slices.Max(row)) == int(l)) {
					wrong++
				}
			}
			if wrong > 0 {
				t.Errorf("%s: variant %d: %d of %d images are classified otherwise than by the whole network", name, v,
					wrong, held.Len())
			}
		}
		if slices.Equal(right[0], right[len(variants)-1]) {
			t.Errorf("%s: all layers replaced, and no image is classified otherwise", name)
		}
	}
}

// shifting3 returns a function that no layer is: each output is three times one of the inputs, of another place.
func shifting3(s *site) analyse.Predictor {
	n, from := s.result.Tokens()*s.out, s.grid.Tokens()*s.in
	return func(x []float32, images int) []float32 {
		y := make([]float32, images*n)
		for i := range y {
			y[i] = 3 * x[i/n*from+(i%n+1)%from]
		}
		return y
	}
}

// skipping is a network whose second layer reads the image, too.
type skipping struct{}

func (skipping) Forward(g *nn.Graph, x *nn.Node) *nn.Node {
	image := op.Reshape(x, x.Shape()[0], 16, 48)
	h := image
	for _, path := range []string{"model.a", "model.b"} {
		h = g.Tap(path+nn.LayerInput, op.Add(h, image))
		h = op.Add(h, g.Tap(path+nn.LayerOutput, op.Scale(h, 2)))
	}
	return op.Reshape(h, x.Shape()[0], 16*48)
}

// A network whose layers do not follow each other has no chain.
func TestNoChain(t *testing.T) {
	net := small(t, func(*model.Spec) {})
	net.Layer = skipping{}
	sites, err := sitesOf(net)
	if err != nil || len(sites) != 2 {
		t.Fatal(len(sites), err)
	}
	if _, err := newChain(net, sites); !errors.Is(err, errReadsMore) {
		t.Error(err)
	}
}

// What replaces a layer is fitted on training images, and accuracy is of the validation images: all of these and no
// others. Here every training image is wrong, and every validation image right.
func TestFitImagesAreNotScored(t *testing.T) {
	net := small(t, func(*model.Spec) {})
	train, held := noise(130), otherNoise(90)
	label(t, net, held)
	for i := range train.Labels {
		train.Labels[i] = 9 - train.Labels[i]
	}
	f := substitutionOf(t, net, train, held, Options{Images: 100})
	d, err := Measure(context.Background(), Subject{Net: net, Train: train, Held: held, Split: "val"},
		Options{Images: 100, Kernel: 3, Headline: true})
	if err != nil {
		t.Fatal(err)
	}
	if d.Unchanged.Acc != 1 || d.Unchanged.N != 90 || d.FunctionAll.K3.N != 90 || d.Layers[0].Function.Uniform.N != 90 {
		t.Errorf("unchanged %+v, 3 × 3 %+v: want 90 images, all right", d.Unchanged, d.FunctionAll.K3)
	}
	// the mean output is over the training images
	r, err := newProgram(net, batch, []string{f.sites[0].outputName()})
	if err != nil {
		t.Fatal(err)
	}
	defer r.f.Close()
	mean, rows := make([]float64, 8), 0
	if err := r.each(context.Background(), f.fit, func(b *data.Batch) error {
		for i, v := range r.value(0, b.N) {
			mean[i%8] += float64(v)
		}
		rows += b.N * 16
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	v := f.variants[slices.Index(f.to, &f.d.Layers[0].Function.Constant)]
	for i, y := range v[0](nil, 1) {
		if by := math.Abs(float64(y) - mean[i%8]/float64(rows)); by > 1e-6 {
			t.Fatalf("the mean output of channel %d is off by %v", i%8, by)
		}
	}
}

// Heads that attend to all tokens alike are replaced by uniform attention without a change to any image; others are
// not.
func TestUniformHeadsAreTheBaseline(t *testing.T) {
	for _, uniform := range []bool{true, false} {
		net := small(t, func(s *model.Spec) { s.Encoding = "learned" })
		for _, p := range net.Params {
			if strings.Contains(p.Name, "attention.self") && uniform && !strings.Contains(p.Name, "value") {
				clear(p.Data)
			}
		}
		held := otherNoise(200)
		label(t, net, held)
		d, err := Measure(context.Background(), Subject{Net: net, Train: noise(60), Held: held, Split: "val"},
			Options{Images: 60, Headline: true})
		if err != nil {
			t.Fatal(err)
		}
		if all := d.FunctionAll.Uniform; (all.Acc == 1) != uniform || all.Diff != null.Float(all.Acc-1) ||
			(d.Layers[0].Function.Uniform.Acc == 1) != uniform {
			t.Errorf("uniform heads %t: all %+v, layer 1 %+v", uniform, all, d.Layers[0].Function.Uniform)
		}
	}
}

// The headline is measured by default and the full table only on request; without training images, and of a run that
// was trained on the validation images, it is not measured, and a note says why.
func TestHeadline(t *testing.T) {
	net := small(t, func(*model.Spec) {})
	o := Options{Images: 60, Kernel: 5, Headline: true}
	s := Subject{Net: net, Train: noise(60), Held: otherNoise(60), Split: "val"}
	d, err := Measure(context.Background(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []*Replacements{d.FunctionAll, d.Layers[0].Function, d.Layers[1].Function} {
		if f.K3 == nil || f.K5 == nil || f.Uniform == nil || f.Constant == nil || f.Mean != nil || f.ShiftMean != nil ||
			f.Taps != nil || f.K1 != nil || f.K7 != nil {
			t.Errorf("headline %+v", f)
		}
	}
	for want, change := range map[string]func(s *Subject){
		"training and validation images": func(s *Subject) { s.Train = s.Train.Subset(nil) },
		"test images are not used":       func(s *Subject) { s.Split = "test" },
	} {
		other := s
		change(&other)
		d, err := Measure(context.Background(), other, o)
		if err != nil {
			t.Fatal(err)
		}
		if d.FunctionAll != nil || d.Unchanged != nil || d.Layers[0].Function != nil || len(d.Notes) == 0 ||
			!strings.Contains(strings.Join(d.Notes, "\n"), want) || d.Layers[0].Shares == nil {
			t.Errorf("unchanged %+v, notes %q, want %q", d.Unchanged, d.Notes, want)
		}
	}
}

// Progress goes up to 1, and what cancels it ends the analysis.
func TestHeadlineStops(t *testing.T) {
	net := small(t, func(*model.Spec) {})
	s := Subject{Net: net, Train: noise(60), Held: otherNoise(60), Split: "val"}
	var parts []float64
	s.Done = func(part float64) { parts = append(parts, part) }
	o := Options{Images: 60, Kernel: 3, Headline: true}
	if _, err := Measure(context.Background(), s, o); err != nil {
		t.Fatal(err)
	}
	if n := len(parts); n < 10 || !slices.IsSorted(parts) || parts[n-1] != 1 || parts[n/2] > 0.95 {
		t.Errorf("progress %v", parts)
	}
	for stop := range len(parts) - 1 {
		ctx, cancel := context.WithCancel(context.Background())
		calls := 0
		s.Done = func(float64) {
			if calls++; calls > stop {
				cancel()
			}
		}
		if _, err := Measure(ctx, s, o); !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped after %d of %d steps: %v", stop, len(parts), err)
		}
		cancel()
	}
}

// The result is the same on any number of threads.
func TestHeadlineOnThreads(t *testing.T) {
	defer threads.SetLimit(0)
	var first []byte
	for _, n := range []int{1, 2, 5} {
		threads.SetLimit(n)
		net := small(t, func(s *model.Spec) { s.Encoding = "content" })
		d, err := Measure(context.Background(), Subject{Net: net, Train: noise(60), Held: otherNoise(60), Split: "val"},
			Options{Images: 60, Attention: 10, Kernel: 3, Function: true})
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = b
		}
		if !slices.Equal(first, b) {
			t.Errorf("%d threads: another result than 1", n)
		}
	}
}

// The interval of a difference is Newcombe's for pairs (1998, method 10), from the four counts of right and wrong. It
// is much narrower than for independent images, which it does not know.
func TestDifferenceIsPaired(t *testing.T) {
	for _, counts := range [][4]int{{700, 60, 20, 220}, {850, 0, 0, 150}, {990, 10, 0, 0}, {100, 800, 5, 95}} {
		n := counts[0] + counts[1] + counts[2] + counts[3]
		base := stats.NewBits(n, func(i int) bool { return i < counts[0]+counts[1] })
		right := stats.NewBits(n, func(i int) bool {
			return i < counts[0] || i >= counts[0]+counts[1] && i < n-counts[3]
		})
		got := Tested(right, base, n)
		diff, lo, hi := newcombe(counts[0], counts[2], counts[1], counts[3], true)
		if math.Abs(float64(got.Diff)-diff) > 1e-12 || math.Abs(got.DiffCI.Lo-lo) > 2e-5 ||
			math.Abs(got.DiffCI.Hi-hi) > 2e-5 {
			t.Errorf("%v: %v %v, want %v [%v, %v]", counts, got.Diff, got.DiffCI, diff, lo, hi)
		}
		if _, low, high := newcombe(counts[0], counts[2], counts[1], counts[3], false); counts[3] > 100 &&
			hi-lo > 0.9*(high-low) {
			t.Errorf("%v: %v to %v is hardly narrower than unpaired, %v to %v", counts, lo, hi, low, high)
		}
	}
}

// newcombe returns the difference of two accuracies and its interval, from the numbers of images that both have right,
// the first alone, the second alone, and none.
func newcombe(both, first, second, none int, paired bool) (diff, lo, hi float64) {
	const z = 1.959963984540054
	n := float64(both + first + second + none)
	wilson := func(p float64) (l, u float64) {
		middle, half := p+z*z/(2*n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
		return (middle - half) / (1 + z*z/n), (middle + half) / (1 + z*z/n)
	}
	p, q := float64(both+first)/n, float64(both+second)/n
	pl, pu := wilson(p)
	ql, qu := wilson(q)
	phi := 0.0
	if d := p * (1 - p) * q * (1 - q); d > 0 && paired {
		phi = (float64(both)/n - p*q) / math.Sqrt(d)
	}
	side := func(a, b float64) float64 { return math.Sqrt(max(0, a*a-2*phi*a*b+b*b)) }
	return p - q, p - q - side(p-pl, qu-q), p - q + side(pu-p, q-ql)
}
