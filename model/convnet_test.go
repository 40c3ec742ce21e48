package model

import (
	"fmt"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/nn"
)

func smallConvNet() Spec {
	s := small()
	s.Kind, s.Width = "convnet", 4
	return s
}

// Multiply-adds and weights of airbench94, counted from its code (Jordan 2024): 118.1 M and 1,972,792 with the scales
// of norms, which are fixed.
func TestConvNetCounts(t *testing.T) {
	s := Default()
	s.Kind = "convnet"
	if got := s.Params(); got != 1_972_792 {
		t.Errorf("Params() = %d, want 1,972,792", got)
	}
	const stem, one, two, three = 31 * 31 * 12 * 24, 31*31*24*64*9 + 15*15*64*64*9, 15*15*64*256*9 + 7*7*256*256*9,
		(7*7 + 3*3) * 256 * 256 * 9
	if got, want := s.MACs(), stem+one+two+three+2560; got.Definition != want || got.Paper != want ||
		got.Run >= want/2 {
		t.Errorf("MACs() = %+v, want %d, of which Winograd's algorithm leaves less than half", got, want)
	}
	var outs []string
	for _, p := range s.Parts() {
		outs = append(outs, fmt.Sprint(p.Out, p.Field[0]))
	}
	want := "[31 31 24] 2, [15 15 64] 5, [15 15 64] 9, [7 7 256] 15, [7 7 256] 23, [3 3 256] 32, [256] 32, [10] 32"
	if got := strings.Join(outs, ", "); got != want {
		t.Errorf("parts %s, want %s", got, want)
	}
}

// Logits of training and of evaluation, of images that the pools fill and that they do not, down to a side of one
// pixel.
func TestConvNetEqualsDefinition(t *testing.T) {
	for _, train := range []bool{false, true} {
		for _, image := range [][3]int{{8, 12, 3}, {17, 16, 1}, {2, 5, 3}} {
			t.Run(fmt.Sprintf("%v, train %t", image, train), func(t *testing.T) {
				s := smallConvNet()
				s.Image = image
				net := shaken(t, s)
				equalsDefinition(t, s, net, train, plainConvNet{plainOf(net, train)}.forward)
			})
		}
	}
}

func TestConvNetGradient(t *testing.T) {
	s := smallConvNet()
	s.Image = [3]int{17, 16, 3} // so that norms have several pixels of each image
	checkAlongGradient(t, shaken(t, s), 4, 2e-4)
}

// The scales of norms stay; all else moves, running statistics by 0.4.
func TestConvNetFixedScales(t *testing.T) {
	net, err := New(smallConvNet(), 0)
	if err != nil {
		t.Fatal(err)
	}
	_, _, g := build(t, net, true, images(2, net.Spec), []int32{0, 1})
	for _, n := range g.RunningStats() {
		if n.Rate != 0.4 {
			t.Errorf("%s moves by %v, want 0.4", n.Mean.Name, n.Rate)
		}
	}
	for _, p := range net.Params {
		fixed := strings.Contains(p.Name, ".norm") && strings.HasSuffix(p.Name, ".weight")
		if p.Group != nn.Statistic && fixed != (len(p.Moving()) == 0) {
			t.Errorf("%s: moves in %v", p.Name, p.Moving())
		}
	}
}

// Weights tell width and classes; those that only begin alike are no convnet's.
func TestConvNetInfer(t *testing.T) {
	net, err := New(smallConvNet(), 0)
	if err != nil {
		t.Fatal(err)
	}
	base := Default()
	base.Image = net.Spec.Image
	s, err := Infer(net.Tensors(), base)
	if err != nil || s.Kind != "convnet" || s.Width != 4 || s.Classes != 5 {
		t.Errorf("Infer: %v of width %d with %d classes, %v", s, s.Width, s.Classes, err)
	}
	if _, err := Infer(net.Tensors()[:12], base); err == nil || !strings.Contains(err.Error(), "convnet") {
		t.Errorf("Infer of some weights: %v, want an error", err)
	}
}
