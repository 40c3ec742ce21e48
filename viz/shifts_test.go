package viz

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/attnconv/attnconv/posenc/geometry"
)

// convolution returns a layer whose nine sharp heads are centered at the nine shifts of a 3 × 3 kernel.
func convolution() Layer {
	l := Layer{Number: 1}
	for i := range 9 {
		h := round(10)
		h.Center = [2]float64{float64(i/3 - 1), float64(i%3 - 1)}
		l.Heads = append(l.Heads, h)
	}
	return l
}

func TestShiftsLookAsBefore(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	trained := Layer{Number: 3, Heads: []geometry.Head{golden, round(1e-7)}}
	weights := [][][]float64{gaussian(12, 8, rng), gaussian(12, 8, rng)}
	for range 14 {
		h := round(0.2 + rng.Float64())
		h.Center = [2]float64{2 * rng.NormFloat64(), 2 * rng.NormFloat64()}
		trained.Heads, weights = append(trained.Heads, h), append(weights, gaussian(12, 8, rng))
	}
	for _, tt := range []struct {
		name string
		l    Layer
		o    ShiftsOptions
	}{{"shifts", convolution(), ShiftsOptions{}}, {"shifts_trained", trained, ShiftsOptions{Weights: weights}}} {
		f, err := Shifts(tt.l, tt.o)
		if err != nil {
			t.Fatal(err)
		}
		looksAsBefore(t, tt.name, f)
	}
}

func TestShiftsRefuses(t *testing.T) {
	if _, err := Shifts(Layer{}, ShiftsOptions{}); err == nil {
		t.Error("no heads: want an error")
	}
	if _, err := Shifts(convolution(), ShiftsOptions{Weights: [][][]float64{{{1}}}}); err == nil {
		t.Error("a matrix for nine heads: want an error")
	}
}

// The layer that Theorem 1 of the paper constructs for a 3 × 3 convolution.
func ExampleShifts() {
	l := Layer{Number: 1}
	for i := range 9 {
		l.Heads = append(l.Heads, geometry.Head{
			Center:    [2]float64{float64(i/3 - 1), float64(i%3 - 1)},
			Precision: [2][2]float64{{92, 0}, {0, 92}},
		})
	}
	f, err := Shifts(l, ShiftsOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	svg, err := f.Encode("layer.svg", Output{})
	fmt.Println(len(svg) > 0, err)
	// Output: true <nil>
}

// gaussian returns a random matrix.
func gaussian(rows, cols int, rng *rand.Rand) [][]float64 {
	a := make([][]float64, rows)
	for i := range a {
		for range cols {
			a[i] = append(a[i], rng.NormFloat64())
		}
	}
	return a
}

// Colors say what changed: blue is narrower, orange wider, by more than a seventh.
func TestChangesHaveColors(t *testing.T) {
	head := func(r50 float64) geometry.Head { return geometry.Isotropic([2]float64{}, math.Ln2/r50/r50) }
	before := []geometry.Head{head(1), head(1), head(1), head(1)}
	got := lightTheme.changes(before, []geometry.Head{head(0.5), head(2), head(1.1), head(0.95)})
	want := []any{lightTheme.Heads[0], lightTheme.Heads[1], lightTheme.Quiet, lightTheme.Quiet}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("head %d is %v, want %v", i+1, got[i], want[i])
		}
	}
}
