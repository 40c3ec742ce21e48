package train

import (
	"context"
	"iter"
	"math"
	"testing"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
	"github.com/attnconv/attnconv/run/event"
)

// one is a batch, again and again.
type one struct {
	b *data.Batch
	n int
}

func (o one) Batches() int  { return o.n }
func (o one) Len() int      { return 2 * o.n }
func (o one) Labels() int   { return 1 }
func (o one) Shape() [4]int { return [4]int{2, 1, 1, 3} }
func (o one) Epoch(_ context.Context, _, first int) iter.Seq[*data.Batch] {
	return func(yield func(*data.Batch) bool) {
		for range o.n - first {
			if !yield(o.b) {
				return
			}
		}
	}
}

type linear struct{ w, b *nn.Param }

func (l linear) Forward(g *nn.Graph, x *nn.Node) *nn.Node {
	return (&nn.Linear{W: l.w, B: l.b}).Forward(g, op.MeanTokens(x))
}

// The network that is saved is the average of the weights after each step, in float64 here, and training goes on from
// the weights themselves: they are those of a run without an average.
func TestAverage(t *testing.T) {
	steps := func(limit float64) (moved, saved [][]float32) {
		w := &nn.Param{Name: "model.w", Shape: []int{2, 3}, Data: []float32{1, -2, 3, 0.5, 1, -1}}
		b := &nn.Param{Name: "model.b", Shape: []int{2}, Data: []float32{0, 0.1}, Group: nn.Vector}
		batches := one{&data.Batch{X: []float32{1, 2, 3, -1, 0.5, 2}, Labels: []int32{0, 1}, N: 2}, 5}
		o := Default()
		o.Epochs, o.Batch, o.LR, o.Average = 2, 2, 0.3, limit
		tr := &Trainer{Options: o, Net: linear{w, b}, Params: []*nn.Param{w, b}, Train: batches}
		copyOf := func() []float32 { return append([]float32(nil), w.Data...) }
		tr.Observe = func(e event.Event) error {
			if _, ok := e.(event.Step); ok {
				moved = append(moved, copyOf())
			}
			return nil
		}
		tr.Save = func(bool) error { saved = append(saved, copyOf()); return nil }
		if err := tr.Prepare(); err != nil {
			t.Fatal(err)
		}
		defer tr.Close()
		if err := tr.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		return moved, append(saved, copyOf())
	}
	plain, _ := steps(0)
	moved, saved := steps(0.3)
	average := make([]float64, 6)
	for i, w := range moved {
		beta := min(0.3, float64(i)/float64(9+i))
		for j, v := range w {
			if v != plain[i][j] {
				t.Fatalf("step %d moves to %v, without an average to %v", i, w, plain[i])
			}
			average[j] = beta*average[j] + (1-beta)*float64(v)
		}
		if i != 4 && i != 9 {
			continue
		}
		for j, v := range saved[i/5] {
			if math.Abs(float64(v)-average[j]) > 1e-5 {
				t.Errorf("after step %d element %d is saved as %v, want the average %v", i, j, v, average[j])
			}
		}
	}
	for j, v := range saved[2] {
		if v != saved[1][j] {
			t.Errorf("after the run the parameters are %v, want the last average %v", saved[2], saved[1])
		}
	}
}
