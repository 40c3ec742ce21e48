package trained

import (
	"context"
	"fmt"
	"iter"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/train"
)

// EvaluateOptions says how Evaluate reads images. The outputs do not depend on Batch.
type EvaluateOptions struct {
	Batch  int          // images at a time; 0: that of the settings
	Shift  [2]int       // of the images, in pixels: down, right
	Views  string       // whose logits are averaged: a name in Views; "": one
	Device train.Device // nil: the CPU
	// Precision is that of products on the CPU; "": that of the settings, if the CPU has it, or else float32.
	Precision string
}

// precision returns that of products on the CPU.
func (m *Model) precision(o EvaluateOptions) string {
	switch {
	case o.Precision != "":
		return o.Precision
	case train.OnCPU(m.Config.Train.Precision) == nil:
		return m.Config.Train.Precision
	}
	return train.Float32
}

// Evaluate runs the network on all images of a split, in their order: train.Outputs has their score, confusion and
// calibration. The error is an *option.Error, for "views", if o names none.
func (m *Model) Evaluate(ctx context.Context, split data.Split, o EvaluateOptions) (train.Outputs, error) {
	if o.Batch == 0 {
		o.Batch = m.Config.Train.EvalBatch
	}
	o.Batch = min(o.Batch, max(1, split.Len()))
	views, err := o.viewSet()
	if err != nil {
		return train.Outputs{}, err
	}
	e, err := train.NewEvaluator(m.Net, train.Shape{o.Batch, split.Rows, split.Cols, split.Channels},
		train.Options{Device: o.Device, Precision: m.precision(o)})
	if err != nil {
		return train.Outputs{}, err
	}
	defer e.Close()
	return views.outputs(ctx, e, split, o)
}

// NotFiniteError is the error if the outputs of a network for an image are not finite.
type NotFiniteError struct {
	Path  string // of the checkpoint
	Image int    // from 0
}

func (e *NotFiniteError) Error() string {
	return fmt.Sprintf("the outputs of %s for image %d are not finite", e.Path, e.Image)
}

// classifyBatch is the number of images that Classify and ClassifyValues compute at a time.
const classifyBatch = 100

// Classify returns the outputs for images, whose labels do not matter. The error may be a *NotFiniteError.
func (m *Model) Classify(ctx context.Context, images data.Split) (train.Outputs, error) {
	out, err := m.Evaluate(ctx, images, EvaluateOptions{Batch: classifyBatch})
	if err != nil {
		return out, err
	}
	return out, m.finite(out)
}

// ClassifyValues is Classify for normalized values.  x (n, channels, rows, columns)
func (m *Model) ClassifyValues(ctx context.Context, x []float32) (out train.Outputs, err error) {
	image := m.Net.Spec.Image
	n := len(x) / (image[0] * image[1] * image[2])
	if n == 0 || len(x)%n != 0 {
		return out, fmt.Errorf("%d values are no images of %d × %d × %d", len(x), image[0], image[1], image[2])
	}
	size := min(classifyBatch, n)
	e, err := train.NewEvaluator(m.Net, train.Shape{size, image[0], image[1], image[2]},
		train.Options{Precision: m.precision(EvaluateOptions{})})
	if err != nil {
		return out, err
	}
	defer e.Close()
	out.Classes = m.Net.Spec.Classes
	for b := range batchesOf(x, n, size, image[2], image[0]*image[1]) {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		logits, err := e.Logits(b)
		if err != nil {
			return out, err
		}
		out.Logits = append(out.Logits, logits[:b.N*out.Classes]...)
		out.Labels = append(out.Labels, b.Labels[:b.N]...)
	}
	return out, m.finite(out)
}

func (m *Model) finite(out train.Outputs) error {
	for i := range out.Len() {
		if !out.Finite(i) {
			return &NotFiniteError{m.Path, i}
		}
	}
	return nil
}

// batchesOf cuts n images, channels first, into batches of size images, channels last. The last batch is padded with
// zeros.
func batchesOf(x []float32, n, size, channels, pixels int) iter.Seq[*data.Batch] {
	return func(yield func(*data.Batch) bool) {
		for from := 0; from < n; from += size {
			b := &data.Batch{X: make([]float32, size*pixels*channels), Labels: make([]int32, size),
				N: min(size, n-from)}
			for i := range b.N {
				for ch := range channels {
					for p := range pixels {
						b.X[(i*pixels+p)*channels+ch] = x[((from+i)*channels+ch)*pixels+p]
					}
				}
			}
			if !yield(b) {
				return
			}
		}
	}
}

// Classes returns the names of the network's classes, which an older run takes from the data folder dir, or "class 1"
// and so on; known reports whether they are names.
func (m *Model) Classes(dir string) (names []string, known bool) {
	return m.Origin().ClassNames(dir)
}
