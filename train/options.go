package train

import (
	"math"
	"slices"

	"github.com/attnconv/attnconv/internal/invalid"
	"github.com/attnconv/attnconv/internal/pjrt"
)

// Options says how to train.
type Options struct {
	Epochs    int    `yaml:"epochs"`
	Batch     int    `yaml:"batch"`     // images a step
	Optimizer string `yaml:"optimizer"` // sgd or adamw

	LR          float64    `yaml:"lr"`           // peak learning rate, per step
	Momentum    float64    `yaml:"momentum"`     // sgd
	Betas       [2]float64 `yaml:"betas,flow"`   // adamw
	WeightDecay float64    `yaml:"weight_decay"` // sgd: added to the gradient; adamw: decoupled
	DecayAll    bool       `yaml:"decay_all"`    // biases and norms too, as in the reference; never centers and spreads
	PositionLR  float64    `yaml:"position_lr"`  // factor on lr for centers and spreads

	Schedule   string  `yaml:"schedule"`        // cosine, steps or constant
	Warmup     float64 `yaml:"warmup"`          // fraction of all steps with a linearly rising rate
	PerEpoch   bool    `yaml:"per_epoch"`       // cosine: the rate changes once an epoch, as in the reference; see Rate
	Milestones []int   `yaml:"milestones,flow"` // steps: epochs after which the rate falls
	Factor     float64 `yaml:"factor"`          // steps: what the rate is divided by
	Early      bool    `yaml:"early"`           // steps: each fall one epoch early, as in the reference

	LabelSmoothing float64 `yaml:"label_smoothing"`
	Clip           float64 `yaml:"clip"`                // largest norm of the gradient; 0: no clipping
	EvalBatch      int     `yaml:"eval_batch"`          // images at a time in evaluation; changes no result
	EvalEvery      int     `yaml:"eval_every"`          // epochs
	OnNaN          string  `yaml:"on_nan"`              // stop, or skip the step
	Precision      string  `yaml:"precision"`           // of products: float32; on a GPU also tf32 or bfloat16
	TrainBatches   int     `yaml:"limit_train_batches"` // steps an epoch at most; 0: all
	ValBatches     int     `yaml:"limit_val_batches"`   // batches of an evaluation at most; 0: all

	// OverfitBatches checks that a network can learn at all: every epoch has the same so many batches, as they are and
	// in one order, and the evaluation is on these, too. 0: no such check. It is for the caller to cut the data so.
	OverfitBatches int `yaml:"overfit_batches"`

	// Freeze lists what stays as it is from the first step on, for model.Network.Freeze: heads, heads:2, heads:2.3, or
	// patterns of parameters' names.
	Freeze []string `yaml:"freeze,flow"`

	Device Device `yaml:"-"` // where to train; no setting of the run, which may go on elsewhere
}

// Default trains as the paper does.
func Default() Options {
	return Options{
		Epochs: 300, Batch: 100, Optimizer: "sgd", LR: 0.1, Momentum: 0.9, Betas: [2]float64{0.9, 0.999},
		WeightDecay: 1e-4, DecayAll: true, PositionLR: 1, Schedule: "cosine", Warmup: 0.05, PerEpoch: true,
		Milestones: []int{80, 150, 250}, Factor: 10, Early: true, EvalBatch: 100, EvalEvery: 1, OnNaN: "stop",
		Precision: pjrt.Float32, Freeze: []string{},
	}
}

// optimizers and schedules list what Optimizer and Schedule may be.
var (
	optimizers = []string{"sgd", "adamw"}
	schedules  = []string{"cosine", "steps", "constant"}
)

// Validate returns the first rule that o breaks, as an *invalid.Error.
func (o Options) Validate() error {
	for _, c := range []struct {
		key, got string
		known    []string
	}{
		{"train.optimizer", o.Optimizer, optimizers},
		{"train.schedule", o.Schedule, schedules},
		{"train.on_nan", o.OnNaN, []string{"stop", "skip"}},
		{"train.precision", o.Precision, pjrt.Precisions},
	} {
		if !slices.Contains(c.known, c.got) {
			return invalid.Choice(c.key, c.got, c.known)
		}
	}
	for _, n := range []struct {
		key           string
		got, min, max int
	}{
		{"train.epochs", o.Epochs, 1, 1e6}, {"train.batch", o.Batch, 1, 1e5}, {"train.eval_batch", o.EvalBatch, 1, 1e5},
		{"train.eval_every", o.EvalEvery, 1, 1e6},
		{"train.limit_train_batches", o.TrainBatches, 0, math.MaxInt32},
		{"train.limit_val_batches", o.ValBatches, 0, math.MaxInt32},
		{"train.overfit_batches", o.OverfitBatches, 0, math.MaxInt32},
	} {
		if n.got < n.min && n.max == math.MaxInt32 {
			return invalid.Errorf(n.key, "%d: want %d or more", n.got, n.min)
		}
		if n.got < n.min || n.got > n.max {
			return invalid.Errorf(n.key, "%d: want %d to %d", n.got, n.min, n.max)
		}
	}
	for _, r := range []struct {
		key           string
		got, min, max float64
		open          bool // max itself is too large
	}{
		{"train.lr", o.LR, 0, 1e6, false}, {"train.momentum", o.Momentum, 0, 1, true},
		{"train.betas", o.Betas[0], 0, 1, true}, {"train.betas", o.Betas[1], 0, 1, true},
		{"train.weight_decay", o.WeightDecay, 0, 1e6, false}, {"train.position_lr", o.PositionLR, 0, 1e6, false},
		{"train.warmup", o.Warmup, 0, 1, true}, {"train.factor", o.Factor, 1, 1e6, false},
		{"train.label_smoothing", o.LabelSmoothing, 0, 1, true}, {"train.clip", o.Clip, 0, 1e9, false},
	} {
		if !(r.got >= r.min && (r.got < r.max || r.got == r.max && !r.open)) {
			word := "to"
			if r.open {
				word = "to less than"
			}
			return invalid.Errorf(r.key, "%v: want %v %s %v", r.got, r.min, word, r.max)
		}
	}
	for i, m := range o.Milestones {
		if m < 1 || i > 0 && m <= o.Milestones[i-1] {
			return invalid.Errorf("train.milestones", "%v: want epochs that rise", o.Milestones)
		}
	}
	return nil
}
