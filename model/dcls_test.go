package model

import (
	"math"
	"strings"
	"testing"
)

// A block of kind dcls is attention of as many quadratic heads in a window that has zeros around the grid: the networks
// have the same logits. It has the parameters of its taps, and costs what its window does.
func TestDCLSIsAttention(t *testing.T) {
	for _, size := range []int{3, 7} {
		s := listed(Layers{{Kind: "dcls"}, {Kind: "dcls"}})
		s.Heads, s.Size = Ints{5}, size
		net, err := New(s, 1)
		if err != nil {
			t.Fatal(err)
		}
		heads := listed(Equal(2))
		heads.Heads, heads.Window = Ints{5}, Window{Size: size}
		same, err := New(heads, 2)
		if err != nil {
			t.Fatal(err)
		}
		from := map[string][]float32{}
		for _, p := range net.Params {
			from[p.Name] = p.Data
		}
		for _, p := range same.Params {
			at, own, ok := strings.Cut(p.Name, ".attention.self.")
			switch own = strings.TrimPrefix(own, "value."); {
			case !ok:
				copy(p.Data, from[p.Name])
			case own != "weight":
				copy(p.Data, from[at+".attention.self.dcls."+own])
			default: // (out, in, taps) to (out, heads·in)
				for i, v := range from[at+".attention.self.dcls.weight"] {
					o, in, tap := i/5/s.Dim, i/5%s.Dim, i%5
					p.Data[(o*5+tap)*s.Dim+in] = v
				}
			}
		}
		x := images(3, s)
		got, want := imageLogits(t, net, false, x, make([]int32, 3)), imageLogits(t, same, false, x, make([]int32, 3))
		for i := range want {
			if math.Abs(float64(got[i]-want[i])) > 2e-6 {
				t.Errorf("window %d: logit %d is %v, want %v", size, i, got[i], want[i])
			}
		}
		if s.Params() != heads.Params() {
			t.Errorf("%d parameters, want %d", s.Params(), heads.Params())
		}
		grid := s.Grid()
		taps := grid.Rows * grid.Cols * size * size * s.Dim * s.Dim
		for _, p := range s.Parts() {
			if strings.Contains(p.Kind, "conv") && p.MACs.Definition != taps {
				t.Errorf("%s: %d multiply-adds, want %d", p.Kind, p.MACs.Definition, taps)
			}
		}
	}
}

func TestDCLSRefused(t *testing.T) {
	for key, change := range map[string]func(*Spec){
		"model.size":               func(s *Spec) { s.Size = 4 },
		"model.layers[0].dilation": func(s *Spec) { s.Layers[0].Own = map[string]any{"dilation": 2} },
		"model.heads_init":         func(s *Spec) { s.HeadsInit = "grid" },
	} {
		s := listed(Layers{{Kind: "dcls"}})
		change(&s)
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%v, want an error on %s", err, key)
		}
	}
}
