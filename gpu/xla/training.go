package xla

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
	"github.com/attnconv/attnconv/train"
)

// training is a step as one program: loss, gradients, clipping, the solver, running statistics and dropout. Each run
// sends images, labels, the step's number and the solver's coefficients, and reads back a report.
type training struct {
	train.Training
	program  *program
	state    []resident // parameters, then the slots of each, then running statistics
	slots    [][]int    // where in state a parameter's slots are, in the order of their names; -1: it has none
	batch    [2]shapes.Shape
	averages *averaging // nil: not yet
}

// A resident is a tensor on the device, and its place in host memory.
type resident struct {
	host   []float32
	shape  shapes.Shape
	buffer compute.Buffer // nil: the values of host are the valid ones
}

// on returns its buffer, into which it copies the values of host if they are the valid ones.
func (r *resident) on(d Device) (b compute.Buffer, err error) {
	if r.buffer == nil {
		r.buffer, err = d.put(r.host, r.shape)
	}
	return r.buffer, err
}

// Training implements train.Device.
func (d Device) Training(of train.Training) (train.TrainingProgram, error) {
	move, err := solverOf(of.Options.Optimizer)
	if err != nil {
		return nil, err
	}
	images := of.Images.Shape()
	t := &training{Training: of}
	t.batch = [2]shapes.Shape{shapes.Make(dtypes.Float32, images...), shapes.Make(dtypes.Int32, images[0])}
	t.list()
	var in []shapes.Shape
	for _, r := range t.state {
		in = append(in, r.shape)
	}
	in = append(in, t.batch[0], t.batch[1], stepShape, t.coefficientsShape())
	t.program, err = d.compile("training", in, func(in []*graph.Node) []*graph.Node { return t.build(d, move, in) })
	if err != nil {
		return nil, err
	}
	return t, nil
}

// list sets the state.
func (t *training) list() {
	add := func(p *nn.Param, host []float32) {
		t.state = append(t.state, resident{host: host, shape: shapes.Make(dtypes.Float32, p.Shape...)})
	}
	for _, p := range t.Params {
		add(p, p.Data)
	}
	slots := t.Solver.Slots()
	t.slots = make([][]int, len(t.Params))
	for _, slot := range slices.Sorted(maps.Keys(slots)) {
		for i, p := range t.Params {
			if len(slots[slot][i]) == 0 {
				t.slots[i] = append(t.slots[i], -1)
				continue
			}
			t.slots[i] = append(t.slots[i], len(t.state))
			add(p, slots[slot][i])
		}
	}
	for _, s := range t.Graph.RunningStats() {
		add(s.Mean, s.Mean.Data)
		add(s.Variance, s.Variance.Data)
	}
}

// A step's number comes in two halves, the low one first.
var stepShape = shapes.Make(dtypes.Uint32, 2)

// groups are those of the parameters that a solver moves.
var groups = []nn.Group{nn.Weight, nn.Vector, nn.Position}

// coefficients are the solver's, (groups, coefficients).
func (t *training) coefficients() (all []float32) {
	for _, g := range groups {
		all = append(all, t.Solver.Coefficients(g)...)
	}
	return all
}

func (t *training) coefficientsShape() shapes.Shape {
	return shapes.Make(dtypes.Float32, len(groups), len(t.coefficients())/len(groups))
}

// build returns the next state, and a report: loss, images classified correctly, norm of the gradient. in are the
// state, images, labels, the step's number, and the solver's coefficients. Nothing moves if loss or norm is not finite.
func (t *training) build(d Device, move solver, in []*graph.Node) []*graph.Node {
	state, feed := in[:len(t.state)], in[len(t.state):]
	n := len(t.Params)
	l := d.lowering(t.Graph, state)
	l.nodes[t.Images], l.labels, l.step = feed[0], feed[1], feed[2]
	loss := l.of(t.Loss)
	grads := graph.Gradient(loss, state[:n]...)
	masks := make([]*graph.Node, n)
	for i, p := range t.Params {
		if masks[i] = moves(p, loss.Graph()); masks[i] != nil {
			grads[i] = graph.Where(masks[i], grads[i], graph.ZerosLike(grads[i]))
		}
	}
	norm := clip(grads, t.Options.Clip)
	moved := make([]*graph.Node, len(state))
	for i, p := range t.Params {
		own := make([]*graph.Node, len(t.slots[i]))
		for k, at := range t.slots[i] {
			if at >= 0 {
				own[k] = state[at]
			}
		}
		w, kept := move(state[i], grads[i], own, scalars(feed[3], min(int(p.Group), int(nn.Position))))
		moved[i] = where(masks[i], w, state[i])
		for k, at := range t.slots[i] {
			if at >= 0 {
				moved[at] = where(masks[i], kept[k], own[k])
			}
		}
	}
	statistics := len(state) - 2*len(t.Graph.RunningStats())
	copy(moved[statistics:], stepped(t.Graph, l, state[statistics:]))
	finite := graph.IsFinite(graph.Add(loss, norm))
	for i, was := range state {
		moved[i] = graph.Where(graph.BroadcastToDims(finite, was.Shape().Dimensions...), moved[i], was)
	}
	return append(moved, graph.Stack([]*graph.Node{loss, l.correct, norm}, 0))
}

