package model

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/posenc"
)

// donors is a network of two layers of three heads, and another one with a donor of that encoding.
func donors(t *testing.T, encoding, start string) (from, to *Network, d Donor) {
	t.Helper()
	s := Default()
	s.Layers, s.Heads, s.Dim, s.FFN, s.Image = Equal(2), Ints{3}, 8, 12, [3]int{8, 12, 3}
	s.Encoding = encoding
	from, err := New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	s.HeadsInit = start
	if to, err = New(s, 2); err != nil {
		t.Fatal(err)
	}
	if d, _, err = s.Donor(); err != nil {
		t.Fatal(err)
	}
	return from, to, d
}

// Each option moves what it says, by plain arithmetic, and no other weight.
func TestPlace(t *testing.T) {
	for _, encoding := range []string{"quadratic", "quadratic-general"} {
		for _, start := range []string{"from:x", "from+centers:x", "from+widths:x", "from+reversed:x",
			"from+rotated=5:x", "from+centers+rotated=5+reversed:x"} {
			from, to, d := donors(t, encoding, start)
			_, drawn, _ := donors(t, encoding, "random")
			own, _ := drawn.Heads()
			want, isotropic := from.Heads()
			if err := to.Place(d, want, isotropic); err != nil {
				t.Fatal(err)
			}
			got, _ := to.Heads()
			angles := map[float64]bool{}
			for l, heads := range got {
				of := l
				if strings.Contains(start, "reversed") {
					of = 1 - l
				}
				for h, head := range heads {
					center, precision := want[of][h].Center, want[of][h].Precision
					if strings.Contains(start, "widths") {
						center = own[l][h].Center
					}
					if strings.Contains(start, "centers") {
						precision = own[l][h].Precision
					}
					if strings.Contains(start, "rotated") {
						turn := math.Atan2(head.Center[1], head.Center[0]) - math.Atan2(center[1], center[0])
						angles[math.Round(1e3*math.Mod(turn+4*math.Pi, 2*math.Pi))] = true
						center = [2]float64{math.Hypot(center[0], center[1])}
						head.Center = [2]float64{math.Hypot(head.Center[0], head.Center[1])}
					}
					if far(head, center, precision) {
						t.Errorf("%s %s: head %d.%d is %v; want %v, %v", encoding, start, l+1, h+1, head, center,
							precision)
					}
				}
			}
			if n := len(angles); n != 0 && n != 6 {
				t.Errorf("%s: %d different angles of six", start, n)
			}
			sameButFor(t, start, to, drawn)
		}
	}
}

// far reports whether a head is not the one of that center and precision.
func far(head posenc.Head, center [2]float64, precision [2][2]float64) bool {
	for i := range 2 {
		for j := range 2 {
			if !(math.Abs(head.Precision[i][j]-precision[i][j]) < 1e-5) {
				return true
			}
		}
		if !(math.Abs(head.Center[i]-center[i]) < 1e-5) {
			return true
		}
	}
	return false
}

// sameButFor compares the bits of all weights, except for the weights that a start sets.
func sameButFor(t *testing.T, start string, to, drawn *Network) {
	t.Helper()
	for i, p := range to.Params {
		moves := strings.HasSuffix(p.Name, "attention_centers") && !strings.Contains(start, "widths") ||
			strings.HasSuffix(p.Name, "attention_spreads") && !strings.Contains(start, "centers")
		if slices.Equal(p.Data, drawn.Params[i].Data) == moves {
			t.Errorf("%s: %s moves, or does not", start, p.Name)
		}
	}
}

// What does not fit is refused, and changes nothing.
func TestPlaceRefused(t *testing.T) {
	from, to, d := donors(t, "quadratic", "from:x")
	_, drawn, _ := donors(t, "quadratic", "random")
	heads, isotropic := from.Heads()
	for want, bad := range map[string]struct {
		heads     [][]posenc.Head
		isotropic bool
	}{
		"heads of 1 layers, this network of 2":    {heads[:1], isotropic},
		"2 heads for layer 2, which has 3":        {[][]posenc.Head{heads[0], heads[1][:2]}, isotropic},
		"of encoding quadratic-general, those of": {heads, false},
		"no finite center, or no width": {[][]posenc.Head{heads[0], {heads[1][0], heads[1][1],
			{Center: [2]float64{1e300, 0}}}}, true},
	} {
		if err := to.Place(d, bad.heads, bad.isotropic); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for i, p := range to.Params {
		if !slices.Equal(p.Data, drawn.Params[i].Data) {
			t.Errorf("%s has moved", p.Name)
		}
	}
}

func TestDonor(t *testing.T) {
	for start, want := range map[string]string{
		"from:a/b:c+d": "centers and widths", "from+centers+widths:x": "centers and widths", "from+centers:x": "only centers",
		"from+widths+reversed:x":    "only widths, the layers in reverse order",
		"from+reversed+rotated=9:x": "centers and widths, each center turned by an angle of seed 9, the layers in reverse order",
	} {
		s := Default()
		s.HeadsInit = start
		d, ok, err := s.Donor()
		if _, file, _ := strings.Cut(start, ":"); err != nil || !ok || d.String() != want || d.File != file {
			t.Errorf("%s: %s of %q, %v, %v", start, d, d.File, ok, err)
		}
		if err := s.Validate(); err != nil {
			t.Errorf("%s: %v", start, err)
		}
	}
	for start, want := range map[string]string{
		"from:": "no file is named", "from+up:x": `"up" is not an option`, "from+rotated=:x": "a seed is", "from+:x": `"" is not an option`,
		"from+widths+rotated=1:x": "widths have no direction", "from": "not one of random, grid, grid-soft, from:FILE",
	} {
		s := Default()
		s.HeadsInit = start
		var bad *option.Error
		if err := s.Validate(); !errors.As(err, &bad) || bad.Key != "model.heads_init" ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", start, err, want)
		}
	}
	for want, change := range map[string]func(*Spec){
		"only Gaussian heads have centers": func(s *Spec) { s.Encoding = "learned" },
		"has the heads of all layers": func(s *Spec) {
			s.Layers = Layers{{Own: map[string]any{"heads_init": "grid"}}}
		},
		"puts the heads on the grid": func(s *Spec) { s.Init, s.Window.Size = theoremSoft, 3 },
	} {
		s := Default()
		s.HeadsInit = "from:x"
		change(&s)
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
