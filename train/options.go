package train

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/option"
)

// Options says how to train.
type Options struct {
	Epochs    int    `yaml:"epochs"`    // 0: the initial weights are evaluated and saved
	Batch     int    `yaml:"batch"`     // images a step
	Optimizer string `yaml:"optimizer"` // a name in Solvers

	LR          float64    `yaml:"lr"`           // peak learning rate, per step
	Momentum    float64    `yaml:"momentum"`     // sgd, muon
	Betas       [2]float64 `yaml:"betas,flow"`   // adamw, muon
	WeightDecay float64    `yaml:"weight_decay"` // sgd: added to the gradient; the others: decoupled
	DecayAll    bool       `yaml:"decay_all"`    // biases and norms too, as in the reference; never centers and spreads
	PositionLR  float64    `yaml:"position_lr"`  // factor on lr for centers and spreads

	Schedule   string  `yaml:"schedule"`        // a name in Schedules
	Warmup     float64 `yaml:"warmup"`          // fraction of all steps with a linearly rising rate
	PerEpoch   bool    `yaml:"per_epoch"`       // cosine: the rate changes once an epoch, as in the reference; see Rate
	Milestones []int   `yaml:"milestones,flow"` // steps: epochs after which the rate falls
	Factor     float64 `yaml:"factor"`          // steps: what the rate is divided by
	Early      bool    `yaml:"early"`           // steps: each fall one epoch early, as in the reference

	Loss           string  `yaml:"loss"`            // a name in Losses
	LabelSmoothing float64 `yaml:"label_smoothing"` // of the labels that the loss compares with
	// weight of what evaluations and checkpoints average over the steps; 0: none
	Average      float64 `yaml:"average"`
	Clip         float64 `yaml:"clip"`                // largest norm of the gradient; 0: no clipping
	EvalBatch    int     `yaml:"eval_batch"`          // images at a time in evaluation; changes no result
	EvalEvery    int     `yaml:"eval_every"`          // epochs
	OnNaN        string  `yaml:"on_nan"`              // a name in NaNActions
	Precision    string  `yaml:"precision"`           // of products: float32; on a GPU also tf32 or bfloat16
	TrainBatches int     `yaml:"limit_train_batches"` // steps an epoch at most; 0: all
	ValBatches   int     `yaml:"limit_val_batches"`   // batches of an evaluation at most; 0: all

	// Resolutions are the sides, in pixels, of the square images that are trained on, each for an equal share of the
	// epochs; the last one is that of the images. See Side. None: the images as they are.
	Resolutions []int `yaml:"resolutions,flow"`

	// Shards is how many equal parts each batch is cut into. Their losses and gradients are added up in a fixed order,
	// and batch norms measure each by itself, so that several ranks compute the same bytes as one. It is not a setting
	// of a GPU. 0: none, and as many as there are ranks where there are several.
	Shards int `yaml:"shards"`

	// OverfitBatches checks that a network can learn at all: every epoch has the same so many batches, not augmented
	// and in one order, and the evaluation is also on these. 0: no such check. The caller selects the images.
	OverfitBatches int `yaml:"overfit_batches"`

	// Freeze lists what does not learn, for heads.Freeze: heads, heads:2, heads:2.3, centers or widths in the place of
	// heads, or patterns of parameters' names.
	Freeze []string `yaml:"freeze,flow"`

	// Surgery lists what is done to heads before training, for model.Spec.ParseSurgery: prune heads:uniform.
	Surgery []string `yaml:"surgery,flow"`

	// Own holds options that registered solvers, schedules and losses bring, by key, such as lion_beta. What it does
	// not name has its default. It is replaced, never changed in place: copies of Options share it.
	Own map[string]any `yaml:"-"`

	Device Device `yaml:"-"` // where to train, nil: the CPU; no setting of the run, which may go on elsewhere
}

// Default trains as the paper does.
func Default() Options {
	return Options{
		Epochs: 300, Batch: 100, Optimizer: "sgd", LR: 0.1, Momentum: 0.9, Betas: [2]float64{0.9, 0.999},
		WeightDecay: 1e-4, DecayAll: true, PositionLR: 1, Schedule: "cosine", Warmup: 0.05, PerEpoch: true,
		Milestones: []int{80, 150, 250}, Factor: 10, Early: true, EvalBatch: 100, EvalEvery: 1, OnNaN: "stop",
		Precision: Float32, Freeze: []string{}, Surgery: []string{}, Resolutions: []int{}, Loss: Losses.Default(),
	}
}

