package viz

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// divided draws three layers, the last with no null.
func divided(t *testing.T, width float64) *Figure {
	t.Helper()
	f, err := Shares([]ShareLayer{
		{Number: 1, Shares: []float64{0.02, 0.85, 0.01, 0, 0, 0.12},
			Null: []float64{0.04, 0.2, 0.21, 0.12, 0.07, 0.36}},
		{Number: 2, Shares: []float64{0.3, 0.3, 0.1, 0.1, 0.1, 0.1},
			Null: []float64{0.01, 0.11, 0.18, 0.11, 0.07, 0.52}},
		{Number: 4, Shares: []float64{0, 0, 0, 0, 0, 1}},
	}, SharesOptions{Parts: []string{"1 × 1", "further 3 × 3", "further 5 × 5", "further 7 × 7", "larger",
		"depends on the place"},
		Axis: "share of the squared norm, %", Null: "mean of 20 untrained networks", Width: width})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestSharesLookAsBefore(t *testing.T) {
	looksAsBefore(t, "shares", divided(t, 12))
	looksAsBefore(t, "shares_narrow", divided(t, 8))
}

// The values have every part of every layer, with its null, or nothing where it has none.
func TestSharesTable(t *testing.T) {
	got := string(divided(t, 0).Data.CSV())
	for _, want := range []string{"layer,part,share,null\n", "\n1,further 3 × 3,0.85,0.2\n",
		"\n4,depends on the place,1,\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestSharesRefuse(t *testing.T) {
	o := SharesOptions{Parts: []string{"a", "b"}}
	for _, l := range []ShareLayer{
		{}, {Shares: []float64{1}}, {Shares: []float64{0.7, 0.7}}, {Shares: []float64{math.NaN(), 0}},
		{Shares: []float64{-0.5, 1}},
		{Shares: []float64{0, 1}, Null: []float64{1}},
	} {
		if _, err := Shares([]ShareLayer{l}, o); err == nil {
			t.Errorf("%+v: want an error", l)
		}
	}
	if _, err := Shares(nil, o); err == nil {
		t.Error("no layers: want an error")
	}
}

// A layer that is almost a 3 × 3 convolution, beside untrained ones that are not.
func ExampleShares() {
	f, err := Shares([]ShareLayer{{Number: 1, Shares: []float64{0.02, 0.85, 0.13}, Null: []float64{0.04, 0.2, 0.76}}},
		SharesOptions{Parts: []string{"1 × 1", "further 3 × 3", "the rest"}, Null: "mean of 20 untrained networks"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Alt)
	// Output: Stacked bars. layer 1: 1 × 1 2 %, further 3 × 3 85 %, the rest 13 %.
}
