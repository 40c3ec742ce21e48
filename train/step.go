package train

import (
	"fmt"
	"math"

	G "gorgonia.org/gorgonia"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/internal/op"
	"github.com/attnconv/attnconv/nn"
)

// A Step is one graph with loss and gradients, and the solver behind it: batch in, parameters moved.
type Step struct {
	Solver Solver
	params []*nn.Param // in the graph's order
	x      []float32
	target *op.Target
	loss   *nn.Node
	run    *nn.Func
	model  []G.ValueGrad
	grads  []*nn.Node
	clip   float64
	graph  *nn.Graph
}

// A Shape is the extent of a batch: pictures, rows, columns, channels.
type Shape [4]int

func (s Shape) size() int { return s[0] * s[1] * s[2] * s[3] }

// NewStep builds the training graph of net for batches of shape.
func NewStep(net nn.Layer, shape Shape, o Options) (*Step, error) {
	s := &Step{x: make([]float32, shape.size()), clip: o.Clip}
	s.target = &op.Target{Labels: make([]int32, shape[0]), Smoothing: float32(o.LabelSmoothing)}
	g, err := nn.Build(true, func(g *nn.Graph) {
		s.loss = op.CrossEntropy(net.Forward(g, g.Input("x", s.x, shape[:]...)), s.target)
	})
	if err != nil {
		return nil, err
	}
	if s.params, s.grads, err = nn.Gradients(g, s.loss); err != nil {
		return nil, err
	}
	for i, p := range s.params {
		s.model = append(s.model, bound{g.Use(p), s.grads[i]})
	}
	s.Solver, s.run, s.graph = NewSolver(o, s.params), nn.Compile(g), g
	return s, nil
}

// bound is a parameter with the node of its gradient.
type bound struct{ w, g *nn.Node }

func (b bound) Value() G.Value         { return b.w.Value() }
func (b bound) Grad() (G.Value, error) { return op.Result(b.g), nil }

// Diverged says that a loss or gradient was not finite; the parameters have not been moved.
type Diverged struct {
	Step  int
	Where string // the first operation whose result is not finite
}

func (d *Diverged) Error() string {
	return fmt.Sprintf("train: diverged at step %d: the first number that is not finite came out of %s", d.Step, d.Where)
}

// Train takes one step at learning rate lr and returns the mean loss over the batch and how many pictures were right.
func (s *Step) Train(b *data.Batch, step int, lr float64) (loss float64, correct int, err error) {
	if err := s.forward(b, step); err != nil {
		return 0, 0, err
	}
	loss = float64(nn.Value(s.loss)[0])
	norm := s.norm()
	if math.IsNaN(loss+norm) || math.IsInf(loss+norm, 0) {
		where, err := s.run.FirstBad(uint64(step))
		if err != nil {
			return loss, 0, err
		}
		return loss, 0, &Diverged{step + 1, where}
	}
	if s.clip > 0 && norm > s.clip {
		for _, g := range s.grads {
			kernel.Scale(float32(s.clip/norm), nn.Value(g))
		}
	}
	s.Solver.SetRate(lr)
	err = s.Solver.Step(s.model)
	s.graph.Stepped()
	return loss, s.target.Correct, err
}

// forward computes loss and gradients.
func (s *Step) forward(b *data.Batch, step int) error {
	copy(s.x, b.X)
	copy(s.target.Labels, b.Labels)
	return s.run.Run(uint64(step))
}

// norm returns the Euclidean norm of all gradients together.
func (s *Step) norm() float64 {
	var sum float64
	for _, g := range s.grads {
		sum += kernel.SumSquares(nn.Value(g))
	}
	return math.Sqrt(sum)
}

// Memory returns the bytes that training holds: the graph's results and scratch, the batch, the parameters and what the
// solver knows of each.
func (s *Step) Memory() int {
	n := s.run.Memory() + 4*len(s.x)
	for _, p := range s.params {
		n += 4 * len(p.Data)
	}
	for _, slot := range s.Solver.Slots() {
		for _, data := range slot {
			n += 4 * len(data)
		}
	}
	return n
}

// Watch is nn.Func's: hear is told of every operation of the graph that has run.
func (s *Step) Watch(hear func(op string)) { s.run.Watch(hear) }

// Close frees the graph.
func (s *Step) Close() error { return s.run.Close() }
