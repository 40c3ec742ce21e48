package network

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/posenc/geometry"
)

func profiledNet(t *testing.T, net *model.Network, o Options) *Analysis {
	t.Helper()
	d, err := Measure(context.Background(), Subject{Name: "x", Net: net, Held: noise(20),
		Fresh: func(seed uint64) (*model.Network, error) { return model.New(net.Spec, seed) }}, o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// An untrained layer of quadratic has one profile. One that was trained to a kernel with global heads has two, and its
// sentence says so beside the untrained count.
func TestProfilesOfQuadratic(t *testing.T) {
	spec := model.Default()
	spec.Layers, spec.Heads, spec.Dim, spec.FFN, spec.Pool, spec.Image = model.Equal(2), model.Ints{9}, 8, 8, 2,
		[3]int{16, 16, 3}
	net, err := model.New(spec, 3)
	if err != nil {
		t.Fatal(err)
	}
	d := profiledNet(t, net, Options{Seeds: 5})
	for _, l := range d.Layers {
		if p := l.Profiles; p.Count != 1 || p.AtMost || p.Untrained.Draws != 5 || p.Untrained.Count.Mean != 1 ||
			!(p.Width > 1.3 && p.Width < 1.5) || !strings.HasSuffix(p.Sentence, "(untrained: 1)") {
			t.Errorf("layer %d: %s, %+v", l.Layer, p.Sentence, p)
		}
	}
	gaussian := net.Attention()[0].Encoding.(posenc.Gaussian)
	posenc.Starts.Find("grid").Place(gaussian)
	for h, corner := range []int{0, 2} {
		gaussian.Put(corner, geometry.Isotropic([2]float64{float64(h), 30}, 1e-6))
	}
	d = profiledNet(t, net, Options{Seeds: 5})
	p := d.Layers[0].Profiles
	if p.Sentence != "two profiles: seven heads form a 3 × 3 kernel without two of its corners, two heads average "+
		"globally (untrained: 1)" {
		t.Error(p.Sentence)
	}
	if sum := float64(p.Groups[0].Share + p.Groups[1].Share); math.Abs(sum-1) > 1e-9 {
		t.Errorf("shares add up to %v", sum)
	}
	// As many heads of both layers differ more than those of the second layer, and less than those of the first.
	if a, b := p, d.Layers[1].Profiles; !(a.Spread > a.Pooled.Mean && b.Spread < b.Pooled.Lo) {
		t.Errorf("spreads %v and %v, of heads of all layers %v", a.Spread, b.Spread, a.Pooled)
	}
	text := Text([]Analysis{*d}, nil, 80)
	for _, want := range []string{"layer 1: two profiles: seven heads form", "2, 4–9    0.0"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
}

// Profiles of every encoding are those of the attention away from borders, where the scores have no part that the
// profile leaves out: the distribution that was read off the parameters is near that of the attention.
func TestProfilesAreThoseOfTheHeads(t *testing.T) {
	for _, kind := range posenc.Kinds {
		net := small(t, func(s *model.Spec) {
			s.Encoding, s.Pool, s.Layers, s.Heads = kind.Name, 1, model.Equal(1), model.Ints{3}
		})
		if g, ok := net.Attention()[0].Encoding.(posenc.Gaussian); ok {
			for h, at := range [][2]float64{{0, 1}, {-2, 0}, {1, 1}} { // whole tokens, which alignment finds
				head := g.Heads()[h]
				g.Put(h, posenc.Head{Center: at, Precision: head.Precision})
			}
		}
		sites, err := sitesOf(net)
		if err != nil {
			t.Fatal(err)
		}
		s := sites[0]
		if _, err := see(context.Background(), net, sites, noise(4), 4, false); err != nil {
			t.Fatal(err)
		}
		if err := s.project(); err != nil {
			t.Fatal(err)
		}
		of, err := s.headProfiles()
		if err != nil {
			t.Fatal(err)
		}
		from, err := s.operator.Profiles()
		if err != nil {
			t.Fatal(err)
		}
		for h := range of {
			_, gaussian := net.Attention()[0].Encoding.(posenc.Gaussian)
			if of[h].Centered != gaussian {
				t.Errorf("%s, head %d: centered %t", kind.Name, h+1, of[h].Centered)
			}
			if distance, _ := of[h].Distance(from[h]); gaussian && distance > 0.1 {
				t.Errorf("%s, head %d: %.3f apart", kind.Name, h+1, distance)
			} else if apart := insideDistance(of[h], from[h], 12); !gaussian && apart > 0.1 {
				t.Errorf("%s, head %d: %.3f apart inside", kind.Name, h+1, apart)
			}
		}
		if len(of) != 3 {
			t.Errorf("%s: %d heads", kind.Name, len(of))
		}
	}
}

// insideDistance is the total variation of two profiles on shifts of fewer tokens than reach along both axes, which the
// queries inside of a grid see: beyond, attention has nothing, and the scores of all shifts have.
func insideDistance(p, q analyse.Profile, reach int) (distance float64) {
	rows, cols := p.Grid.Rows, p.Grid.Cols
	var at []int
	var sums [2]float64
	for i := range p.P {
		y, x := i/(2*cols-1)-rows+1, i%(2*cols-1)-cols+1
		if max(y, -y, x, -x) < reach {
			at, sums[0], sums[1] = append(at, i), sums[0]+p.P[i], sums[1]+q.P[i]
		}
	}
	for _, i := range at {
		distance += math.Abs(p.P[i]/sums[0]-q.P[i]/sums[1]) / 2
	}
	return distance
}

// What a window hides of the scores is not in the profile.
func TestProfilesInAWindow(t *testing.T) {
	net := small(t, func(s *model.Spec) {
		s.Encoding, s.Pool, s.Layers, s.Window = "table", 1, model.Equal(1), model.Window{Size: 3, Border: "absent"}
	})
	d := profiledNet(t, net, Options{})
	if p := d.Layers[0].Profiles; p == nil || p.Width > math.Sqrt2 {
		t.Errorf("profiles of a window of 3 × 3: %+v", p)
	}
}
