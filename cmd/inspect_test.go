package cmd

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/cmd/internal/inspect"
	"github.com/attnconv/attnconv/cmd/internal/output"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/report"
	"github.com/attnconv/attnconv/viz"
)

// The document has the keys that other programs rely on, and the paper's counts.
func TestInspectDocument(t *testing.T) {
	var out, errs bytes.Buffer
	c := cli.NewConsole(strings.NewReader(""), &out, &errs, nil)
	if code := execute(t.Context(), []string{"inspect", "paper/quadratic", "--json"}, c, bodies{}); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	var d struct {
		Params, Macs, V  int
		MACsPaper        int `json:"macs_paper"`
		MACsRun          int `json:"macs_run"`
		ParamsTrainable  int `json:"params_trainable"`
		Encoding, Source string
		Layers, Heads    []map[string]any
		Memory           map[string]float64
	}
	if err := json.Unmarshal(out.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	if d.V != 1 || d.Params != 12_086_844 || d.ParamsTrainable != 12_086_844 || d.MACsPaper != 3_087_978_400 ||
		d.Macs != 4_503_556_000 || d.MACsRun >= d.MACsPaper || d.Encoding != "quadratic" || len(d.Layers) != 28 ||
		len(d.Heads) != 54 || d.Memory["params"] != 4*12_086_844 || d.Memory["checkpoint"] != 8*12_086_844 {
		t.Errorf("%.600s", out.String())
	}
	for _, tt := range []struct {
		row  map[string]any
		keys string
	}{
		{d.Layers[2], "path kind out_shape params macs macs_run macs_paper receptive_field"},
		{d.Heads[0], "layer head kind center alpha precision r50 r90 axes angle condition degenerate"},
	} {
		for _, key := range strings.Fields(tt.keys) {
			if _, ok := tt.row[key]; !ok {
				t.Errorf("no key %q in %v", key, tt.row)
			}
		}
	}
}

// Equal blocks share their rows, unless all is set; 0 is a dash.
func TestInspectTable(t *testing.T) {
	config, err := configs.Preset("tiny")
	if err != nil {
		t.Fatal(err)
	}
	net, err := model.New(config.Model, 0)
	if err != nil {
		t.Fatal(err)
	}
	r, err := inspect.Inspect(inspect.Subject{Name: "tiny", Config: config, Net: net, Untrained: true})
	if err != nil {
		t.Fatal(err)
	}
	if m := r.Memory; m.Train < 3*m.Params || m.Eval < m.Params || m.TrainBatch != 64 || m.EvalBatch != 100 {
		t.Errorf("memory %+v", m)
	}
	r.Memory.Train, r.Memory.Eval = 30e6, 8e6 // depend on the engine
	want := `tiny   quadratic, 32 × 32 pixels of 3 channels to 10 classes

layer  part                output  params     MAC  computed   paper   sees
       pixels to tokens    8×8×48       –       –         –       –    4×4
       linear              8×8×48  2.35 k   147 k     147 k   147 k    4×4
1–3    attention, 9 heads  8×8×48  20.8 k   3.1 M    1.77 M  1.33 M  32×32
1–3    linear, norm        8×8×48  2.45 k   147 k         –   147 k  32×32
1–3    linear, gelu        8×8×96   4.7 k   295 k     295 k   295 k  32×32
1–3    linear, norm        8×8×48  4.75 k   295 k     295 k   295 k  32×32
       mean                    48       –       –         –       –  32×32
       linear                  10     490     480       480     480  32×32
total                               101 k  11.6 M    7.23 M  6.34 M

MAC       multiply-adds of a forward pass of one image, by definition: attention weighs all pairs of tokens
computed  multiply-adds that this program executes in evaluation
paper     those of linear maps and convolutions only, as in the paper's table: 0.01 GFLOP, two per MAC
memory    403.9 kB of parameters, 1.2 MB a checkpoint; training 30.0 MB (batch 64), evaluation 8.0 MB (batch 100)
–         equal layers share their rows; the values are those of one layer
`
	if diff := cmp.Diff(want, r.LayerTable(false).Text(0)); diff != "" {
		t.Error(diff)
	}
	if all := r.LayerTable(true); len(all.Rows) != 2+3*4+2+1 {
		t.Errorf("%d rows of all layers", len(all.Rows))
	}
}

// The reach of a layer is that of its farthest head, ‖Δ‖ + r90 in pixels; degenerate heads do not count.
func TestReachOfHeads(t *testing.T) {
	head := func(row, alpha float64, blind bool) report.Head {
		precision := [2][2]float64{{2 * alpha, 0}, {0, 2 * alpha}}
		return report.Head{Center: [2]float64{row, 0}, Precision: precision, Degenerate: blind}
	}
	// r90 = √(ln 10 / α): 1.5174 tokens for α = 1.
	got := inspect.Reach([]report.Head{head(3, 1, false), head(-4, 100, false), head(0, 1e-6, true)}, 2)
	if want := 2 * (3 + 1.5174271); got == nil || *got < want-1e-6 || *got > want+1e-6 {
		t.Errorf("reach %v, want %v", got, want)
	}
	if got := inspect.Reach([]report.Head{head(0, 1e-6, true)}, 2); got != nil {
		t.Errorf("a layer of blind heads reaches %v", *got)
	}
}

// A degenerate head has a note, and small values keep their digits.
func TestHeadTable(t *testing.T) {
	r := &inspect.Inspection{Spec: model.Spec{Pool: 4}, Reach: []*float64{ptr(12.3456)}}
	for i, precision := range []float64{2, 2e-8} {
		head := viz.Head{Center: [2]float64{-1.684, 0.001234}, Precision: [2][2]float64{{precision, 0}, {0, precision}}}
		r.Heads = append(r.Heads, output.NewHeadRow(1, i+1, head, true))
	}
	want := `heads: center relative to the query, and radii that hold 50 % and 90 % of the weight, in tokens of 4 × 4 pixels

layer  head    row   column  alpha    r50    r90  note
    1     1  -1.68  0.00123   1.00  0.833   1.52
    1     2  -1.68  0.00123  1e-08   8330  15200  uniform (degenerate)

reach  distance from the query, in tokens, that holds 90 % of the weight of each head, layer by layer: 3.09
note   a uniform head gives all tokens of an image nearly the same weight
`
	if diff := cmp.Diff(want, r.HeadTable().Text(0)); diff != "" {
		t.Error(diff)
	}
}

func ptr(x float64) *float64 { return &x }
