package op

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// A Target holds what a batch should be classified as, and after a run how it went. Labels are not a node: nobody
// differentiates them.
type Target struct {
	Labels    []int32   // one per row of the logits; -1: the row is padding and does not count
	Others    []int32   // a second class per row; nil: none
	Shares    []float32 // of Others: what they take of the label
	Smoothing float32   // share of the wanted probability that is spread over all classes
	Correct   int       // rows whose largest logit is at their label
}

// CrossEntropyOp is the mean of -Σ_c q[c]·log softmax(logits)[c] over the rows that count, with q the smoothed label,
// shared with Others; backward, dlogits = (p - q)/n.
type CrossEntropyOp struct{ Target *Target }

func (CrossEntropyOp) String() string { return "cross-entropy" }

func (o CrossEntropyOp) Shape(in []Shape) (Shape, error) {
	return fits(o, in, in[0].Dims() == 2, Shape{}, "logits (batch, classes)")
}

func (CrossEntropyOp) Cost(*Node) Cost { return Cost{} }

func (o CrossEntropyOp) Kernel(in []Shape) Kernel {
	t, batch, classes := o.Target, in[0][0], in[0][1]
	var grad []float32
	return Kernel{
		NotSaved: []int{0, Output},
		Forward: func(y []float32, in [][]float32) {
			if grad == nil {
				grad = make([]float32, len(in[0]))
			}
			if len(t.Labels) != batch {
				panic(fmt.Sprintf("%d labels for %d rows of logits", len(t.Labels), batch))
			}
			loss, correct := vec.CrossEntropyMixed(grad, in[0], t.Labels, t.Others, t.Shares, classes, t.Smoothing, 1)
			y[0], t.Correct = float32(loss), correct
		},
		Backward: func(d [][]float32, dy, _ []float32, _ [][]float32) {
			copy(d[0], grad)
			if dy[0] != 1 {
				vec.Scale(dy[0], d[0])
			}
		},
	}
}
