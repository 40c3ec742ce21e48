package study

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/heads"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/posenc"
)

// inspected inspects the untrained network of a preset.
func inspected(t *testing.T, preset string) (*Inspection, model.Spec) {
	t.Helper()
	config, err := configs.Preset(preset)
	if err != nil {
		t.Fatal(err)
	}
	net, err := model.New(config.Model, 0)
	if err != nil {
		t.Fatal(err)
	}
	d, err := Inspect(Subject{Name: preset, Net: net, Train: config.Train})
	if err != nil {
		t.Fatal(err)
	}
	return d, net.Spec
}

// The network of the paper has the paper's counts; a checkpoint of it has one more value for each of its parameters.
func TestInspectCountsAsThePaperDoes(t *testing.T) {
	d, _ := inspected(t, "paper/quadratic")
	if d.V != 1 || d.Params != 12_086_844 || d.Trainable != 12_086_844 || d.MACsPaper != 3_087_978_400 ||
		d.MACs != 4_503_556_000 || d.MACsRun >= d.MACsPaper || d.Encoding != "quadratic" || len(d.Layers) != 28 ||
		len(d.Heads) != 54 || d.Memory.Params != 4*12_086_844 || d.Memory.Checkpoint != 8*12_086_844 {
		t.Errorf("%+v", d)
	}
}

// A checkpoint has the state of the solver as it is, one slot for a matrix that Muon moves and two for what AdamW
// moves, and next to an average the weights themselves.
func TestInspectCountsTheCheckpoint(t *testing.T) {
	for _, preset := range []string{"smoke", "fast/resnet18"} {
		config, err := configs.Preset(preset)
		if err != nil {
			t.Fatal(err)
		}
		config.Train.Optimizer, config.Train.Average = "muon", 0.9
		net, err := model.New(config.Model, 0)
		if err != nil {
			t.Fatal(err)
		}
		want := 0
		for _, p := range net.Params {
			copies := 2 + 2
			switch {
			case p.Group == nn.Statistic:
				copies = 2
			case p.Group == nn.Weight && len(p.Shape) > 1:
				copies = 2 + 1
			}
			want += 4 * copies * len(p.Data)
		}
		d, err := Inspect(Subject{Net: net, Train: config.Train})
		if err != nil || d.Memory.Checkpoint != want {
			t.Errorf("%s: %v, %d bytes a checkpoint, want %d", preset, err, d.Memory.Checkpoint, want)
		}
	}
}

// A trained network has its heads before training next to each, and the null distribution.
func TestInspectTrainedHeads(t *testing.T) {
	config, err := configs.Preset("smoke")
	if err != nil {
		t.Fatal(err)
	}
	net, err := model.New(config.Model, 1)
	if err != nil {
		t.Fatal(err)
	}
	before, err := model.InitialHeads(config.Model, 2)
	if err != nil {
		t.Fatal(err)
	}
	now, _ := net.Heads()
	d, err := Inspect(Subject{Net: net, Train: config.Train, Trained: true, Start: before})
	if err != nil || len(d.Nulls) == 0 || len(d.Heads) == 0 || len(d.Reach) != len(before) {
		t.Fatalf("%v: %+v", err, d)
	}
	for _, h := range d.Heads {
		if h.Center != now[h.Layer-1][h.Head-1].Center || h.Start.Center != before[h.Layer-1][h.Head-1].Center ||
			h.Start.Alpha == nil {
			t.Errorf("%+v began as %+v", h, h.Start)
		}
	}
	if d, err = Inspect(Subject{Net: net, Train: config.Train, Trained: true}); err != nil || d.Heads[0].Start != nil ||
		d.Nulls[0].Start.Known() {
		t.Errorf("an unknown start is shown: %+v, %v", d, err)
	}
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
	r := &Inspection{Reach: []null.Float{12.3456}}
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
