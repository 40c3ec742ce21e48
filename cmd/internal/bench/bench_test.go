package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/train"
)

// paper is paper/quadratic: 256 tokens of 12 input channels, six layers of nine heads, 400 channels, 512 in the
// feed-forward part.
func paper() model.Spec {
	s := model.Default()
	s.Pool, s.Layers, s.Heads, s.Dim, s.FFN = 2, model.Equal(6), model.Ints{9}, 400, 512
	s.Dropout, s.AttentionDropout = 0.1, 0.1
	return s
}

// paperMACs are the multiply-adds of the forward pass of one image. Training takes three times as many, plus those of
// the dropped pairs.
const paperMACs = 256*12*400 + // stem
	// value and dense map of each head, folded; the first layer has 12+1 channels, padded to 16
	256*9*16*400 + 5*256*9*400*400 +
	256*9*16*(16+16) + 5*256*9*400*(16+16) + // mixing along rows, then columns
	6*2*256*400*512 + // feed-forward
	400*10 // head

func TestNecessaryWorkOfThePaper(t *testing.T) {
	for _, tt := range []struct {
		mode        string
		least, most float64 // GFLOP
	}{
		{"infer", 2 * paperMACs / 1e9, 2 * paperMACs / 1e9},
		// dropout drops at most a tenth of all pairs, 9 heads · 256², for each of 16 + 5·400 channels
		{"train", 6 * paperMACs / 1e9, 6 * (paperMACs + 0.1*9*256*256*(16+5*400)) / 1e9},
	} {
		t.Run(tt.mode, func(t *testing.T) {
			net, err := model.New(paper(), 0)
			if err != nil {
				t.Fatal(err)
			}
			work, err := workOf(net, tt.mode == "train", 32)
			if err != nil {
				t.Fatal(err)
			}
			r := Row{Mode: tt.mode, Batch: 32}
			fill(&r, []lap{{seconds: 1, gemm: 1}}, work)
			if r.Necessary < tt.least*(1-1e-12) || r.Necessary > tt.most*(1+1e-12) {
				t.Errorf("%v GFLOP, want %v to %v", r.Necessary, tt.least, tt.most)
			}
			if tt.mode == "train" && r.Necessary == tt.least {
				t.Error("no pairs are dropped")
			}
		})
	}
}

func TestRowOfFiveSteps(t *testing.T) {
	var laps []lap
	for i, s := range []float64{0.5, 0.1, 0.4, 0.2, 0.3} {
		laps = append(laps, lap{seconds: s, bytes: uint64(1000 * i), mallocs: uint64(i), gemm: 1e9 * float64(100+i)})
	}
	got := Row{Mode: "train", Batch: 30}
	fill(&got, laps, work{macs: 1.25e8})
	want := Row{Mode: "train", Batch: 30, Steps: 5, ImgS: 100, ImgSBest: 300, StepS: 0.3, StepQ1: 0.2, StepQ3: 0.4,
		StepBest: 0.1, Necessary: 0.75, GFLOPS: 75, GEMMGFLOPS: 102, GEMMShare: 75.0 / 102, AllocsStep: 2000,
		MallocsStep: 2}
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Error(diff)
	}
}

var near = cmp.Comparer(func(x, y float64) bool { return math.Abs(x-y) <= 1e-12*math.Abs(x) })

func TestQuantile(t *testing.T) {
	laps := []lap{{seconds: 4}, {seconds: 1}, {seconds: 3}, {seconds: 2}}
	for q, want := range map[float64]float64{0: 1, 0.25: 1.75, 0.5: 2.5, 0.75: 3.25, 1: 4} {
		if got := quantile(laps, q, func(l lap) float64 { return l.seconds }); got != want {
			t.Errorf("quantile(%v) = %v, want %v", q, got, want)
		}
	}
}

// small is a point whose steps take a few milliseconds.
func small(mode string) Point {
	s := model.Default()
	s.Pool, s.Layers, s.Heads, s.Dim, s.FFN = 8, model.Equal(2), model.Ints{2}, 12, 8
	return Point{Preset: "tiny", Model: s, Train: train.Default(), Mode: mode, Batch: 2, Threads: 1, Steps: 3,
		Warmup:  2,
		Started: time.Now()}
}

func TestMeasure(t *testing.T) {
	for _, mode := range modes.Names() {
		t.Run(mode, func(t *testing.T) {
			p := small(mode)
			r, err := Measure(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			if r.Steps != 3 || r.Params != p.Model.Params() || r.Mode != mode || r.Batch != 2 {
				t.Errorf("%+v", r)
			}
			for name, x := range map[string]float64{"images a second": r.ImgS, "necessary work": r.Necessary,
				"GEMM": r.GEMMGFLOPS, "share": r.GEMMShare, "first step": r.FirstStepS} {
				if !(x > 0) || math.IsInf(x, 0) {
					t.Errorf("%s: %v", name, x)
				}
			}
			if !(r.StepBest <= r.StepQ1 && r.StepQ1 <= r.StepS && r.StepS <= r.StepQ3) {
				t.Errorf("best %v, quartiles %v and %v, median %v", r.StepBest, r.StepQ1, r.StepQ3, r.StepS)
			}
		})
	}
}

func TestMeasureObeysItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Measure(ctx, small("train")); err != context.Canceled {
		t.Errorf("got %v", err)
	}
}

// The measuring process gets its point as JSON, also whole numbers and windows of registered kinds.
func TestPointSurvivesJSON(t *testing.T) {
	for _, preset := range []string{"tiny", "zoo/small-mixer", "zoo/small-swin"} {
		p, _, err := new(benchOptions).preset(&term.Console{}, preset)
		if err != nil {
			t.Fatal(err)
		}
		p.Changes, p.Profile, p.Started = []string{"model.heads=[3, 2]"}, true, time.Unix(1, 0).UTC()
		var b bytes.Buffer
		if err := json.NewEncoder(&b).Encode(p); err != nil {
			t.Fatal(err)
		}
		got, err := readPoint(&b)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(p, got); diff != "" {
			t.Errorf("%s: %s", preset, diff)
		}
	}
}

// Rows are in the order of the points, and the report's matrix product is the fastest of theirs; an error ends it.
func TestMeasured(t *testing.T) {
	speeds, seen := []float64{5, 7, 6}, 0
	r, err := measureAll([]Point{{Batch: 0}, {Batch: 1}, {Batch: 2}}, func(p Point) (*Row, error) {
		return &Row{Batch: p.Batch, GEMMGFLOPS: speeds[p.Batch]}, nil
	}, func(row Row) {
		if row.Batch != seen {
			t.Errorf("row %d is of batch %d", seen, row.Batch)
		}
		seen++
	})
	if err != nil || seen != 3 || len(r.Rows) != 3 || r.GEMM != 7 || r.V != 1 || r.Machine.Cores < 1 {
		t.Errorf("%+v after %d rows, %v", r, seen, err)
	}
	broken := errors.New("broken")
	_, err = measureAll(make([]Point, 1), func(Point) (*Row, error) { return nil, broken }, func(Row) {})
	if err != broken {
		t.Errorf("the error is %v", err)
	}
}
