package model

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
)

// onGrid puts the nine heads of each layer on the shifts of a 3 × 3 kernel, so narrow that one key takes all.
func onGrid(net *Network) {
	for _, a := range net.Attention() {
		enc := a.Encoding.(*posenc.Quadratic)
		for h := range enc.Spread.Data {
			enc.Center.Data[2*h], enc.Center.Data[2*h+1] = float32(h/3-1), float32(h%3-1)
			enc.Spread.Data[h] = 12
		}
	}
}

// twinOf is the twin with the border and the weights of net, tap by tap those of a head.
func twinOf(t *testing.T, net *Network, border string) *Network {
	t.Helper()
	s := net.Spec
	s.Kind, s.Border = "conv-twin", border
	twin, err := New(s, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range twin.Params {
		copy(p.Data, asTaps(p.Name, s.Dim, func(name string) []float32 {
			i := slices.IndexFunc(net.Params, func(q *nn.Param) bool { return q.Name == name })
			if i < 0 {
				t.Fatalf("no %s", name)
			}
			return net.Params[i].Data
		}))
	}
	return twin
}

// asTaps returns what the network of attention has for the twin's parameter called name, laid out as the twin does.
func asTaps(name string, d int, of func(string) []float32) []float32 {
	if !strings.Contains(name, ".self.conv.") {
		return of(name)
	}
	v := of(strings.Replace(name, ".conv.", ".value.", 1))
	if len(v) == d { // a bias
		return v
	}
	taps := make([]float32, len(v))
	for i := range v { // (out, heads, in) -> (out, in, taps)
		o, h, c := i/(9*d), i/d%9, i%d
		taps[(o*d+c)*9+h] = v[i]
	}
	return taps
}

// Attention with hard heads on a grid and the twin that repeats the edge are one function: equal weights give equal
// logits and gradients. With zeros around it is another.
func TestTwinIsHardHeads(t *testing.T) {
	for _, dim := range []int{8, 32} { // a convolution of patches, and one by Winograd's algorithm
		for _, train := range []bool{false, true} {
			t.Run(fmt.Sprintf("dim %d, train %t", dim, train), func(t *testing.T) {
				s := small()
				s.Heads, s.Dim, s.Dropout, s.AttentionDropout = Ints{9}, dim, 0, 0
				net, err := New(s, 1)
				if err != nil {
					t.Fatal(err)
				}
				onGrid(net)
				labels := []int32{0, 1, 2, 4, 3}
				x := images(len(labels), s)
				logits, grads := runOf(t, net, train, x, labels)
				twin, twinGrads := runOf(t, twinOf(t, net, "replicate"), train, x, labels)
				if d := largest(logits, twin); d > 3e-6 {
					t.Errorf("logits differ by %.2g", d)
				}
				if zero, _ := runOf(t, twinOf(t, net, "zero"), train, x, labels); largest(logits, zero) < 1e-3 {
					t.Error("with zeros around the logits are the same")
				}
				for name, got := range twinGrads {
					want := asTaps(name, dim, func(name string) []float32 { return grads[name] })
					if d := largest(got, want); d > 1e-5 {
						t.Errorf("gradients of %s differ by %.2g", name, d)
					}
				}
				if train && len(twinGrads) == 0 {
					t.Error("no gradients")
				}
			})
		}
	}
}

// runOf returns the logits and, of a graph that trains, the gradients by name.
func runOf(t *testing.T, net *Network, train bool, x []float32, labels []int32) ([]float32, map[string][]float32) {
	t.Helper()
	logits, loss, g := build(t, net, train, x, labels)
	f, err := nn.Compile(g, loss, logits)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	params, grads := f.Gradients()
	if err := f.Run(0); err != nil {
		t.Fatal(err)
	}
	all := map[string][]float32{}
	for i, p := range params {
		all[p.Name] = slices.Clone(nn.Value(grads[i]))
	}
	return slices.Clone(nn.Value(logits)), all
}

func largest(a, b []float32) (d float64) {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	for i := range a {
		d = max(d, math.Abs(float64(a[i]-b[i])))
	}
	return d
}
