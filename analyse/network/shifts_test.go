package network

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/heads"
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/run/event"
)

// shiftsOf measures where the heads of a network look, without baselines.
func shiftsOf(t *testing.T, net *model.Network) []Layer {
	t.Helper()
	sites, err := sitesOf(net)
	if err == nil {
		_, err = see(context.Background(), net, sites, noise(0), 1, false)
	}
	if err != nil {
		t.Fatal(err)
	}
	layers := make([]Layer, len(sites))
	for i, s := range sites {
		if err := s.project(); err != nil {
			t.Fatal(err)
		}
		if err := measureShifts(s, &layers[i]); err != nil {
			t.Fatal(err)
		}
	}
	return layers
}

// place gives the layers of a network of quadratic attention their heads.
func place(t *testing.T, net *model.Network, layers [][]posenc.Head) {
	t.Helper()
	sites, err := sitesOf(net)
	if err != nil {
		t.Fatal(err)
	}
	for i, layer := range layers {
		for h, head := range layer {
			attentionOf(sites[i]).Encoding.(posenc.Gaussian).Put(h, head)
		}
	}
}

// ofStudy has the heads that a run of study half had after its last epoch. Its maps are others, of which shifts say
// nothing.
func ofStudy(t *testing.T, trial string) *model.Network {
	t.Helper()
	var result struct{ Heads map[string]event.Heads }
	text, err := os.ReadFile(filepath.Join("..", "..", "studies", "half", trial+".json"))
	if err == nil {
		err = json.Unmarshal(text, &result)
	}
	if err != nil {
		t.Fatal(err)
	}
	last := heads.Recorded(result.Heads["004"])
	net := small(t, func(s *model.Spec) {
		s.Layers, s.Heads, s.Image, s.Dim = model.Equal(len(last)), model.Ints{len(last[0])}, [3]int{32, 32, 3}, 9
	})
	place(t, net, last)
	return net
}

// The trends, and the taps by layer, of a reviewer's program, which shares no code with this one: five networks at half
// width and the rate 0.01, five at 0.003, five with frozen heads, and one with heads on a grid, which never move.
func TestShiftsOfStudies(t *testing.T) {
	taps, different := [6]float64{2.6, 3.4, 5.2, 5.6, 6.2, 6.6}, [6]float64{2, 3.4, 4.6, 5.2, 5.8, 6}
	for arm, want := range map[string]float64{"quadratic-tuned": 0.95, "quadratic": 0.76, "quadratic-frozen": -0.15,
		"quadratic-grid": 0} {
		var tau float64
		var counts [6][2]float64
		for seed := range 5 {
			layers := shiftsOf(t, ofStudy(t, fmt.Sprintf("%s-seed%d", arm, seed)))
			tau += float64(depthTrend(layers)) / 5
			for i, l := range layers {
				counts[i][0] += float64(l.Shifts.Taps.Value) / 5
				counts[i][1] += float64(l.Shifts.Different) / 5
			}
		}
		if math.Abs(tau-want) > 0.005 || want == 0 && tau != 0 {
			t.Errorf("%s: τ of depth and mean shift %v, want %v", arm, tau, want)
		}
		for i, n := range counts {
			if arm == "quadratic-tuned" && (math.Abs(n[0]-taps[i]) > 1e-9 || math.Abs(n[1]-different[i]) > 1e-9) {
				t.Errorf("layer %d: %.1f taps (%.1f different), want %v (%v)", i+1, n[0], n[1], taps[i], different[i])
			}
		}
	}
}

// Heads whose numbers are known: three taps, of which two are one, and a head on all tokens alike. Beyond the edge a
// head reads the edge, so a tap three rows down on 4 × 4 has a mean shift of (3+2+1+0)/4.
func TestShiftsOfKnownHeads(t *testing.T) {
	net := small(t, func(s *model.Spec) { s.Encoding = "quadratic-general" })
	sharp := [2][2]float64{{400, 0}, {0, 400}}
	place(t, net, [][]posenc.Head{{
		{Center: [2]float64{3, 0}, Precision: sharp}, {Center: [2]float64{0, 1}, Precision: sharp},
		{Center: [2]float64{0.2, 1.1}, Precision: sharp}, {Precision: [2][2]float64{{1e-9, 0}, {0, 1e-9}}},
	}})
	s := shiftsOf(t, net)[0].Shifts
	row, far := 1.5, 0.75 // mean shifts of a tap at (3, 0) and of one at (0, 1)
	even := 0.0           // mean distance of two tokens of the grid
	for q := range 16 {
		for k := range 16 {
			even += math.Hypot(float64(q/4-k/4), float64(q%4-k%4)) / 256
		}
	}
	for what, of := range map[string][2]float64{
		"mean shift":        {float64(s.Mean.Value), (row + 2*far) / 4},
		"distance":          {float64(s.Distance.Value), (row + 2*far + even) / 4},
		"taps":              {float64(s.Taps.Value), 3},
		"shifts of taps":    {float64(s.Different), 2},
		"median of taps":    {float64(s.Far), 1},
		"clamped":           {float64(s.Clamped), (12./16 + 2*4./16) / 3},
		"heads":             {float64(s.Heads), 4},
		"trend of 1":        {btof(depthTrend([]Layer{{Shifts: s}}).Known()), 0},
		"trend of a fall":   {float64(depthTrend([]Layer{{Shifts: s}, {}, {Shifts: &LayerShifts{}}})), -1},
		"trend of a repeat": {float64(depthTrend([]Layer{{Shifts: s}, {Shifts: s}})), 0},
	} {
		if math.Abs(of[0]-of[1]) > 1e-6 {
			t.Errorf("%s: %v, want %v", what, of[0], of[1])
		}
	}
	for _, words := range []string{"3 of 4 heads are taps of 2 shifts, 42 % of whose reads", "mean shift 0.8 tokens;"} {
		if !strings.Contains(s.sentence(), words) {
			t.Errorf("%q does not have %q", s.sentence(), words)
		}
	}
}

func btof(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Each layer is next to untrained ones, and so is the trend, in the sentences as well.
func TestShiftsNextToUntrained(t *testing.T) {
	net := small(t, func(s *model.Spec) { s.Layers = model.Equal(3) })
	fresh := func(seed uint64) (*model.Network, error) { return model.New(net.Spec, seed) }
	d, err := Measure(context.Background(), Subject{Name: "x", Net: net, Fresh: fresh}, Options{Seeds: 4})
	if err != nil {
		t.Fatal(err)
	}
	var means, taus []float64
	for n := range uint64(4) {
		other, err := fresh(untrainedSeed(n))
		if err != nil {
			t.Fatal(err)
		}
		layers := shiftsOf(t, other)
		means = append(means, float64(layers[1].Shifts.Mean.Value))
		taus = append(taus, float64(depthTrend(layers)))
	}
	if got, want := *d.Layers[1].Shifts.Mean.Untrained, analyse.NewBand(means); !reflect.DeepEqual(got, want) {
		t.Errorf("mean shift of untrained layers: %+v, want %+v", got, want)
	}
	if got, want := *d.Trend.Untrained, analyse.NewBand(taus); !reflect.DeepEqual(got, want) {
		t.Errorf("trend of untrained networks: %+v, want %+v", got, want)
	}
	if !strings.Contains(d.Verdict[3], "Kendall's τ of ") || !strings.Contains(d.Verdict[3], "untrained ") {
		t.Error(d.Verdict[3])
	}
}