// NaNActions lists what can be done about a step whose loss or gradient is not finite.
var NaNActions = option.List[option.Item]{
	{Name: "stop", Help: "end the run; the last good checkpoint stays"},
	{Name: "skip", Help: "leave the step out and go on"},
}

// Validate returns the first rule that o breaks, as an *option.Error.
func (o Options) Validate() error {
	for _, c := range []error{
		Solvers.Check("train.optimizer", o.Optimizer), Schedules.Check("train.schedule", o.Schedule),
		NaNActions.Check("train.on_nan", o.OnNaN), Precisions.Check("train.precision", o.Precision),
		Losses.Check("train.loss", o.Loss),
	} {
		if c != nil {
			return c
		}
	}
	for _, n := range []struct {
		key           string
		got, min, max int
	}{
		{"train.epochs", o.Epochs, 0, 1e6}, {"train.batch", o.Batch, 1, 1e5}, {"train.eval_batch", o.EvalBatch, 1, 1e5},
		{"train.eval_every", o.EvalEvery, 1, 1e6},
		{"train.limit_train_batches", o.TrainBatches, 0, math.MaxInt32},
		{"train.limit_val_batches", o.ValBatches, 0, math.MaxInt32},
		{"train.overfit_batches", o.OverfitBatches, 0, math.MaxInt32},
	} {
		if n.got < n.min && n.max == math.MaxInt32 {
			return option.Errorf(n.key, "%d: want %d or more", n.got, n.min)
		}
		if n.got < n.min || n.got > n.max {
			return option.Errorf(n.key, "%d: want %d to %d", n.got, n.min, n.max)
		}
	}
	for _, v := range []interval{
		{"train.lr", o.LR, 0, 1e6, false}, {"train.weight_decay", o.WeightDecay, 0, 1e6, false},
		{"train.position_lr", o.PositionLR, 0, 1e6, false}, {"train.warmup", o.Warmup, 0, 1, true},
		{"train.label_smoothing", o.LabelSmoothing, 0, 1, true}, {"train.clip", o.Clip, 0, 1e9, false},
		{"train.average", o.Average, 0, 1, true},
	} {
		if err := v.check(); err != nil {
			return err
		}
	}
	if err := o.checkResolutions(); err != nil {
		return err
	}
	if err := o.checkShards(); err != nil {
		return err
	}
	if err := o.checkKinds(); err != nil {
		return err
	}
	return settings.Validate(o)
}

// checkKinds asks every solver and every schedule about the options that it reads, also those that are not chosen: a
// value that could never be used is a slip of the keyboard.
func (o Options) checkKinds() error {
	for _, s := range Solvers {
		if s.Check != nil {
			if err := s.Check(o); err != nil {
				return err
			}
		}
	}
	for _, s := range Schedules {
		if s.Check != nil {
			if err := s.Check(o); err != nil {
				return err
			}
		}
	}
	for _, l := range Losses {
		if l.Check != nil {
			if err := l.Check(o); err != nil {
				return err
			}
		}
	}
	return nil
}

// An interval is what a real option may be: min to max, or to less than max.
type interval struct {
	key           string
	got, min, max float64
	open          bool // max itself is too large
}

func (v interval) check() error {
	if v.got >= v.min && (v.got < v.max || v.got == v.max && !v.open) {
		return nil
	}
	word := "to"
	if v.open {
		word = "to less than"
	}
	return option.Errorf(v.key, "%v: want %v %s %s", v.got, v.min, word, strconv.FormatFloat(v.max, 'f', -1, 64))
}

// ReadBy names the solvers, the schedules and the losses that read the option key, which others ignore: "sgd", say.
func ReadBy(key string) string {
	var names []string
	for _, s := range Solvers {
		if slices.Contains(s.Reads, key) {
			names = append(names, s.Name)
		}
	}
	for _, s := range Schedules {
		if slices.Contains(s.Reads, key) {
			names = append(names, s.Name)
		}
	}
	for _, l := range Losses {
		if slices.Contains(l.Reads, key) {
			names = append(names, l.Name)
		}
	}
	return strings.Join(names, ", ")
}
