package main

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/null"
)

// An measured layer is what analyse --json says of a layer of quad, as far as titles need it.
type measured struct {
	Shares struct{ K1, K3 float64 }
	Null   struct {
		Within3 struct{ Lo, Hi float64 }
	}
	Heads []struct {
		BlurBits float64 `json:"blur_bits"`
	}
	Profiles struct {
		Count     int
		Spread    float64
		Untrained struct {
			Count, Spread struct{ Lo, Hi float64 }
		}
	}
	Shifts struct {
		Taps struct {
			Value     int
			Untrained struct{ Hi float64 }
		}
	}
}

// Titles that say what training did are true of the data, next to the same of untrained networks. A new title about a
// trained network needs a line here.
func TestTitlesAreTrue(t *testing.T) {
	if testing.Short() {
		t.Skip("analyzes an example run for some seconds")
	}
	dir, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	p, err := newProgram(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	var quad struct{ Layers []measured }
	read(t, p, &quad, "analyse", "quad", "--no-images", "--json")
	var network struct {
		Network struct {
			CKA struct {
				CKA          [][]float64
				CKAUntrained [][]float64 `json:"cka_untrained"`
			}
		}
	}
	read(t, p, &network, "analyse", "quad", "--network", "--json")
	all, err := readVerdict(p)
	if err != nil {
		t.Fatal(err)
	}
	value := func(id string) float64 { return float64(all.find(id).Value) }
	first, last := quad.Layers[0], quad.Layers[2]
	beyond := func(l measured) bool { return l.Shares.K1+l.Shares.K3 > l.Null.Within3.Hi }
	hardly := func() bool { // of nine heads, the three with the least blur are 3, 6 and 7
		order := []int{0, 1, 2, 3, 4, 5, 6, 7, 8}
		slices.SortFunc(order, func(a, b int) int {
			return cmp.Compare(first.Heads[a].BlurBits, first.Heads[b].BlurBits)
		})
		least := order[:3]
		slices.Sort(least)
		return slices.Equal(least, []int{2, 5, 6})
	}
	less := true
	for i := range 2 {
		less = less && network.Network.CKA.CKA[i][i+1] < network.Network.CKA.CKAUntrained[i][i+1]
	}
	apart := func(id string, sign float64) bool {
		n := all.find(id)
		return n.N >= 3 && null.Float(sign)*n.Value > 0 && sign*n.CI.Lo > 0 && sign*n.CI.Hi > 0
	}
	const tau, frozen, grid, twin = "own/layers/trend-shift/", "control/difference/quadratic-minus-quadratic-frozen",
		"control/difference/quadratic-minus-quadratic-grid", "compute/difference/conv-twin-e"
	taps := func(rates string) float64 { return value("rates/taps/quadratic-w" + rates) }
	for name, holds := range map[string]bool{
		"heads":             first.Profiles.Spread > first.Profiles.Untrained.Spread.Hi,
		"heads-first-layer": first.Shifts.Taps.Value == 3 && first.Shifts.Taps.Untrained.Hi == 0 && hardly(),
		"maps-first-layer":  first.Shifts.Taps.Value == 3 && hardly(),
		"bits":              hardly(),
		"shares":            beyond(first) && first.Shares.K1+first.Shares.K3 > 0.5 && !beyond(last),
		"profiles":          first.Profiles.Count > 1 && first.Profiles.Untrained.Count.Hi == 1,
		"cka":               less,
		"verdict-shift": apart(tau+"quadratic", 1) && apart("half/layers/trend-shift/quadratic", 1) &&
			!apart(tau+"quadratic-frozen", 1),
		"verdict-differences": apart("own/"+frozen, 1) && apart("half/"+frozen, 1) && apart("own/"+grid, 1) &&
			apart("half/"+grid, -1),
		"verdict-compute": apart(twin+"4-minus-quadratic", -1) && apart(twin+"7-minus-quadratic", 1),
		"verdict-rates":   taps("0.01-p0.3")-taps("0.01-p0.003") > 10 && taps("0.03-p0.1")-taps("0.003-p0.1") > 10,
		"verdict-marks":   value("relations/accuracy/attention") > 0.95 && value("relations/accuracy/convnet") < 0.4,
	} {
		if !slices.ContainsFunc(figures, func(f figure) bool { return f.name == name }) {
			t.Errorf("there is no figure %s", name)
		} else if !holds {
			t.Errorf("the title of %s is not what the data say", name)
		}
	}
}

func read(t *testing.T, p *program, into any, args ...string) {
	t.Helper()
	out, err := p.run(args...)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(strings.NewReader(out)).Decode(into); err != nil {
		t.Fatal(err)
	}
}
