package train

import (
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/choice"
	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/nn"
)

// A Device computes networks with something else than this program's kernels: internal/xla has the one that there is.
// Where a Device is asked for, nil is the CPU.
type Device interface {
	// Name names what computes there, as kernel.Name does for the CPU.
	Name() string
	// Training compiles a step of training.
	Training(Training) (TrainingProgram, error)
	// Evaluation compiles a forward pass.
	Evaluation(Evaluation) (EvaluationProgram, error)
}

// KernelsOf names what computes on d: the kernel set of the CPU, or the device.
func KernelsOf(d Device) string {
	if d != nil {
		return d.Name()
	}
	return kernel.Name()
}

// A Training is a step of training, to be compiled: gradients of the loss, clipping, the solver and running statistics.
type Training struct {
	Graph        *nn.Graph
	Images, Loss *nn.Node
	Params       []*nn.Param // what Loss depends on
	Solver       Solver      // of Params
	Options      Options
}

// A TrainingProgram is a step of training on a device, where parameters, slots and running statistics stay.
type TrainingProgram interface {
	// Run takes a step, at the rate of the solver. Nothing moves where move is false, or loss or norm are not finite.
	Run(b *data.Batch, step int, move bool) (Report, error)
	// Sync copies what has moved back to this program's memory.
	Sync() error
	Close() error
}

// A Report is what a step found.
type Report struct {
	Loss    float64 // mean over the batch
	Correct int     // images whose largest logit is at their label
	Norm    float64 // of the gradient, before it is clipped
}

// An Evaluation is a forward pass, to be compiled.
type Evaluation struct {
	Graph          *nn.Graph
	Images, Logits *nn.Node
}

// An EvaluationProgram is a forward pass on a device, which keeps a copy of the weights.
type EvaluationProgram interface {
	// Load copies the weights to the device. It comes before the first Run.
	Load() error
	// Run sets logits to those of images x.
	Run(logits, x []float32) error
	Close() error
}

// Precisions are those of matrix products and convolutions. Sums and all other operations are in float32. The CPU has
// float32 only.
var Precisions = choice.List[choice.Option]{
	{Name: Float32, Help: "every device has it"},
	{Name: "tf32", Help: "factors have 10 bits of mantissa; on a GPU"},
	{Name: BFloat16, Help: "factors have 7 bits of mantissa; on a GPU"},
}

// Names in Precisions.
const (
	Float32  = "float32" // every device has it
	BFloat16 = "bfloat16"
)
