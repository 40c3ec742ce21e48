package model

import (
	"errors"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
	"github.com/attnconv/attnconv/option"
)

// correlated returns n images whose neighboring pixels and channels are alike.
func correlated(n int, image [3]int) []float32 {
	rng := rand.New(rand.NewPCG(5, 6))
	size := image[0] * image[1] * image[2]
	x := make([]float32, n*size)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
		if i%size >= image[1]*image[2]+1 {
			x[i] += 0.7*x[i-image[1]*image[2]] - 0.4*x[i-1] + 0.1
		}
	}
	return x
}

// inBatches cuts images into batches, the last of which is padded with values that are no image's.
func inBatches(x []float32, size, batch int) iter.Seq[*data.Batch] {
	return func(yield func(*data.Batch) bool) {
		for n := len(x) / size; n > 0; n = len(x) / size {
			b := &data.Batch{X: make([]float32, batch*size), N: min(n, batch)}
			for i := range b.X {
				b.X[i] = 99
			}
			copy(b.X, x[:b.N*size])
			if x = x[b.N*size:]; !yield(b) {
				return
			}
		}
	}
}

// stemValues returns what the stem makes of images, without a bias: (values, outputs), at patches inside the images
// alone.
func stemValues(t *testing.T, n *Network, x []float32) [][]float32 {
	t.Helper()
	stem, image := Kinds.Find(n.Spec.Kind).Stem(n.Layer), n.Spec.Image
	count, out := len(x)/(image[0]*image[1]*image[2]), stem.Weight.Shape[0]
	var y *nn.Node
	g, err := nn.Build(false, func(g *nn.Graph) {
		in := g.Input("x", x, count, image[0], image[1], image[2])
		if stem.ChannelsFirst {
			y = op.Conv(in, g.Use(stem.Weight), nil, op.ConvShape{Stride: stem.Stride})
			return
		}
		zero := &nn.Param{Name: "zero", Shape: []int{out}, Data: make([]float32, out)}
		y = op.Linear(nn.SpaceToDepth{S: stem.Side}.Forward(g, in), g.Use(stem.Weight), g.Use(zero))
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := nn.Compile(g, nil, y)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Run(0); err != nil {
		t.Fatal(err)
	}
	values, rows, cols := nn.Value(y), (image[0]+stem.Stride-1)/stem.Stride, (image[1]+stem.Stride-1)/stem.Stride
	var all [][]float32
	for i := range count * rows * cols {
		row, col := i/cols%rows, i%cols
		top, left := row*stem.Stride-(stem.Side-1)/2, col*stem.Stride-(stem.Side-1)/2
		inside := min(top, left) >= 0 && top+stem.Side <= image[0] && left+stem.Side <= image[1]
		if !stem.ChannelsFirst {
			inside = (row+1)*stem.Side <= image[0] && (col+1)*stem.Side <= image[1]
		}
		if inside {
			all = append(all, values[i*out:(i+1)*out])
		}
	}
	return all
}

// What a whitened stem makes of the patches that it was made of has no correlations, and variance λ/(λ + ε); its second
// half is the negative of the first, and further outputs are as drawn.
func TestWhiten(t *testing.T) {
	twin, wide, narrow := smallTwin(Ints{9}), smallResNet("resnet10"), smallResNet("resnet10")
	twin.Image, twin.Pool, twin.Dim = [3]int{7, 8, 2}, 2, 20 // its lowest row is padded
	wide.Image, wide.Width = [3]int{6, 7, 2}, 40
	narrow.Image, narrow.Width = [3]int{6, 7, 2}, 9
	plain, convs := smallConvNet(), stemmed("mhsa", 2, [3]int{7, 9, 2})
	convs.Dim = 60 // of which the first convolution has 30
	for name, tt := range map[string]struct {
		s     Spec
		pairs int
	}{"convnet": {plain, 12}, "stem of convolutions": {convs, 15}, "conv-twin": {twin, 8}, "wide": {wide, 18},
		"narrow": {narrow, 4}} {
		s, size := tt.s, tt.s.Image[0]*tt.s.Image[1]*tt.s.Image[2]
		drawn, err := New(s, 3)
		if err != nil {
			t.Fatal(err)
		}
		s.StemInit = "whitening"
		net, err := New(s, 3)
		if err != nil {
			t.Fatal(err)
		}
		x := correlated(50, s.Image)
		if err := net.Whiten(inBatches(x, size, 8)); err != nil {
			t.Fatal(err)
		}
		other, _ := New(s, 3)
		if err := other.Whiten(inBatches(x, size, 50)); err != nil {
			t.Fatal(err)
		}
		seeded, _ := New(s, 4)
		as, _ := New(s, 4)
		if err := errors.Join(seeded.Whiten(inBatches(x, size, 8)), as.WhitenAs(net)); err != nil {
			t.Fatal(err)
		}
		for i, p := range as.Params {
			if !slices.Equal(p.Data, seeded.Params[i].Data) {
				t.Errorf("%s: %s differs from the whitening of the images themselves", name, p.Name)
			}
		}
		stem := Kinds.Find(s.Kind).Stem(net.Layer)
		w, patch := stem.Weight.Data, stem.values()
		for i, p := range net.Params {
			if !slices.Equal(p.Data, other.Params[i].Data) {
				t.Errorf("%s: %s depends on the batch", name, p.Name)
			}
			if p != stem.Weight && !slices.Equal(p.Data, drawn.Params[i].Data) {
				t.Errorf("%s: %s has changed", name, p.Name)
			} else if p == stem.Weight && !slices.Equal(p.Data[2*tt.pairs*patch:],
				drawn.Params[i].Data[2*tt.pairs*patch:]) {
				t.Errorf("%s: a weight behind the %d pairs has changed", name, tt.pairs)
			}
		}
		for i := range tt.pairs * patch {
			if w[i] != -w[tt.pairs*patch+i] {
				t.Fatalf("%s: weight %d has no negative", name, i)
			}
		}
		values := stemValues(t, net, x)
		for i := range tt.pairs {
			for j := range i + 1 {
				sum := 0.0
				for _, v := range values {
					sum += float64(v[i]) * float64(v[j]) / float64(len(values))
				}
				want := 0.0
				if i == j {
					want = 1
				}
				if math.Abs(sum-want) > 0.01 { // ε/λ is 0.005 or less
					t.Errorf("%s: moment %d, %d is %v, want %v", name, i, j, sum, want)
				}
			}
			if i > 0 && norm(w[i*patch:][:patch]) < norm(w[(i-1)*patch:][:patch])*0.9999 {
				t.Errorf("%s: filter %d has a larger eigenvalue than the one before", name, i)
			}
		}
	}
}

func norm(x []float32) (sum float64) {
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum)
}

// Whitening takes no image after the first 5,000, is finite for black ones, and changes nothing if it is not asked for.
func TestWhitenBounds(t *testing.T) {
	s := smallTwin(Ints{9})
	s.Image, s.Pool = [3]int{2, 2, 1}, 2
	s.StemInit = "whitening"
	made := func(s Spec, x []float32) []float32 {
		t.Helper()
		net, err := New(s, 3)
		if err != nil {
			t.Fatal(err)
		}
		if err := net.Whiten(inBatches(x, 4, 300)); err != nil {
			t.Fatal(err)
		}
		return tokenStem(net.Layer).Weight.Data
	}
	x := correlated(5100, s.Image)
	first := made(s, x)
	for i := 5000 * 4; i < len(x); i++ {
		x[i] = 50
	}
	if !slices.Equal(first, made(s, x)) {
		t.Error("images after the first 5,000 count")
	}
	if black := made(s, make([]float32, 40)); slices.ContainsFunc(black,
		func(v float32) bool { return v != v || v > 50 || v < -50 }) {
		t.Errorf("of black images: %v", black)
	}
	net, _ := New(s, 3)
	if err := net.Whiten(inBatches(nil, 4, 1)); err == nil {
		t.Error("no images are no error")
	}
	if err := net.Whiten(inBatches(make([]float32, 6), 3, 2)); err == nil {
		t.Error("images of another size are no error")
	}
	s.StemInit = "random"
	drawn, _ := New(s, 3)
	if !slices.Equal(made(s, x), tokenStem(drawn.Layer).Weight.Data) {
		t.Error("a random stem is whitened")
	}
}

func TestStemInitErrors(t *testing.T) {
	for name, change := range map[string]func(*Spec){
		"unknown":        func(s *Spec) { s.StemInit = "white" },
		"large patches":  func(s *Spec) { s.Image, s.Pool = [3]int{32, 32, 3}, 10 },
		"a small image":  func(s *Spec) { s.Kind, s.Image = "resnet10", [3]int{2, 2, 3} },
		"a small side":   func(s *Spec) { s.Pool, s.Image = 4, [3]int{3, 8, 3} },
		"a single width": func(s *Spec) { s.Kind, s.Width = "resnet10", 1 },
	} {
		s := smallTwin(Ints{9})
		s.Image, s.StemInit = [3]int{8, 8, 3}, "whitening"
		change(&s)
		if bad := (*option.Error)(nil); !errors.As(s.Validate(), &bad) || bad.Key != "model.stem_init" {
			t.Errorf("%s: %v, want an error on model.stem_init", name, s.Validate())
		}
	}
}
