package train

import (
	"maps"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/op"
	"github.com/attnconv/attnconv/nn"
)

// A DeviceStep is Step as one program of a device: loss, gradients, clipping, the solver, running statistics and
// dropout. Parameters, slots and statistics stay there from the first step on; Sync brings them back.
type DeviceStep struct {
	net     nn.Layer
	loss    lossGraph
	o       Options
	params  []*nn.Param
	Solver  Solver // with the slots of the last Sync
	program *nn.Program
	state   []resident // parameters, then slot by slot those of each parameter, then running statistics
	batch   [2]shapes.Shape
}

// A resident is a tensor that lives on the device, and its place here.
type resident struct {
	here   []float32
	shape  shapes.Shape
	buffer compute.Buffer // nil: the numbers here are the valid ones
}

// NewDeviceStep builds and compiles the program of training net with batches of shape, on o's device.
func NewDeviceStep(net nn.Layer, shape Shape, o Options) (*DeviceStep, error) {
	l, err := newLossGraph(net, shape, o)
	if err != nil {
		return nil, err
	}
	s := &DeviceStep{net: net, loss: l, o: o, params: l.graph.Used()}
	if s.Solver, err = NewSolver(o, s.params); err != nil {
		return nil, err
	}
	s.batch = [2]shapes.Shape{shapes.Make(dtypes.Float32, shape[:]...), shapes.Make(dtypes.Int32, shape[0])}
	s.settle(l.graph.Tracked())
	var in []shapes.Shape
	for _, r := range s.state {
		in = append(in, r.shape)
	}
	in = append(in, s.batch[0], s.batch[1], stepShape, s.coefficientsShape())
	s.program, err = nn.NewProgram(o.Device.Backend, "training", in, func(in []*graph.Node) []*graph.Node {
		return s.build(l, in)
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// settle lists the state.
func (s *DeviceStep) settle(tracked []*nn.Param) {
	add := func(p *nn.Param, here []float32) {
		s.state = append(s.state, resident{here: here, shape: shapes.Make(dtypes.Float32, p.Shape...)})
	}
	for _, p := range s.params {
		add(p, p.Data)
	}
	slots := s.Solver.Slots()
	for _, slot := range slices.Sorted(maps.Keys(slots)) {
		for i, p := range s.params {
			add(p, slots[slot][i])
		}
	}
	for _, p := range tracked {
		add(p, p.Data)
	}
}

// A step's number comes in two halves, the low one first.
var stepShape = shapes.Make(dtypes.Uint32, 2)

// coefficients are the solver's, of each group that learns, (groups, coefficients).
func (s *DeviceStep) coefficients() (all []float32) {
	for _, g := range []nn.Group{nn.Weight, nn.Vector, nn.Position} {
		all = append(all, s.Solver.Coefficients(g)...)
	}
	return all
}

func (s *DeviceStep) coefficientsShape() shapes.Shape {
	n := len(s.Solver.Coefficients(nn.Weight))
	return shapes.Make(dtypes.Float32, len(s.coefficients())/n, n)
}

// build returns what becomes of the state, and a report: loss, images that were right, norm of the gradient. in are
// the state, images, labels, the step's number, and the solver's coefficients. Where loss or norm are not finite nothing moves.
func (s *DeviceStep) build(t lossGraph, in []*graph.Node) []*graph.Node {
	state, feed := in[:len(s.state)], in[len(s.state):]
	l := op.NewLowering(in[0].Graph())
	l.Labels, l.Step, l.Half = feed[1], feed[2], s.o.Device.Half
	l.Place(t.input, feed[0])
	n := len(s.params)
	loss := t.graph.Lower(l, t.loss, state[:n])
	grads := graph.Gradient(loss, state[:n]...)
	masks := make([]*graph.Node, n)
	for i, p := range s.params {
		if masks[i] = moves(p, loss.Graph()); masks[i] != nil {
			grads[i] = graph.Where(masks[i], grads[i], graph.ZerosLike(grads[i]))
		}
	}
	norm := clip(grads, s.o.Clip)
	moved := make([]*graph.Node, 0, len(state))
	var kept [][]*graph.Node
	slots := len(s.Solver.Slots())
	for i, p := range s.params {
		var own []*graph.Node
		for k := range slots {
			own = append(own, state[(1+k)*n+i])
		}
		w, after := s.Solver.Lower(state[i], grads[i], own, scalars(feed[3], min(int(p.Group), int(nn.Position))))
		if masks[i] != nil {
			w = graph.Where(masks[i], w, state[i])
			for k := range after {
				after[k] = graph.Where(masks[i], after[k], own[k])
			}
		}
		moved, kept = append(moved, w), append(kept, after)
	}
	for k := range slots {
		for i := range n {
			moved = append(moved, kept[i][k])
		}
	}
	moved = append(moved, t.graph.LowerStepped(l, state[(1+slots)*n:])...)
	finite := graph.IsFinite(graph.Add(loss, norm))
	for i, was := range state {
		moved[i] = graph.Where(graph.BroadcastToDims(finite, was.Shape().Dimensions...), moved[i], was)
	}
	return append(moved, graph.Stack([]*graph.Node{loss, l.Correct, norm}, 0))
}

// moves returns which elements of p move, or nil where all do.
func moves(p *nn.Param, g *graph.Graph) *graph.Node {
	ranges := p.Moving()
	if len(ranges) == 1 && ranges[0] == [2]int{0, len(p.Data)} {
		return nil
	}
	mask := make([]bool, len(p.Data))
	for _, r := range ranges {
		for i := r[0]; i < r[1]; i++ {
			mask[i] = true
		}
	}
	return graph.Reshape(graph.Const(g, mask), p.Shape...)
}

// clip scales the gradients where their norm is above most, unless that is 0, and returns the norm that they had.
func clip(grads []*graph.Node, most float64) (norm *graph.Node) {
	var sum *graph.Node
	for _, g := range grads {
		if square := graph.ReduceAllSum(graph.Square(g)); sum == nil {
			sum = square
		} else {
			sum = graph.Add(sum, square)
		}
	}
	norm = graph.Sqrt(sum)
	if most > 0 {
		limit := graph.Scalar(norm.Graph(), dtypes.Float32, most)
		by := graph.Div(limit, graph.Max(norm, limit))
		for i, g := range grads {
			grads[i] = graph.Mul(g, by)
		}
	}
	return norm
}

// scalars returns the numbers of one row of x, one by one.
func scalars(x *graph.Node, row int) (all []*graph.Node) {
	for i := range x.Shape().Dimensions[1] {
		all = append(all, graph.Reshape(graph.Slice(x, graph.AxisElem(row), graph.AxisElem(i))))
	}
	return all
}

// Train is Stepper's.
func (s *DeviceStep) Train(b *data.Batch, step int, lr float64) (loss float64, correct int, err error) {
	s.Solver.SetRate(lr)
	out, err := s.run(b, step, true)
	if err != nil {
		return 0, 0, err
	}
	report := make([]float32, 3)
	for i := range s.state {
		s.state[i].buffer = out[i]
	}
	if err := s.o.Device.take(report, out[len(s.state)]); err != nil {
		return 0, 0, err
	}
	if loss = float64(report[0]); !finite(report) {
		return loss, 0, s.diverged(b, step)
	}
	s.Solver.Stepped()
	return loss, int(report[1]), nil
}

// Try is Stepper's.
func (s *DeviceStep) Try(b *data.Batch, step int) error {
	out, err := s.run(b, step, false)
	if err != nil {
		return err
	}
	err = s.o.Device.take(make([]float32, 3), out[len(s.state)])
	for _, r := range out[:len(s.state)] {
		r.Finalize()
	}
	return err
}

// run runs the program once. If the state may move, its memory is the results' afterwards.
func (s *DeviceStep) run(b *data.Batch, step int, move bool) ([]compute.Buffer, error) {
	if err := s.loss.check(b); err != nil {
		return nil, err
	}
	in, donate := make([]compute.Buffer, 0, len(s.state)+4), make([]bool, len(s.state)+4)
	for i := range s.state {
		r := &s.state[i]
		if r.buffer == nil {
			var err error
			if r.buffer, err = s.o.Device.put(r.here, r.shape); err != nil {
				return nil, err
			}
		}
		in, donate[i] = append(in, r.buffer), move
	}
	number := uint64(step)
	for _, feed := range []struct {
		numbers any
		shape   shapes.Shape
	}{
		{b.X, s.batch[0]}, {b.Labels, s.batch[1]}, {[]uint32{uint32(number), uint32(number >> 32)}, stepShape},
		{s.coefficients(), s.coefficientsShape()},
	} {
		buffer, err := s.o.Device.put(feed.numbers, feed.shape)
		if err != nil {
			return nil, err
		}
		donate[len(in)] = true
		in = append(in, buffer)
	}
	out, err := s.program.Run(in, donate)
	if err != nil {
		for i := range s.state { // what it was may be gone
			s.state[i].buffer = nil
		}
		return nil, s.o.Device.failed(err)
	}
	return out, nil
}

// diverged says where the numbers cease to be finite: the same step on the CPU, with the same masks, finds it.
func (s *DeviceStep) diverged(b *data.Batch, step int) error {
	if err := s.Sync(); err != nil {
		return err
	}
	here, err := NewStep(s.net, s.loss.shape, s.o)
	if err != nil {
		return err
	}
	defer here.Close()
	here.take(b)
	return here.diverged(step)
}

// Sync is Stepper's.
func (s *DeviceStep) Sync() error {
	for _, r := range s.state {
		if r.buffer == nil {
			continue
		}
		if err := r.buffer.ToFlatData(r.here); err != nil {
			return s.o.Device.failed(err)
		}
	}
	return nil
}

func (s *DeviceStep) outputs() int { return s.loss.classes }

func (s *DeviceStep) learner() (Solver, []*nn.Param) { return s.Solver, s.params }

// Close frees the program and what it has on the device.
func (s *DeviceStep) Close() error {
	for i := range s.state {
		if r := &s.state[i]; r.buffer != nil {
			r.buffer.Finalize()
			r.buffer = nil
		}
	}
	s.program.Close()
	return nil
}
