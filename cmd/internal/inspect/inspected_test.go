package inspect

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/attnconv/attnconv/cmd/internal/listing"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/heads"
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/study"
)

// inspected inspects the untrained network of a preset.
func inspected(t *testing.T, preset string) (*study.Inspection, model.Spec) {
	t.Helper()
	config, err := configs.Preset(preset)
	if err != nil {
		t.Fatal(err)
	}
	net, err := model.New(config.Model, 0)
	if err != nil {
		t.Fatal(err)
	}
	d, err := study.Inspect(study.Subject{Name: preset, Net: net, Train: config.Train})
	if err != nil {
		t.Fatal(err)
	}
	return d, net.Spec
}

// Equal blocks share their rows, unless all is set; 0 is a dash.
func TestInspectTable(t *testing.T) {
	r, spec := inspected(t, "tiny")
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
	if diff := cmp.Diff(want, LayerTable(r, spec, false).Text(0)); diff != "" {
		t.Error(diff)
	}
	if all := LayerTable(r, spec, true); len(all.Rows) != 2+3*4+2+1 {
		t.Errorf("%d rows of all layers", len(all.Rows))
	}
}

// A degenerate head has a note, and small values keep their digits.
func TestHeadTable(t *testing.T) {
	r := &study.Inspection{Reach: []null.Float{12.3456}}
	for i, precision := range []float64{2, 2e-8} {
		head := posenc.Head{Center: [2]float64{-1.684, 0.001234},
			Precision: [2][2]float64{{precision, 0}, {0, precision}}}
		r.Heads = append(r.Heads, heads.Describe(1, i+1, head, true))
	}
	want := `heads: center relative to the query, and radii that hold 50 % and 90 % of the weight, in tokens of 4 × 4 pixels

layer  head    row   column  alpha    r50    r90  note
    1     1  -1.68  0.00123   1.00  0.833   1.52
    1     2  -1.68  0.00123  1e-08   8330  15200  uniform (degenerate)

reach  distance from the query, in tokens, that holds 90 % of the weight of each head, layer by layer: 3.09
note   a uniform head gives all tokens of an image nearly the same weight
`
	if diff := cmp.Diff(want, HeadTable(r, model.Spec{Pool: 4}, true).Text(0)); diff != "" {
		t.Error(diff)
	}
}

// Without heads or nulls a table is empty.
func TestNothingToShow(t *testing.T) {
	if text := HeadTable(&study.Inspection{}, model.Spec{}, true).Text(0) +
		listing.NullTable(nil).Text(0); strings.TrimSpace(text) != "" {
		t.Errorf("without heads: %q", text)
	}
}
