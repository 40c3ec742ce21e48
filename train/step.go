package train

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	G "gorgonia.org/gorgonia"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/internal/kernel/vec"
	"github.com/attnconv/attnconv/internal/memory"
	"github.com/attnconv/attnconv/internal/op"
	"github.com/attnconv/attnconv/nn"
)

// A Stepper takes steps of training, on the CPU (a *Step) or on a device.
type Stepper interface {
	// Train takes one step at learning rate lr and returns the mean loss over the batch and how many images were
	// classified correctly. It returns *DivergenceError if the loss or a gradient is not finite.
	Train(b *data.Batch, step int, lr float64) (loss float64, correct int, err error)
	// Try computes a step and moves nothing.
	Try(b *data.Batch, step int) error
	// Sync copies parameters, running statistics and the solver's slots from where steps are taken.
	Sync() error
	// learner returns the solver, and its parameters in the order of its slots.
	learner() (Solver, []*nn.Param)
	// gradientSquares returns the sum of the squares of each parameter's gradient in the last step, in learner's order;
	// nil: not known.
	gradientSquares() []float64
	// uses returns the parameters that the network reads, and its running statistics.
	uses() []*nn.Param
	// outputs returns the number of classes.
	outputs() int
	Close() error
}

// NewStepper returns what trains net on o's device, with batches of shape.
func NewStepper(net nn.Layer, shape Shape, o Options) (Stepper, error) {
	return newStepper(net, shape, o, method{})
}

func newStepper(net nn.Layer, shape Shape, o Options, m method) (Stepper, error) {
	if o.Device != nil {
		return stepper(newDeviceStep(net, shape, o, m))
	}
	return stepper(newStep(net, shape, o, m))
}

