package figures

import (
	"strings"
	"testing"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
)

// The name of a curve is the shortest that distinguishes it.
func TestCurveNames(t *testing.T) {
	group := func(change func(*configs.Run)) Curve {
		c := configs.Default()
		c.Preset = "small/quadratic"
		change(&c)
		return Curve{Runs: []CurveRun{{Config: c, Status: run.Status{Model: c.Model.Kind, Encoding: c.Model.Encoding}}}}
	}
	plain := func(*configs.Run) {}
	general := func(c *configs.Run) { c.Model.Encoding = "quadratic-general" }
	seed := func(c *configs.Run) { c.Seed = 3 }
	faster := func(c *configs.Run) { c.Train.LR = 0.5 }
	paper := func(c *configs.Run) { c.Preset = "paper/quadratic" }
	for _, tt := range []struct {
		name    string
		changes []func(*configs.Run)
		want    string
	}{
		{"one", []func(*configs.Run){plain}, "quadratic"},
		{"two encodings", []func(*configs.Run){plain, general}, "quadratic | quadratic-general"},
		{"two seeds and an encoding", []func(*configs.Run){plain, seed, general},
			"quadratic, seed 0 | quadratic, seed 3 | quadratic-general"},
		{"two presets", []func(*configs.Run){plain, paper}, "quadratic, small/quadratic | quadratic, paper/quadratic"},
		{"two rates", []func(*configs.Run){plain, faster}, "quadratic, lr 0.1 | quadratic, lr 0.5"},
	} {
		var groups []Curve
		for _, change := range tt.changes {
			groups = append(groups, group(change))
		}
		name(groups)
		var names []string
		for _, g := range groups {
			names = append(names, g.Name)
		}
		if got := strings.Join(names, " | "); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	warm := []Curve{group(plain), group(plain)}
	warm[1].Runs[0].Status.From = "k3f9"
	if name(warm); warm[0].Name != "quadratic" || warm[1].Name != "quadratic, from k3f9" {
		t.Errorf("a run and one that began with its weights: %s | %s", warm[0].Name, warm[1].Name)
	}
	alike := func(a, b CurveRun) bool {
		a.Epochs, b.Epochs = make([]event.Epoch, 1), make([]event.Epoch, 1)
		curves, _ := Together(a, b)
		return len(curves) == 1
	}
	a, b := group(plain).Runs[0], group(seed).Runs[0]
	if !alike(a, b) {
		t.Error("runs with two seeds are not alike")
	}
	if c := group(faster).Runs[0]; alike(a, c) {
		t.Error("runs with two learning rates are alike")
	}
	if alike(a, warm[1].Runs[0]) {
		t.Error("a run and one that began with its weights are alike")
	}
}

func TestTimeUnit(t *testing.T) {
	for _, tt := range []struct {
		seconds float64
		unit    string
		each    float64
	}{{30, "seconds of training", 1}, {600, "minutes of training", 60}, {30000, "hours of training", 3600}} {
		groups := []Curve{{Runs: []CurveRun{{Epochs: []event.Epoch{{WallS: tt.seconds / 2}, {WallS: tt.seconds / 2}}}}}}
		if unit, each := timeUnit(groups); unit != tt.unit || each != tt.each {
			t.Errorf("%v s: %s, %v", tt.seconds, unit, each)
		}
	}
}

// A training loss of smoothed labels does not compare with the validation loss, so it is never drawn in its panel.
func TestSmoothedLossHasItsOwnPanel(t *testing.T) {
	plain, smoothed := configs.Default(), configs.Default()
	plain.Train.LabelSmoothing, smoothed.Train.LabelSmoothing = 0, 0.1
	loss := Quantity{Title: "loss", Of: func(e event.Epoch) float64 { return e.ValLoss },
		Train: func(e event.Epoch) float64 { return e.TrainLoss }}
	of := func(c configs.Run) Curve {
		return Curve{Runs: []CurveRun{{Config: c, Epochs: []event.Epoch{{Epoch: 1, TrainLoss: 2, ValLoss: 1}}}}}
	}
	for _, tt := range []struct {
		name   string
		curves []Curve
		panels int
	}{
		{"plain labels", []Curve{of(plain)}, 1},
		{"smoothed labels", []Curve{of(smoothed)}, 2},
		{"one of two smooths", []Curve{of(plain), of(smoothed)}, 2},
	} {
		panels := loss.panels(tt.curves, 0)
		if len(panels) != tt.panels {
			t.Errorf("%s: %d panels, want %d", tt.name, len(panels), tt.panels)
			continue
		}
		for i, p := range panels {
			for _, c := range p.Curves {
				if y := c.Runs[0][0].Y; y != float64(1+i) {
					t.Errorf("%s: panel %d shows %v, want %d", tt.name, i+1, y, 1+i)
				}
				if dotted := len(c.Dotted) > 0; dotted != (tt.panels == 1) {
					t.Errorf("%s: panel %d has a dotted training loss: %v", tt.name, i+1, dotted)
				}
			}
		}
	}
}
