package model

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/option"
)

// compactStem is a network whose tokens a tokenizer of CCT makes.
func compactStem(convs int, image [3]int) Spec {
	s := stemmed("mhsa", convs, image)
	s.Stem, s.Absolute = "cct", "learned"
	return s
}

// poolAround is the largest of 3 × 3 pixels around every other one.
func poolAround(x batch) (y batch) {
	for _, image := range x {
		var rows [][][]float64
		for r := 0; r < len(image); r += 2 {
			var line [][]float64
			for q := 0; q < len(image[0]); q += 2 {
				most := slices.Clone(image[r][q])
				for i := max(0, r-1); i <= min(len(image)-1, r+1); i++ {
					for j := max(0, q-1); j <= min(len(image[0])-1, q+1); j++ {
						for c, v := range image[i][j] {
							most[c] = max(most[c], v)
						}
					}
				}
				line = append(line, most)
			}
			rows = append(rows, line)
		}
		y = append(y, rows)
	}
	return y
}

func TestCompactStemEqualsDefinition(t *testing.T) {
	for _, s := range []Spec{compactStem(1, [3]int{8, 12, 3}), compactStem(2, [3]int{7, 10, 1})} {
		net := shaken(t, s)
		x := images(3, s)
		logits := imageLogits(t, net, false, x, []int32{0, 1, 2})
		in, o := imagesOf(x, s), oracleOf(net)
		for i := range s.stemConvs() {
			w := o.w[fmt.Sprintf("stem.conv%d.weight", i+1)]
			out := s.Dim
			if i < s.stemConvs()-1 {
				out = 64
			}
			in = poolAround(relu(convolve(in, w, out, 1)))
		}
		grid := s.Grid()
		o.spec.Image, o.spec.Pool = [3]int{grid.Rows, grid.Cols, s.Dim}, 1 // of the tokens alone
		for i, image := range in {
			tokens := slices.Concat(image...)
			for p := range tokens {
				tokens[p] = add(tokens[p], float64s(o.w["position_embeddings.weight"][p*s.Dim:][:s.Dim]))
			}
			for c, want := range o.classified(tokens) {
				if got := float64(logits[i*s.Classes+c]); math.Abs(got-want) > 2e-5 {
					t.Errorf("%v: image %d, class %d: logit %.8f, definition %.8f", s, i, c, got, want)
				}
			}
		}
		checkAlongGradient(t, net, 4, 2e-4)
	}
}

// The weights tell the options of zoo: how many there are, and in which shapes.
func TestZooOptionsAreInferred(t *testing.T) {
	for name, change := range map[string]func(s *Spec){
		"tokenizer":      func(s *Spec) { *s = compactStem(2, s.Image) },
		"quadratic-free": func(s *Spec) { s.Encoding = "quadratic-free" },
		"gate": func(s *Spec) {
			s.Encoding, s.Content, s.Value, s.QKVBias, s.HeadDim = "quadratic-free", "gate", "factored", false, 4
		},
		"place of the class token": func(s *Spec) {
			s.Encoding, s.Readout, s.Absolute = "content-only", "token", "learned-all"
		},
		"no biases":                func(s *Spec) { s.Encoding, s.QKVBias, s.HeadDim = "content", false, 4 },
		"no biases, combined":      func(s *Spec) { s.QKVBias = false },
		"no biases, content":       func(s *Spec) { s.Encoding, s.QKVBias, s.Norm = "content-only", false, "mid" },
		"no biases, added content": func(s *Spec) { s.Encoding, s.Content, s.QKVBias = "table", "add", false },
		"no biases, relative":      func(s *Spec) { s.Encoding, s.QKVBias = "relative", false },
	} {
		t.Run(name, func(t *testing.T) {
			s := small()
			s.Heads, s.Dim = Ints{4}, 36 // 36 channels are also for the nine heads of Default
			change(&s)
			net := newNet(t, s, 1)
			checkInferred(t, net)
			base := Default()
			base.Image = s.Image
			found, err := Infer(net.Tensors(), base)
			if err != nil || found.QKVBias != s.QKVBias || found.Stem != s.Stem || found.Absolute != s.Absolute ||
				found.Encoding != s.Encoding {
				t.Errorf("%s is inferred as %s, %v", s, found, err)
			}
		})
	}
}

func TestZooOptionsRefused(t *testing.T) {
	for _, tt := range []struct {
		key    string
		change func(*Spec)
	}{
		{"model.absolute", func(s *Spec) { s.Absolute = "learned-all" }},
		{"model.absolute", func(s *Spec) { s.Encoding, s.Absolute = "content-only", "learned-all" }},
		{"model.absolute", func(s *Spec) { // the token joins before the second layer
			s.Absolute, s.Readout = "learned-all", "token"
			s.Layers = Layers{{}, {Own: map[string]any{"encoding": "content-only"}}}
		}},
		{"model.pool", func(s *Spec) { s.Stem, s.Pool = "cct", 3 }},
		{"model.init", func(s *Spec) {
			s.Init, s.QKVBias, s.Heads, s.Window = "theorem-soft", false, Ints{9}, Window{Size: 3}
		}},
		{"model.heads_init", func(s *Spec) { s.Encoding, s.HeadsInit, s.Heads = "quadratic-free", "grid", Ints{9} }},
		{"model.norm", func(s *Spec) { s.Norm = "middle" }},
	} {
		s := small()
		tt.change(&s)
		var bad *option.Error
		if err := s.Validate(); !errors.As(err, &bad) || bad.Key != tt.key {
			t.Errorf("Validate() = %v, want an error on %s", err, tt.key)
		}
	}
}

// Heads of quadratic-free start as Gaussians with α = 1 on a centered grid; those that are left over are small.
func TestQuadraticFreeStart(t *testing.T) {
	s := small()
	s.Encoding, s.Heads = "quadratic-free", Ints{5}
	v := param(t, newNet(t, s, 1), firstSelf+"position_map.weight").Data
	for h, want := range [][]float32{{-1, -1, -1}, {-1, 1, -1}, {1, -1, -1}, {1, 1, -1}} { // Δ = ±½
		if !slices.Equal(v[3*h:3*h+3], want) {
			t.Errorf("head %d: %v, want %v", h, v[3*h:3*h+3], want)
		}
	}
	for _, x := range v[12:] {
		if x == 0 || math.Abs(float64(x)) > 0.1 {
			t.Errorf("the fifth head has %v", v[12:])
		}
	}
	if !strings.Contains(s.String(), "quadratic-free of 5 heads") {
		t.Errorf("String() = %q", s)
	}
}
