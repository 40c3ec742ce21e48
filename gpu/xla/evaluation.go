package xla

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/train"
)

// evaluation is a forward pass as one program. A copy of the weights stays on the device.
type evaluation struct {
	program *program
	params  []*nn.Param
	shapes  []shapes.Shape // of the parameters, then of the images
	weights []compute.Buffer
}

// Evaluation implements train.Device.
func (d Device) Evaluation(of train.Evaluation) (train.EvaluationProgram, error) {
	e := &evaluation{params: of.Graph.Used()}
	for _, p := range e.params {
		e.shapes = append(e.shapes, shapes.Make(dtypes.Float32, p.Shape...))
	}
	e.shapes = append(e.shapes, shapes.Make(dtypes.Float32, of.Images.Shape()...))
	var err error
	e.program, err = d.compile("evaluation", e.shapes, func(in []*graph.Node) []*graph.Node {
		l := d.lowering(of.Graph, in)
		l.nodes[of.Images] = in[len(in)-1]
		return []*graph.Node{l.of(of.Logits)}
	})
	if err != nil {
		return nil, err
	}
	return e, nil
}

// Load implements train.EvaluationProgram.
func (e *evaluation) Load() error {
	e.drop()
	for i, p := range e.params {
		w, err := e.program.on.put(p.Data, e.shapes[i])
		if err != nil {
			return err
		}
		e.weights = append(e.weights, w)
	}
	return nil
}

// Run implements train.EvaluationProgram.
func (e *evaluation) Run(logits, x []float32) error {
	n := len(e.params)
	images, err := e.program.on.put(x, e.shapes[n])
	if err != nil {
		return err
	}
	donate := make([]bool, n+1)
	donate[n] = true
	out, err := e.program.run(append(e.weights[:n:n], images), donate)
	if err != nil {
		return err
	}
	return e.program.on.take(logits, out[0])
}

func (e *evaluation) drop() {
	for _, w := range e.weights {
		w.Finalize()
	}
	e.weights = nil
}

// Close frees the program and the weights on the device.
func (e *evaluation) Close() error {
	e.drop()
	e.program.close()
	return nil
}
