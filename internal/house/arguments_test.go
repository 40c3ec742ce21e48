package house

import (
	"context"
	"testing"
	"time"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/internal/sweep"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/model/convert"
	"github.com/attnconv/attnconv/model/heads"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/session"
	"github.com/attnconv/attnconv/session/trained"
	"github.com/attnconv/attnconv/study"
	"github.com/attnconv/attnconv/study/stats"
	"github.com/attnconv/attnconv/theorem"
	"github.com/attnconv/attnconv/train"
	"github.com/attnconv/attnconv/viz"
)

// second returns the error of a function with two results.
func second[T any](_ T, err error) error { return err }

// third returns the error of a function with three results.
func third[T, U any](_ T, _ U, err error) error { return err }

// Public functions that return an error return one for arguments that are nil or empty: they do not panic.
func TestArguments(t *testing.T) {
	ctx := context.Background()
	for name, call := range map[string]func() error{
		"ckpt.Write": func() error { return ckpt.Write(t.TempDir()+"/nil.ckpt", nil) },
		"configs.Of": func() error { return second(configs.Of(nil)) },
		"sets.Import": func() error {
			return second(sets.Import(nil, sets.Source{}, "", t.TempDir(), "",
				false))
		},
		"heads.Freeze":             func() error { return heads.Freeze(nil, nil) },
		"heads.NewReader":          func() error { return second(heads.NewReader(&model.Network{})) },
		"heads.Prune":              func() error { return second(heads.Prune(nil, nil)) },
		"model.Load":               func() error { return second(model.Load(nil)) },
		"model.Network.SetWeights": func() error { return new(model.Network).SetWeights(&ckpt.File{}) },
		"model.Network.Whiten":     func() error { return new(model.Network).Whiten(nil) },
		"model.Network.WhitenAs":   func() error { return new(model.Network).WhitenAs(nil) },
		"model.Spec.FoundIn":       func() error { return model.Spec{}.FoundIn(nil) },
		"nn.Build":                 func() error { return second(nn.Build(false, nil)) },
		"nn.CheckGradients":        func() error { return nn.CheckGradients(false, nil) },
		"nn.Compile":               func() error { return second(nn.Compile(nil, nil)) },
		"event.Line":               func() error { return second(event.Line(time.Time{}, "step", nil)) },
		"session.Fit":              func() error { return second(session.Fit(nil, nil)) },
		"trained.Model.Save":       func() error { return new(trained.Model).Save(t.TempDir() + "/empty.ckpt") },
		"stats.Compare":            func() error { return second(stats.Compare(stats.Accuracies{}, stats.Accuracies{}, true)) },
		"study.Inspect":            func() error { return second(study.Inspect(study.Subject{})) },
		"study.Comparison.Encode": func() error {
			return second(new(study.Comparison).Encode("table.md", study.Output{}))
		},
		"sweep.Collect":         func() error { return second(sweep.Collect(nil)) },
		"sweep.Processes.Train": func() error { return new(sweep.Processes).Train(ctx, 0, false, 0) },
		"sweep.Plan.SetAside":   func() error { return second(new(sweep.Plan).SetAside(0)) },
		"sweep.Worker.Run":      func() error { return second((&sweep.Worker{Plan: &sweep.Plan{}}).Run(ctx)) },
		"theorem.FromConv": func() error {
			return second(theorem.FromConv[float64](nil,
				theorem.FromOptions{}))
		},
		"theorem.FromConvRank": func() error { return third(theorem.FromConvRank[float64](nil)) },
		"convert.Trainable":    func() error { return second(convert.Trainable(nn.NewScope(0), nil, 2, 2)) },
		"train.NewEvaluator": func() error {
			return second(train.NewEvaluator(nil, train.Shape{1, 2, 2, 1},
				train.Options{}))
		},
		"viz.Heads": func() error { return second(viz.Heads(viz.Layers(nil), viz.HeadsOptions{})) },
	} {
		t.Run(name, func(t *testing.T) {
			if err := call(); err == nil {
				t.Error("want an error")
			}
		})
	}
}
