package bench

import (
	"context"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/stream"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/train"
)

// A stepper takes one step after another, always on the same random batch: no step waits for data.
type stepper struct {
	step  func(n int) error
	watch func(observe func(op string)) // nil on a GPU, which runs a step as one program
	close func() error
	taken int
}

// next takes one step, unless ctx is done.
func (s *stepper) next(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.taken++
	return s.step(s.taken - 1)
}

func newStepper(net *model.Network, p Point) (*stepper, error) {
	if p.Mode == "infer" {
		return newInference(net, p)
	}
	return newTrainer(net, p)
}

const rate = 1e-4 // learning rate: small, so that the weights stay finite; a step costs the same at any rate

func newTrainer(net *model.Network, p Point) (*stepper, error) {
	image := p.Model.Image
	o := p.Train
	o.Batch = p.Batch
	step, err := train.NewStepper(net, train.Shape{p.Batch, image[0], image[1], image[2]}, o)
	if err != nil {
		return nil, err
	}
	batch := randomBatch(p)
	s := &stepper{close: step.Close, step: func(n int) error {
		_, _, err := step.Train(batch, n, rate)
		return err
	}}
	if cpu, ok := step.(*train.Step); ok {
		s.watch = cpu.Watch
	}
	return s, nil
}

func newInference(net *model.Network, p Point) (*stepper, error) {
	image := p.Model.Image
	if p.gpu() {
		return newDeviceInference(net, p)
	}
	var logits *nn.Node
	g, err := nn.Build(false, func(g *nn.Graph) {
		logits = net.Forward(g, g.Input("x", randomBatch(p).X, p.Batch, image[0], image[1], image[2]))
	})
	if err != nil {
		return nil, err
	}
	f, err := nn.Compile(g, nil, logits)
	if err != nil {
		return nil, err
	}
	return &stepper{watch: f.Watch, close: f.Close, step: func(n int) error {
		if n == 0 {
			return f.Run(0)
		}
		return f.RunAgain(0) // the weights have not changed
	}}, nil
}

func newDeviceInference(net *model.Network, p Point) (*stepper, error) {
	image := p.Model.Image
	e, err := train.NewEvaluator(net, train.Shape{p.Batch, image[0], image[1], image[2]}, p.Train)
	if err != nil {
		return nil, err
	}
	batch := randomBatch(p)
	return &stepper{close: e.Close, step: func(int) error {
		_, err := e.Logits(batch)
		return err
	}}, nil
}

// randomBatch returns a batch of Gaussian noise with random labels.
func randomBatch(p Point) *data.Batch {
	rng := stream.Rand(0, "bench/pictures")
	image := p.Model.Image
	b := &data.Batch{X: make([]float32, p.Batch*image[0]*image[1]*image[2]), Labels: make([]int32, p.Batch), N: p.Batch}
	for i := range b.X {
		b.X[i] = float32(rng.NormFloat64())
	}
	for i := range b.Labels {
		b.Labels[i] = int32(rng.IntN(p.Model.Classes))
	}
	return b
}
