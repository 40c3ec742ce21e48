package train

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/attnconv/attnconv/internal/op"
	"github.com/attnconv/attnconv/nn"
)

// deviceAnswers is an evaluation as one program of a device, which holds a copy of the weights.
type deviceAnswers struct {
	*answers
	device  Device
	program *nn.Program
	shapes  []shapes.Shape // of the parameters, then of the images
	weights []compute.Buffer
	numbers []float32 // logits
}

func newDeviceAnswers(a *answers, on Device) (*deviceAnswers, error) {
	d := &deviceAnswers{answers: a, device: on, numbers: make([]float32, a.out.Shape().TotalSize())}
	for _, p := range a.graph.Used() {
		d.shapes = append(d.shapes, shapes.Make(dtypes.Float32, p.Shape...))
	}
	d.shapes = append(d.shapes, shapes.Make(dtypes.Float32, a.input.Shape()...))
	var err error
	d.program, err = nn.NewProgram(on.Backend, "evaluation", d.shapes, func(in []*graph.Node) []*graph.Node {
		l := op.NewLowering(in[0].Graph())
		l.Half = on.Half
		l.Place(a.input, in[len(in)-1])
		return []*graph.Node{a.graph.Lower(l, a.out, in[:len(in)-1])}
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}

func (d *deviceAnswers) logits(x []float32, again bool) ([]float32, error) {
	copy(d.x, x)
	if !again {
		if err := d.load(); err != nil {
			return nil, err
		}
	}
	images, err := d.device.put(d.x, d.shapes[len(d.weights)])
	if err != nil {
		return nil, err
	}
	donate := make([]bool, len(d.shapes))
	donate[len(d.weights)] = true
	out, err := d.program.Run(append(d.weights[:len(d.weights):len(d.weights)], images), donate)
	if err != nil {
		return nil, d.device.failed(err)
	}
	return d.numbers, d.device.take(d.numbers, out[0])
}

// load copies the weights to the device.
func (d *deviceAnswers) load() error {
	d.drop()
	for i, p := range d.graph.Used() {
		w, err := d.device.put(p.Data, d.shapes[i])
		if err != nil {
			return err
		}
		d.weights = append(d.weights, w)
	}
	return nil
}

func (d *deviceAnswers) drop() {
	for _, w := range d.weights {
		w.Finalize()
	}
	d.weights = nil
}

// FirstBad is answerer's: the same images on the CPU tell.
func (d *deviceAnswers) FirstBad() (string, error) {
	if d.run == nil {
		d.run = nn.Compile(d.graph)
	}
	return d.run.FirstBad(0)
}

// Memory is answerer's: of the batch, since what the program holds is the device's to know.
func (d *deviceAnswers) Memory() int { return 4 * len(d.x) }

func (d *deviceAnswers) Close() error {
	d.drop()
	d.program.Close()
	if d.run == nil {
		return nil
	}
	return d.run.Close()
}
