package study

import (
	"testing"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/nn"
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