// stepper keeps a nil pointer from becoming a Stepper that is not nil.
func stepper[S Stepper](s S, err error) (Stepper, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// A Shape is the extent of a batch: images, rows, columns, channels.
type Shape [4]int

// String returns 100 images of 32 × 32 × 3.
func (s Shape) String() string {
	return fmt.Sprintf("%d images of %d × %d × %d", s[0], s[1], s[2], s[3])
}

func (s Shape) size() int { return s[0] * s[1] * s[2] * s[3] }

// A lossGraph is the graph of training: images in, loss out.
type lossGraph struct {
	graph  *nn.Graph
	x      []float32
	target *Targets
	input  *nn.Node // x
	logits *nn.Node
	loss   *nn.Node

	shape   Shape // of x
	classes int
}

// A method is the loss and the solver that a Trainer was given in the place of those of its options. The zero value is
// none.
type method struct {
	loss   Loss
	solver func(Options, []*nn.Param) Solver
}

func (m method) lossOf(o Options) (Loss, error) {
	if m.loss != nil {
		return m.loss, nil
	}
	name := cmp.Or(o.Loss, Losses.Default())
	if err := Losses.Check("train.loss", name); err != nil {
		return nil, err
	}
	return Losses.Find(name).New(o), nil
}

func (m method) solverOf(o Options, params []*nn.Param) (Solver, error) {
	if m.solver == nil {
		return NewSolver(o, params)
	}
	s := m.solver(o, params)
	if s == nil {
		return nil, errors.New("Trainer.Solver returned nil: want a solver")
	}
	return s, nil
}

func newLossGraph(net nn.Layer, shape Shape, o Options, m method) (l lossGraph, err error) {
	if err := checkNet(net, shape); err != nil {
		return l, err
	}
	if err := Solvers.Check("train.optimizer", o.Optimizer); err != nil {
		return l, err
	}
	l.shape = shape
	if l.x, err = memory.Floats(shape.size()); err != nil {
		return l, err
	}
	loss, err := m.lossOf(o)
	if err != nil {
		return l, err
	}
	rounds, err := o.roundsFactors()
	if err != nil {
		return l, err
	}
	l.target = &Targets{labels: &op.Target{Labels: make([]int32, shape[0]), Smoothing: float32(o.LabelSmoothing)}}
	l.graph, err = nn.Build(true, func(g *nn.Graph) {
		g.BFloat16 = rounds
		l.input = g.Input("x", l.x, shape[:]...)
		l.logits = net.Forward(g, l.input)
		if s := l.logits.Shape(); len(s) == 2 {
			l.classes, l.target.classes = s[1], s[1]
		}
		l.loss = loss(g, l.logits, l.target)
	})
	if err != nil {
		return l, err
	}
	if got := l.logits.Shape(); len(got) != 2 || got[0] != shape[0] {
		return l, fmt.Errorf("the network makes %v of %v; want logits (images, classes)", got, shape)
	}
	if l.loss == nil || l.loss.Shape().TotalSize() != 1 {
		return l, errors.New("the loss is no single value: want the mean over the images of the batch")
	}
	return l, nil
}

// counted reports whether the loss counts the correct predictions itself.
func (l *lossGraph) counted() bool { return l.target.counted == l.logits }

// checkNet reports a network that is nil, and an empty shape.
func checkNet(net nn.Layer, s Shape) error {
	if net == nil {
		return errors.New("the network is nil: want one of model.New, or your own layer")
	}
	if min(s[0], s[1], s[2], s[3]) < 1 {
		return fmt.Errorf("images of shape %v: want 1 or more of each", s)
	}
	return nil
}

func (l *lossGraph) outputs() int { return l.classes }

func (l *lossGraph) uses() []*nn.Param {
	all := slices.Clone(l.graph.Used())
	for _, t := range l.graph.RunningStats() {
		all = append(all, t.Mean, t.Variance)
	}
	return all
}

// check reports a batch that does not fit the graph.
func (l *lossGraph) check(b *data.Batch) error {
	if b == nil {
		return errors.New("the batch is nil: want one of Batches.Epoch")
	}
	if len(b.X) != l.shape.size() || len(b.Labels) != l.shape[0] {
		return fmt.Errorf("a batch of %d values and %d labels; want %v, which are %d values",
			len(b.X), len(b.Labels), l.shape, l.shape.size())
	}
	if b.Others != nil && (len(b.Others) != len(b.Labels) || len(b.Shares) != len(b.Labels)) {
		return fmt.Errorf("a batch of %d labels with %d others and %d shares: want as many of each", len(b.Labels),
			len(b.Others), len(b.Shares))
	}
	for _, label := range b.Others {
		if label < 0 || int(label) >= l.classes {
			return fmt.Errorf("other label %d, where the network has %d classes: want 0 to %d", label, l.classes,
				l.classes-1)
		}
	}
	for _, label := range b.Labels {
		if label < -1 || int(label) >= l.classes {
			return fmt.Errorf("label %d, where the network has %d classes: want 0 to %d, or -1 for an image that does "+
				"not count", label, l.classes, l.classes-1)
		}
	}
	return nil
}

// A Step is one graph with loss and gradients, and the solver behind it.
type Step struct {
	lossGraph
	Solver Solver
	params []*nn.Param // in the graph's order
	moving [][][2]int  // elements of each that the solver moves
	run    *nn.Func
	model  []G.ValueGrad
	grads  []*nn.Node
	clip   float64

	squares []float64 // of the gradient of each parameter, added up, before it is clipped: of the last step
}

// NewStep builds the training graph of net for batches of shape.
func NewStep(net nn.Layer, shape Shape, o Options) (*Step, error) {
	return newStep(net, shape, o, method{})
}

func newStep(net nn.Layer, shape Shape, o Options, m method) (*Step, error) {
	l, err := newLossGraph(net, shape, o, m)
	if err != nil {
		return nil, err
	}
	s := &Step{lossGraph: l, clip: o.Clip}
	var keep []*nn.Node
	if !l.counted() {
		keep = []*nn.Node{l.logits}
	}
	if s.run, err = nn.Compile(l.graph, l.loss, keep...); err != nil {
		return nil, err
	}
	s.params, s.grads = s.run.Gradients()
	for i, p := range s.params {
		s.model = append(s.model, bound{l.graph.Use(p), s.grads[i]})
	}
	if s.Solver, err = m.solverOf(o, s.params); err != nil {
		return nil, err
	}
	s.moving, s.squares = movingOf(s.params), make([]float64, len(s.params))
	return s, nil
}

// bound is a parameter with the node of its gradient.
type bound struct{ w, g *nn.Node }

func (b bound) Value() G.Value         { return op.Result(b.w) }
func (b bound) Grad() (G.Value, error) { return op.Result(b.g), nil }

// DivergenceError says that a loss or gradient was not finite; the parameters have not been moved.
type DivergenceError struct {
	Step  int
	Where string // the first operation whose result is not finite
}

func (d *DivergenceError) Error() string {
	return fmt.Sprintf("diverged at step %d: the first value that is not finite came from %s", d.Step, d.Where)
}

func (d *DivergenceError) ExitCode() int { return fault.Diverged }

// Train implements Stepper.
func (s *Step) Train(b *data.Batch, step int, lr float64) (loss float64, correct int, err error) {
	if err := s.Try(b, step); err != nil {
		return 0, 0, err
	}
	loss = float64(nn.Value(s.loss)[0])
	norm := s.norm()
	if notFinite(loss + norm) {
		return loss, 0, s.diverged(step)
	}
	return loss, s.correct(), s.move(norm, lr)
}

func notFinite(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }

// move clips the gradients, of that norm, and has the solver and the running statistics take them in.
func (s *Step) move(norm, lr float64) error {
	if s.clip > 0 && norm > s.clip {
		for _, g := range s.grads {
			vec.Scale(float32(s.clip/norm), nn.Value(g))
		}
	}
	s.Solver.SetRate(lr)
	err := s.Solver.Step(s.model)
	s.graph.UpdateStats()
	return err
}

// Try implements Stepper: it computes loss and gradients.
func (s *Step) Try(b *data.Batch, step int) error {
	if err := s.check(b); err != nil {
		return err
	}
	s.load(b)
	return s.run.Run(uint64(step))
}

func (s *Step) load(b *data.Batch) {
	copy(s.x, b.X)
	s.target.load(b)
}

// correct is how many images of the last run were classified correctly.
func (s *Step) correct() int {
	if s.counted() {
		return s.target.labels.Correct
	}
	return s.target.correct(nn.Value(s.logits))
}

// diverged finds the first operation of the step whose result is not finite.
func (s *Step) diverged(step int) error {
	where, err := s.run.FirstBad(uint64(step))
	if err != nil {
		return err
	}
	return divergedAt(step, where)
}

// divergedAt is the error of a step; where "" is everywhere and nowhere.
func divergedAt(step int, where string) error {
	return &DivergenceError{step + 1, cmp.Or(where, "the norm of the gradients")}
}

// norm returns the Euclidean norm of all gradients together, without those of frozen elements, and sets squares.
func (s *Step) norm() float64 {
	var sum float64
	for i, g := range s.grads {
		s.squares[i] = 0
		for _, r := range s.moving[i] {
			square := vec.SumSquares(nn.Value(g)[r[0]:r[1]])
			s.squares[i] += square
			sum += square
		}
	}
	return math.Sqrt(sum)
}

// Sync implements Stepper. The CPU keeps no copy of the parameters, so there is nothing to do.
func (s *Step) Sync() error { return nil }

func (s *Step) learner() (Solver, []*nn.Param) { return s.Solver, s.params }

func (s *Step) gradientSquares() []float64 { return s.squares }

// Memory returns the bytes that training uses: the graph's results and scratch, the batch, the parameters, the solver's
// slots, and the solver's scratch if it has a Memory.
func (s *Step) Memory() int {
	n := s.run.Memory() + 4*len(s.x) + s.SlotBytes()
	if solver, ok := s.Solver.(interface{ Memory() int }); ok {
		n += solver.Memory()
	}
	for _, p := range s.params {
		n += 4 * len(p.Data)
	}
	return n
}

// SlotBytes returns the bytes of the solver's slots, which a checkpoint has in addition to the network.
func (s *Step) SlotBytes() (n int) {
	for _, slot := range s.Solver.Slots() {
		for _, data := range slot {
			n += 4 * len(data)
		}
	}
	return n
}

// Watch calls hear with the name of every operation of the graph that has run.
func (s *Step) Watch(hear func(op string)) { s.run.Watch(hear) }

// Close frees the graph.
func (s *Step) Close() error { return s.run.Close() }
