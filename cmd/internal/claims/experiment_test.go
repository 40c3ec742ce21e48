package claims

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/attnconv/attnconv/theorem"

	"github.com/google/go-cmp/cmp"
)

func experiments() (all []Experiment) {
	for _, border := range append([]string{Interior}, theorem.Borders...) {
		for _, kind := range Types {
			for _, k := range []int{1, 3, 4} {
				all = append(all, Experiment{Axes: 2, Kernel: k, Size: 6, Stride: 1, Dilation: 1, Border: border,
					Type: kind,
					In:   3, Out: 2, Alpha: 46, Trials: 2})
			}
		}
	}
	return all
}

func TestTheoremHolds(t *testing.T) {
	all := experiments()
	found, err := runAll(t.Context(), all)
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range found {
		limit := map[string]float64{"float32": 1e-6, "float64": 1e-13}[all[i].Type]
		if d.Rel > limit || d.Leak > 2e-20 || d.Lost != 0 || !d.Bits {
			t.Errorf("%+v: %+v", all[i], d)
		}
	}
	second, err := runAll(t.Context(), all)
	if diff := cmp.Diff(found, second); diff != "" || err != nil {
		t.Errorf("the same seed gives another result: %s %v", diff, err)
	}
}

// Softer heads are farther from the convolution.
func TestErrorFallsWithAlpha(t *testing.T) {
	last := Deviation{Rel: 10, Leak: 1}
	for _, alpha := range []float64{1, 4, 16, 30} {
		e := Experiment{Axes: 2, Kernel: 3, Size: 6, Stride: 1, Dilation: 1, Border: "zero", Type: "float64", In: 3,
			Out:   2,
			Alpha: alpha, Trials: 2}
		d, err := e.Run()
		if err != nil || d.Rel >= last.Rel || d.Leak >= last.Leak {
			t.Errorf("α = %g: %+v after %+v, %v", alpha, d, last, err)
		}
		last = d
	}
}

func TestTooFewHeadsLose(t *testing.T) {
	e := Experiment{Axes: 2, Kernel: 3, Size: 6, Stride: 1, Dilation: 1, Border: "zero", Type: "float64", In: 3, Out: 2,
		Alpha: 746, Trials: 2, Heads: 8}
	if d, err := e.Run(); err != nil || d.Rel < 0.01 || d.Lost < 0.01 || d.Lost > 1./3 {
		t.Errorf("eight of nine heads: %+v, %v", d, err)
	}
}

func TestSmallHeadsLose(t *testing.T) {
	for _, tt := range []struct {
		dim   int
		loses bool
	}{{0, false}, {1, true}, {2, false}} { // three channels in, two out
		e := Experiment{Axes: 2, Kernel: 3, Size: 6, Stride: 1, Dilation: 1, Border: "zero", Type: "float64", In: 3,
			Out:   2,
			Alpha: 746, Trials: 2, HeadDim: tt.dim}
		d, err := e.Run()
		if err != nil || (d.Lost > 0) != tt.loses || (d.Rel > 1e-13) != tt.loses || d.Bits == tt.loses {
			t.Errorf("D_h = %d: %+v, %v", tt.dim, d, err)
		}
	}
}

func TestEllipticHeadsAreExactUnlessTheirPixelIsMissing(t *testing.T) {
	for _, border := range []string{Interior, "zero", "circular"} {
		e := Experiment{Axes: 2, Kernel: 3, Size: 6, Stride: 1, Dilation: 2, Border: border, Type: "float64", In: 3,
			Out:   2,
			Alpha: 46, Trials: 2, Elliptic: true}
		if d, err := e.Run(); err != nil || d.Rel > 1e-13 {
			t.Errorf("%s: %+v, %v", border, d, err)
		}
	}
}

func TestRunAllReturnsTheCauseOfCancellation(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := fmt.Errorf("enough")
	cancel(cause)
	if _, err := runAll(ctx, experiments()); !errors.Is(err, cause) {
		t.Errorf("got %v, want %v", err, cause)
	}
}

func TestTheLargestEntriesAreKept(t *testing.T) {
	four := theorem.Geometry{Kernel: []int{4}}
	c := &theorem.Conv[float64]{Geometry: four, In: 1, Out: 1, Weight: []float64{3, 0, -5, 4}}
	entries, lost := largest(c, 2)
	if want := 3 / math.Sqrt(50); !slices.Equal(entries, []int{2, 3}) || math.Abs(lost-want) > 1e-15 {
		t.Errorf("entries %v, lost %g; want [2 3] and %g", entries, lost, want)
	}
}
