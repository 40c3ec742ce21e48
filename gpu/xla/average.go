package xla

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/attnconv/attnconv/nn"
)

// averaging is one step of moving averages as one program. They stay on the device.
type averaging struct {
	program *program
	state   []resident
	of      []int // the resident of the training that each one averages
}

// newAveraging compiles a ← β·a + (1-β)·w for parameters w of the training. A parameter that it has not never moves.
func (t *training) newAveraging(params []*nn.Param, averages [][]float32) (*averaging, error) {
	a := &averaging{}
	var in []shapes.Shape
	for i, p := range params {
		if at := slices.IndexFunc(t.state, func(r resident) bool { return &r.host[0] == &p.Data[0] }); at >= 0 {
			in = append(in, t.state[at].shape)
			a.of, a.state = append(a.of, at), append(a.state, resident{host: averages[i], shape: t.state[at].shape})
		}
	}
	n := len(in)
	var err error
	a.program, err = t.program.on.compile("average", append(slices.Concat(in, in), shapes.Make(dtypes.Float32)),
		func(in []*graph.Node) (out []*graph.Node) {
			beta := in[2*n]
			for i := range n {
				out = append(out, graph.Add(graph.Mul(beta, in[i]), graph.Mul(graph.OneMinus(beta), in[n+i])))
			}
			return out
		})
	return a, err
}

// Average implements train.TrainingProgram.
func (t *training) Average(params []*nn.Param, averages [][]float32, beta float32) (err error) {
	if t.averages == nil {
		if t.averages, err = t.newAveraging(params, averages); err != nil {
			return err
		}
	}
	a := t.averages
	n := len(a.state)
	in, donate := make([]compute.Buffer, 2*n+1), make([]bool, 2*n+1)
	for i := range a.state {
		if in[i], err = a.state[i].on(t.program.on); err != nil {
			return err
		}
		in[n+i], donate[i] = t.state[a.of[i]].buffer, true
	}
	if in[2*n], err = t.program.on.put([]float32{beta}, shapes.Make(dtypes.Float32)); err != nil {
		return err
	}
	donate[2*n] = true
	out, err := a.program.run(in, donate)
	for i := range a.state {
		a.state[i].buffer = nil
		if err == nil {
			a.state[i].buffer = out[i]
		}
	}
	return err
}
