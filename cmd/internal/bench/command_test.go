package bench

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/configs"
)

func TestBenchPointsAreAllCombinations(t *testing.T) {
	var errs bytes.Buffer
	c := term.NewConsole(strings.NewReader(""), &bytes.Buffer{}, &errs, nil)
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
