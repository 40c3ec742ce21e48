package train

// Options says how to train. Rates are per step unless their comment says otherwise.
type Options struct {
	Epochs         int        `yaml:"epochs"`
	Batch          int        `yaml:"batch"`           // pictures a step
	Optimizer      string     `yaml:"optimizer"`       // sgd or adamw
	LR             float64    `yaml:"lr"`              // peak learning rate
	Momentum       float64    `yaml:"momentum"`        // sgd
	Betas          [2]float64 `yaml:"betas,flow"`      // adamw
	WeightDecay    float64    `yaml:"weight_decay"`    // sgd: added to the gradient; adamw: decoupled
	DecayAll       bool       `yaml:"decay_all"`       // decay biases and norms too, as the reference does; centers and spreads never decay
	PositionLR     float64    `yaml:"position_lr"`     // factor on lr for centers and spreads
	Schedule       string     `yaml:"schedule"`        // cosine, steps or constant
	Warmup         float64    `yaml:"warmup"`          // fraction of all steps with a linearly rising rate
	PerEpoch       bool       `yaml:"per_epoch"`       // change the rate once an epoch only, with the reference's step count (epoch 1 has rate 0)
	Milestones     []int      `yaml:"milestones,flow"` // steps: epochs after which the rate falls
	Factor         float64    `yaml:"factor"`          // steps: what the rate is divided by
	Early          bool       `yaml:"early"`           // steps: each fall one epoch early, as in the reference
	LabelSmoothing float64    `yaml:"label_smoothing"`
	Clip           float64    `yaml:"clip"`                // largest norm of the gradient; 0: no clipping
	EvalBatch      int        `yaml:"eval_batch"`          // pictures at a time in evaluation
	EvalEvery      int        `yaml:"eval_every"`          // epochs
	OnNaN          string     `yaml:"on_nan"`              // stop or skip
	TrainBatches   int        `yaml:"limit_train_batches"` // steps an epoch at most; 0: all
	ValBatches     int        `yaml:"limit_val_batches"`   // batches of an evaluation at most; 0: all
}
