package network

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/study/stats"
)

// Each epoch is measured as by itself, against the same untrained networks; the start is epoch 0.
func TestOver(t *testing.T) {
	spec := small(t, func(*model.Spec) {}).Spec
	fresh := func(seed uint64) (*model.Network, error) { return model.New(spec, seed) }
	start, err := fresh(5)
	if err != nil {
		t.Fatal(err)
	}
	later := small(t, func(*model.Spec) {})
	drawn := 0
	s := Subject{Name: "x", Net: later, Start: start, Fresh: func(seed uint64) (*model.Network,
		error) {
		drawn++
		return fresh(seed)
	}}
	o := Options{Seeds: 4}
	d, err := Over(context.Background(), s, []Snapshot{{3, func() (*model.Network, error) { return later, nil }}}, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Epochs) != 2 || d.Epochs[0].Epoch != 0 || d.Epochs[1].Epoch != 3 || drawn != 4 {
		t.Fatalf("%d epochs, %d networks drawn", len(d.Epochs), drawn)
	}
	alone, err := Measure(context.Background(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range d.Epochs[1].Layers {
		if *l.Shares != *alone.Layers[i].Shares || fmt.Sprint(l.Null.Each) != fmt.Sprint(alone.Layers[i].Null.Each) ||
			float64(l.Null.P) != float64(alone.Layers[i].Null.P) {
			t.Errorf("layer %d: %+v, by itself %+v", i+1, l.Null, alone.Layers[i].Null)
		}
		if first := d.Epochs[0].Layers[i]; *first.Shares != *l.Null.Own {
			t.Errorf("layer %d: epoch 0 has %+v, the start %+v", i+1, first.Shares, l.Null.Own)
		}
	}
	both := []Epochs{*d, *d}
	if got := SeedsOver(both); len(got) != 0 {
		t.Errorf("the same seed twice has means: %+v", got)
	}
	both[1].Seed++
	seeds := SeedsOver(both)
	if len(seeds) != 2 || seeds[1].Epoch != 3 || seeds[1].Layers[0].Within3.Mean != withinOf(d.Epochs[1].Layers[0]) {
		t.Errorf("seeds %+v", seeds)
	}
	if text := OverText(both, seeds, 80); !strings.Contains(text, "means of 2 runs") ||
		!strings.Contains(text, "after epoch 3:") {
		t.Error(text)
	}
	both[1].Epochs = both[1].Epochs[1:]
	if got := SeedsOver(both); len(got) != 0 {
		t.Errorf("runs of different epochs have %+v in common", got)
	}
	broken := errors.New("broken")
	if _, err := Over(context.Background(), s, []Snapshot{{3, func() (*model.Network, error) { return nil, broken }}},
		o); !errors.Is(err, broken) {
		t.Error(err)
	}
	if _, err := Over(context.Background(), Subject{Net: later}, nil, o); err == nil {
		t.Error("no snapshots were measured")
	}
}

// A p-value that cannot be small says how many draws would make it so: with n layers and d draws it is n/(1+d) at
// least.
func TestTooFew(t *testing.T) {
	layers := make([]Layer, 6)
	for i := range layers {
		layers[i].Null = &NullShares{Name: initializerNull, Draws: 20, P: 0.01}
	}
	notes := tooFew(Analysis{Model: "mhsa", Layers: layers})
	if len(notes) != 1 || !strings.Contains(notes[0], "never below 0.29: 0.05 takes --null-seeds 119") {
		t.Error(notes)
	}
	for i := range layers {
		layers[i].Null.Draws = 119
	}
	if notes := tooFew(Analysis{Model: "mhsa", Layers: layers}); len(notes) > 0 {
		t.Error(notes)
	}
}

// A sentence says no more than its values: 84.6 % is 84 %, a difference of 12.7 is 12, p of 0.0312 is 0.032.
func TestSeedSentence(t *testing.T) {
	s := seedSentence(SeedLayer{Layer: 2, N: 3, Within3: &SeedMean{Mean: 0.846,
		CI: stats.Interval{Lo: 0.802, Hi: 0.891}, Diff: 0.127, DiffCI: stats.Interval{Lo: 0.052, Hi: 0.199},
		PHolm: 0.0312}})
	if want := "layer 2, 3 runs: 85 % [80, 89] of the squared norm of its operator is one 3 × 3 convolution, a " +
		"relative error of 39 %; 13 points more than untrained layers [+5, +20], p 0.031"; s != want {
		t.Errorf("%s\nwant %s", s, want)
	}
}
