package bench

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/attnconv/attnconv/model"
)

// at returns a location on a stack; of several functions the innermost, inlined one comes first.
func at(functions ...string) *profile.Location {
	l := &profile.Location{}
	for _, name := range functions {
		l.Line = append(l.Line, profile.Line{Function: &profile.Function{Name: name}})
	}
	return l
}

func TestOwnerIsTheInnermostFunctionOfOurs(t *testing.T) {
	for _, tt := range []struct {
		name  string
		stack []*profile.Location
		want  string
	}{
		{"kernel", []*profile.Location{at(module + "internal/gemm.avx512Strips12")}, "gemm.avx512Strips12"},
		{"copied", []*profile.Location{at("runtime.memmove"), at(module + "internal/gemm.PackB")}, "gemm.PackB"},
		{"closure", []*profile.Location{at(module + "internal/gemm.Bias.func1.2")}, "gemm.Bias"},
		{"inlined", []*profile.Location{at(module+"internal/gemm.Mat.Block", module+"internal/gemm.Mul")},
			"gemm.Mat.Block"},
		{"method", []*profile.Location{at(module + "internal/op.(*separableMix).line")}, "op.separableMix.line"},
		{"goroutine", []*profile.Location{at(module + "internal/op.(*draw).head.gowrap1")}, "op.draw.head"},
		{"gorgonia", []*profile.Location{at("runtime.mapaccess1"), at("gorgonia.org/gorgonia.(*tape).run")},
			"(gorgonia)"},
		{"nobody's", []*profile.Location{at("runtime.futex")}, "(Go's runtime)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := owner(&profile.Sample{Location: tt.stack}); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestFunctionsSumProcessorTime(t *testing.T) {
	sample := func(name string, ns int64) *profile.Sample {
		return &profile.Sample{Location: []*profile.Location{at(module + "internal/gemm." + name)},
			Value: []int64{1, ns}}
	}
	p := &profile.Profile{Sample: []*profile.Sample{sample("b", 1e9), sample("a", 2e9), sample("b", 5e9)}}
	got, cpu := functions(p, 2)
	if diff := cmp.Diff([]Function{{Name: "gemm.b", CPUS: 3, Share: 0.75}, {Name: "gemm.a", CPUS: 1, Share: 0.25}},
		got); diff != "" || cpu != 4 {
		t.Errorf("%v seconds in all\n%s", cpu, diff)
	}
}

func TestOperationsAreSummedByKind(t *testing.T) {
	got := operations(map[string]float64{
		"linear{bias} of layer.0.dense": 1, "d linear{bias} of layer.0.dense": 2, "linear of layer.1.dense": 0.5,
		"mean-tokens": 0.5, "d mean-tokens": 1,
	}, 8, 2)
	want := []Operation{{Name: "linear", ForwardS: 0.75, BackwardS: 1, Share: 0.4375},
		{Name: outside, ForwardS: 1.5, BackwardS: 0, Share: 0.375},
		{Name: "mean-tokens", ForwardS: 0.25, BackwardS: 0.5, Share: 0.1875}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The steps are too few for the sampling profiler; the operations are timed exactly.
func TestProfileOfSteps(t *testing.T) {
	p := small("train")
	net, err := model.New(p.Model, 0)
	if err != nil {
		t.Fatal(err)
	}
	s, err := newStepper(net, p)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	got, err := s.profile(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if got.Steps != profileSteps || !(got.WallS > 0) {
		t.Errorf("%+v", got)
	}
	var share float64
	both := 0
	for _, o := range got.Operations {
		share += o.Share
		if o.ForwardS > 0 && o.BackwardS > 0 {
			both++
		}
	}
	if both < 5 {
		t.Errorf("%d operations took time forward and backward: %v", both, got.Operations)
	}
	if share < 0.99 || share > 1.01 {
		t.Errorf("the operations' shares add up to %v", share)
	}
}
