package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/nn"
)

// Totals of the reference's networks; 18 is the paper's 11.2 M. The others follow from its formulas by hand.
func TestResNetCounts(t *testing.T) {
	for _, tt := range []struct {
		kind         string
		width        int
		params, macs int
	}{
		{"resnet18", 64, 11_173_962, 555_422_720},
		{"resnet10", 64, 4_903_242, 253_432_832},
		{"resnet34", 64, 21_282_122, 1_159_402_496},
		{"resnet18", 16, 701_466, 35_046_656},
	} {
		s := Default()
		s.Kind, s.Width = tt.kind, tt.width
		if got := s.Params(); got != tt.params {
			t.Errorf("%s, width %d: Params() = %d, want %d", tt.kind, tt.width, got, tt.params)
		}
		net, err := New(s, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := net.Spec.MACs(); got.Definition != tt.macs || got.Paper != tt.macs || got.Run > tt.macs {
			t.Errorf("%s, width %d: MACs() = %+v, want %d", tt.kind, tt.width, got, tt.macs)
		}
		if got := nn.CountLearned(net.Params); got != tt.params {
			t.Errorf("%s, width %d: the network learns %d numbers, want %d", tt.kind, tt.width, got, tt.params)
		}
	}
}

// What a position of each stage sees of a large image, by hand: the stem adds 2 pixels; a stage of two blocks 2, 2, 2,
// 2 steps, where a step is that of the positions that the convolution reads.
func TestResNetSees(t *testing.T) {
	s := Default()
	s.Kind, s.Width, s.Image = "resnet18", 4, [3]int{256, 128, 3}
	net, err := New(s, 0)
	if err != nil {
		t.Fatal(err)
	}
	last := map[string]Part{}
	for _, p := range net.Spec.Parts() {
		if p.Kind == "conv 3×3" {
			last[p.Block] = p
		}
	}
	for _, tt := range []struct {
		block string
		field int
		out   []int
	}{
		{"", 3, []int{256, 128, 4}}, {"1.2", 11, []int{256, 128, 4}}, {"2.2", 25, []int{128, 64, 8}},
		{"3.2", 53, []int{64, 32, 16}}, {"4.2", 109, []int{32, 16, 32}},
	} {
		if p := last[tt.block]; p.Field != [2]int{tt.field, tt.field} || !slices.Equal(p.Out, tt.out) {
			t.Errorf("block %q: sees %v, result %v; want %d and %v", tt.block, p.Field, p.Out, tt.field, tt.out)
		}
	}
}

// Names as torchvision's, behind "model.".
func TestResNetNames(t *testing.T) {
	net, err := New(smallResNet("resnet10"), 0)
	if err != nil {
		t.Fatal(err)
	}
	norm := func(name string) string {
		var all []string
		for _, n := range []string{"weight", "bias", "running_mean", "running_var"} {
			all = append(all, name+"."+n)
		}
		return strings.Join(all, " ")
	}
	want := strings.Fields("conv1.weight " + norm("bn1") +
		" layer1.0.conv1.weight " + norm("layer1.0.bn1") + " layer1.0.conv2.weight " + norm("layer1.0.bn2") +
		" layer2.0.conv1.weight " + norm("layer2.0.bn1") + " layer2.0.conv2.weight " + norm("layer2.0.bn2") +
		" layer2.0.downsample.0.weight " + norm("layer2.0.downsample.1") + " fc.weight fc.bias")
	var got []string
	for _, p := range net.Params {
		if name := strings.TrimPrefix(p.Name, "model."); !strings.HasPrefix(name, "layer3") &&
			!strings.HasPrefix(name, "layer4") {
			got = append(got, name)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("names %q,\nwant %q", got, want)
	}
	if p := net.Params[15]; !slices.Equal(p.Shape, []int{8, 4, 3, 3}) {
		t.Errorf("%s has shape %v, want out × in × 3 × 3", p.Name, p.Shape)
	}
}

// smallResNet is one whose images are halved to 1 × 2 pixels, and whose norms are no longer as they began.
func smallResNet(kind string) Spec {
	s := small()
	s.Kind, s.Width = kind, 4
	return s
}

func shaken(t *testing.T, s Spec) *Network {
	t.Helper()
	net, err := New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for _, p := range net.Params {
		if p.Group == nn.Weight {
			continue
		}
		for i := range p.Data {
			p.Data[i] += 0.3 * float32(rng.Float64())
		}
	}
	return net
}

func TestResNetEqualsDefinition(t *testing.T) {
	for _, train := range []bool{false, true} {
		for kind := range depthsOf {
			t.Run(fmt.Sprintf("%s, train %t", kind, train), func(t *testing.T) {
				s := smallResNet(kind)
				net := shaken(t, s)
				equalsDefinition(t, s, net, train, plainOf(net, train).forward)
			})
		}
	}
}

func plainOf(net *Network, train bool) plainResNet {
	return plainResNet{oracleOf(net), train}
}

// equalsDefinition compares the logits of four images.
func equalsDefinition(t *testing.T, s Spec, net *Network, train bool, forward func(batch) [][]float64) {
	t.Helper()
	labels := []int32{0, 1, 2, 4}
	x := images(len(labels), s)
	logits := imageLogits(t, net, train, x, labels)
	for i, row := range forward(imagesOf(x, s)) {
		for c, want := range row {
			if got := float64(logits[i*s.Classes+c]); math.Abs(got-want) > 1e-5 {
				t.Errorf("image %d, class %d: logit %.8f, definition %.8f", i, c, got, want)
			}
		}
	}
}

func imagesOf(x []float32, s Spec) batch {
	rows, cols, ch := s.Image[0], s.Image[1], s.Image[2]
	all := make(batch, len(x)/(rows*cols*ch))
	for i, v := range x {
		b, r, q := i/(rows*cols*ch), i/(cols*ch)%rows, i/ch%cols
		switch {
		case i%(rows*cols*ch) == 0:
			all[b] = make([][][]float64, rows)
			fallthrough
		case i%(cols*ch) == 0:
			all[b][r] = make([][]float64, cols)
		}
		all[b][r][q] = append(all[b][r][q], float64(v))
	}
	return all
}

// One step moves the running statistics as PyTorch's do, and evaluation after it uses them.
func TestRunningStatistics(t *testing.T) {
	s := smallResNet("resnet10")
	net := shaken(t, s)
	x := images(3, s)
	var mean, variance *nn.Param
	for _, p := range net.Params {
		switch p.Name {
		case "model.bn1.running_mean":
			mean = p
		case "model.bn1.running_var":
			variance = p
		}
	}
	was := [2][]float32{slices.Clone(mean.Data), slices.Clone(variance.Data)}
	_, loss, g := build(t, net, true, x, []int32{0, 1, 2})
	f, err := nn.Compile(g, loss)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for range 2 { // a run that is not followed by a step changes nothing
		if err := f.Run(0); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(mean.Data, was[0]) || !slices.Equal(variance.Data, was[1]) {
		t.Fatal("the running statistics moved without a step")
	}
	g.UpdateStats()
	y := convolve(imagesOf(x, s), net.Params[0].Data, s.Width, 1)
	n := float64(3 * s.Image[0] * s.Image[1])
	for c := range s.Width {
		m, v := moments(y, c)
		if want := 0.9*float64(was[0][c]) + 0.1*m; math.Abs(float64(mean.Data[c])-want) > 1e-6 {
			t.Errorf("running mean %d = %v, want %v", c, mean.Data[c], want)
		}
		if want := 0.9*float64(was[1][c]) + 0.1*v*n/(n-1); math.Abs(float64(variance.Data[c])-want) > 1e-6 {
			t.Errorf("running variance %d = %v, want %v", c, variance.Data[c], want)
		}
	}
}

// What ReLU lets through changes along a step, so steps are small.
func TestResNetGradient(t *testing.T) {
	checkAlongGradient(t, shaken(t, smallResNet("resnet10")), 4, 2e-3)
}

// checkAlongGradient compares the gradient of net in training with central differences along it, parameter by
// parameter, for steps of length h.
func checkAlongGradient(t *testing.T, net *Network, n int, h float64) {
	t.Helper()
	labels := []int32{0, 1, 2, 4, 3}[:n]
	_, loss, g := build(t, net, true, images(n, net.Spec), labels)
	f, err := nn.Compile(g, loss)
	if err != nil {
		t.Fatal(err)
	}
	params, grads := f.Gradients()
	defer f.Close()
	run := func() float64 {
		if err := f.Run(3); err != nil {
			t.Fatal(err)
		}
		return float64(nn.Value(loss)[0])
	}
	for i, p := range params {
		run()
		step := slices.Clone(nn.Value(grads[i]))
		var square float64
		for _, v := range step {
			square += float64(v) * float64(v)
		}
		length := math.Sqrt(square)
		at := slices.Clone(p.Data)
		move := func(by float64) float64 {
			for j := range step {
				p.Data[j] = at[j] + float32(by/length)*step[j]
			}
			return run()
		}
		central := func(h float64) float64 { return (move(h) - move(-h)) / (2 * h) }
		wrong := func(slope float64) bool { return math.Abs(slope-length) > 2e-2*length+2e-4 }
		got := central(h)
		if wrong(got) { // a kink of ReLU or of a max pool may be near
			got = central(h / 8)
		}
		copy(p.Data, at)
		if wrong(got) {
			t.Errorf("%s: gradient of length %.6g, central difference along it %.6g", p.Name, length, got)
		}
	}
}

// Weights under the other usual names, with what PyTorch writes beside them.
func TestResNetOtherNames(t *testing.T) {
	net := shaken(t, smallResNet("resnet10"))
	f := &ckpt.File{Tensors: []ckpt.Tensor{{Name: "model.bn1.num_batches_tracked", Shape: []int{1},
		Data: []float32{7}}}}
	for _, w := range net.Tensors() {
		w.Name = strings.Replace(strings.Replace(w.Name, "downsample", "shortcut", 1), "model.fc", "model.linear", 1)
		f.Tensors = append(f.Tensors, w)
	}
	back, err := New(net.Spec, 9)
	if err != nil {
		t.Fatal(err)
	}
	if err := back.SetWeights(f); err != nil {
		t.Fatal(err)
	}
	for i, p := range back.Params {
		if !slices.Equal(p.Data, net.Params[i].Data) {
			t.Errorf("%s was not taken", p.Name)
		}
	}
}