// where is x where mask is true, and else y; x without a mask.
func where(mask, x, y *graph.Node) *graph.Node {
	if mask == nil {
		return x
	}
	return graph.Where(mask, x, y)
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

// stepped returns the next running statistics, mean and variance in turn, as nn.Graph.Stepped computes them.
func stepped(g *nn.Graph, l *lowering, values []*graph.Node) (moved []*graph.Node) {
	for i, t := range g.RunningStats() {
		m := l.moments[t.Moments]
		variance := graph.MulScalar(m.variance, op.Unbiased(m.rows))
		for k, to := range []*graph.Node{m.mean, variance} {
			stays := graph.MulScalar(values[2*i+k], 1-t.Rate)
			moved = append(moved, graph.Add(stays, graph.MulScalar(to, t.Rate)))
		}
	}
	return moved
}

// scalars returns the values of one row of x, one by one.
func scalars(x *graph.Node, row int) (all []*graph.Node) {
	for i := range x.Shape().Dimensions[1] {
		all = append(all, graph.Reshape(graph.Slice(x, graph.AxisElem(row), graph.AxisElem(i))))
	}
	return all
}

// Run implements train.TrainingProgram.
func (t *training) Run(b *data.Batch, step int, move bool) (r train.Report, err error) {
	out, err := t.run(b, step, move)
	if err != nil {
		return r, err
	}
	for i := range t.state {
		if move {
			t.state[i].buffer = out[i]
		} else {
			out[i].Finalize()
		}
	}
	report := make([]float32, 3)
	err = t.program.on.take(report, out[len(t.state)])
	return train.Report{Loss: float64(report[0]), Correct: int(report[1]), Norm: float64(report[2])}, err
}

// run runs the program once. If the state may move, its memory is the results' afterwards.
func (t *training) run(b *data.Batch, step int, move bool) ([]compute.Buffer, error) {
	in, donate := make([]compute.Buffer, 0, len(t.state)+4), make([]bool, len(t.state)+4)
	for i := range t.state {
		buffer, err := t.state[i].on(t.program.on)
		if err != nil {
			return nil, err
		}
		in, donate[i] = append(in, buffer), move
	}
	for _, feed := range []struct {
		values any
		shape  shapes.Shape
	}{
		{b.X, t.batch[0]}, {b.Labels, t.batch[1]}, {[]uint32{uint32(step), uint32(uint64(step) >> 32)}, stepShape},
		{t.coefficients(), t.coefficientsShape()},
	} {
		buffer, err := t.program.on.put(feed.values, feed.shape)
		if err != nil {
			return nil, err
		}
		donate[len(in)] = true
		in = append(in, buffer)
	}
	out, err := t.program.run(in, donate)
	if err != nil {
		for i := range t.state { // what it was may be gone
			t.state[i].buffer = nil
		}
	}
	return out, err
}

// Sync implements train.TrainingProgram.
func (t *training) Sync() error {
	for _, r := range t.residents() {
		if r.buffer == nil {
			continue
		}
		if err := r.buffer.ToFlatData(r.host); err != nil {
			return t.program.on.failed(err)
		}
	}
	return nil
}

// residents are the state and the averages.
func (t *training) residents() (all []*resident) {
	for i := range t.state {
		all = append(all, &t.state[i])
	}
	if t.averages != nil {
		for i := range t.averages.state {
			all = append(all, &t.averages.state[i])
		}
	}
	return all
}

// Close frees the programs and what they have on the device.
func (t *training) Close() error {
	for _, r := range t.residents() {
		if r.buffer != nil {
			r.buffer.Finalize()
			r.buffer = nil
		}
	}
	if t.averages != nil {
		t.averages.program.close()
	}
	t.program.close()
	return nil
}
