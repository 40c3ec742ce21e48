package train

import (
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/option"
)

// A Device trains and evaluates networks without this program's kernels; the module gpu implements it. A nil Device is
// the CPU.
type Device interface {
	// Name returns the name of the backend, as kernel.Name does for the CPU.
	Name() string
	// Training compiles a step of training.
	Training(Training) (TrainingProgram, error)
	// Evaluation compiles a forward pass.
	Evaluation(Evaluation) (EvaluationProgram, error)
}

// KernelsOf returns the name of d, or the kernel set of the CPU.
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
	// Run takes a step at the solver's rate. Nothing moves if move is false, or if loss or norm is not finite.
	Run(b *data.Batch, step int, move bool) (Report, error)
	// Average moves averages, a ← beta·a + (1-beta)·w. All calls have the same slices, which say where they begin.
	Average(of []*nn.Param, averages [][]float32, beta float32) error
	// Sync copies parameters, slots, statistics and averages back to host memory.
	Sync() error
	Close() error
}

// A Report is the result of a step.
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
// float32 and bfloat16, in which 3 × 3 convolutions of stride 1 stay float32: Winograd's algorithm does a quarter of
// the work, and would lose too much.
var Precisions = option.List[option.Item]{
	{Name: Float32, Help: "every device has it"},
	{Name: "tf32", Help: "factors have 10 bits of mantissa; on a GPU"},
	{Name: BFloat16, Help: "factors have 7 bits of mantissa, as AVX512_BF16 has them"},
}

// OnCPU returns nil for the precisions that the CPU has, and an error that names them for others.
func OnCPU(precision string) error {
	if precision == Float32 || precision == BFloat16 {
		return nil
	}
	return option.Errorf("train.precision", "%s: the CPU has %s and %s", precision, Float32, BFloat16)
}

// roundsFactors reports whether the kernels of the CPU are to round factors to bfloat16. A device has its precision
// from the start.
func (o Options) roundsFactors() (bool, error) {
	if o.Device != nil || o.Precision == "" {
		return false, nil
	}
	return o.Precision == BFloat16, OnCPU(o.Precision)
}

// Names in Precisions.
const (
	Float32  = "float32" // every device has it
	BFloat16 = "bfloat16"
)
