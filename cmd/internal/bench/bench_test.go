package bench

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/internal/bench"
)

func TestBenchPointsAreAllCombinations(t *testing.T) {
	var errs bytes.Buffer
	c := cli.NewConsole(strings.NewReader(""), &bytes.Buffer{}, &errs, nil)
	o := benchOptions{Presets: []string{"tiny", "paper/quadratic"}, Modes: []string{"infer", "train"},
		Batches: []int{1, 32}, Threads: []int{4}, Warmup: 2,
		Sources: configs.Sources{Env: []string{"ATTNCONV_TRIAN_LR=1"},
			Flags: []configs.Flag{{Name: "--dim", Key: "model.dim", Text: "400"}}}}
	points, err := o.points(c)
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		preset, mode        string
		batch, threads, dim int
		changed             bool
	}
	var got []row
	for _, p := range points {
		got = append(got, row{p.Preset, p.Mode, p.Batch, p.Threads, p.Model.Dim, p.Changes != nil})
	}
	var want []row
	for _, preset := range o.Presets {
		for _, mode := range o.Modes {
			for _, batch := range o.Batches { // the paper's model has 400 channels as it is
				want = append(want, row{preset, mode, batch, 4, 400, preset == "tiny"})
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	if n := strings.Count(errs.String(), "warning:"); n != 1 {
		t.Errorf("warned %d times:\n%s", n, errs.String())
	}
}

func TestWhyNothingWasMeasured(t *testing.T) {
	p := bench.Point{Preset: "tiny", Batch: 7}
	for _, tt := range []struct{ name, words, want string }{
		{"an error of its own", "error: model: no memory\n  try less\n", "tiny, batch 7: model: no memory\n  try less"},
		{"killed", "", "tiny, batch 7: the measuring process ended: signal: killed\n" +
			"  is there too little memory? a smaller --batch needs less"},
		{"out of memory", "fatal error: runtime: out of memory\n\nruntime stack:", "tiny, batch 7: the measuring " +
			"process ended: signal: killed\n  is there too little memory? a smaller --batch needs less"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, unmeasured(p, errors.New("signal: killed"), tt.words).Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}
