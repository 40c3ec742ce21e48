package network

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/null"
)

// The baseline at initialization is drawn from networks of seeds of their own: each another one, none that of the run
// or near to it. Its shares are those that an analysis of each of these networks finds.
func TestBaselineHasSeedsOfItsOwn(t *testing.T) {
	spec := model.Default()
	spec.Layers, spec.Heads, spec.Dim, spec.FFN, spec.Pool, spec.Image = model.Equal(1), model.Ints{4}, 8, 8, 4,
		[3]int{16, 16, 3}
	net, err := model.New(spec, 3)
	if err != nil {
		t.Fatal(err)
	}
	var seeds []uint64
	var nets []*model.Network
	fresh := func(seed uint64) (*model.Network, error) {
		n, err := model.New(spec, seed)
		seeds, nets = append(seeds, seed), append(nets, n)
		return n, err
	}
	d, err := Measure(context.Background(), Subject{Name: "x", Net: net, Seed: 3, Fresh: fresh}, Options{Seeds: 4})
	if err != nil {
		t.Fatal(err)
	}
	if unique := slices.Compact(slices.Sorted(slices.Values(seeds))); len(seeds) != 4 || len(unique) != 4 ||
		unique[0] < 100 {
		t.Fatalf("seeds %v, and the run's is 3: want four others, none that a run is likely to have", seeds)
	}
	for i, n := range nets {
		alone, err := Measure(context.Background(), Subject{Name: "y", Net: n}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := alone.Layers[0].Shares
		if got, want := d.Layers[0].Null.Each[i], s.K1+s.K3; math.Abs(got-want) > 1e-9 {
			t.Errorf("draw %d has %v within 3 × 3, the network of seed %d %v", i, got, seeds[i], want)
		}
	}
}

// Holm's correction of a baseline's p-values is over the layers that have it, whatever other baselines there are: of 2,
// 2·0.01, then the larger of that and 0.03; of 3, 3·0.02, then 2·0.04, then the larger of that and 0.05.
func TestEachBaselineIsCorrectedAlone(t *testing.T) {
	layers := []Layer{
		{Null: &NullShares{Name: initializerNull, P: 0.01}, Nulls: []NullShares{{Name: centersNull, P: 0.05}}},
		{Null: &NullShares{Name: initializerNull, P: 0.03}, Nulls: []NullShares{{Name: centersNull, P: 0.02}}},
		{Null: &NullShares{Name: initializerNull, P: null.Unknown}, Nulls: []NullShares{{Name: centersNull, P: 0.04}}},
	}
	correct(layers)
	for i, want := range [][2]null.Float{{0.02, 0.08}, {0.03, 0.06}, {0, 0.08}} {
		got := [2]null.Float{layers[i].Null.PHolm, layers[i].Nulls[0].PHolm}
		for j := range got {
			if math.Abs(float64(got[j]-want[j])) > 1e-12 {
				t.Errorf("layer %d: corrected p-values %v, want %v", i+1, got, want)
			}
		}
	}
}
