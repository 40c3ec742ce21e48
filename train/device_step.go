package train

import (
	"errors"
	"fmt"
	"math"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/option"
)

// A deviceStep is Step on a device. Parameters, slots and statistics stay there from the first step on; Sync brings
// them back.
type deviceStep struct {
	lossGraph
	Solver  Solver // with the slots of the last Sync
	net     nn.Layer
	o       Options
	method  method
	params  []*nn.Param
	program TrainingProgram
}

// newDeviceStep builds and compiles a step of training net with batches of shape, on o's device.
func newDeviceStep(net nn.Layer, shape Shape, o Options, m method) (*deviceStep, error) {
	l, err := newLossGraph(net, shape, o, m)
	if err != nil {
		return nil, err
	}
	if !l.counted() || l.target.oneHot != nil {
		return nil, fmt.Errorf("%s trains only with cross-entropy of labels; want train.loss %s, or the CPU",
			o.Device.Name(), Losses.Default())
	}
	s := &deviceStep{lossGraph: l, net: net, o: o, method: m, params: l.graph.Used()}
	if s.Solver, err = m.solverOf(o, s.params); err != nil {
		return nil, err
	}
	s.program, err = o.Device.Training(Training{l.graph, l.input, l.loss, s.params, s.Solver, o})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// check reports a batch that does not fit the graph, and mixed images, whose labels the device does not take.
func (s *deviceStep) check(b *data.Batch) error {
	if b != nil && b.Others != nil {
		return option.Errorf("data.augment", "%s trains with one label for each image: leave out augmentations that "+
			"mix images, such as mixup, or train on the CPU", s.o.Device.Name())
	}
	return s.lossGraph.check(b)
}

// Train implements Stepper.
func (s *deviceStep) Train(b *data.Batch, step int, lr float64) (loss float64, correct int, err error) {
	if err := s.check(b); err != nil {
		return 0, 0, err
	}
	s.Solver.SetRate(lr)
	r, err := s.program.Run(b, step, true)
	if err != nil {
		return 0, 0, err
	}
	if sum := r.Loss + r.Norm; math.IsNaN(sum) || math.IsInf(sum, 0) {
		return r.Loss, 0, s.diverged(b, step)
	}
	s.Solver.Stepped()
	return r.Loss, r.Correct, nil
}

// Try implements Stepper: its program computes the loss and no update.
func (s *deviceStep) Try(b *data.Batch, step int) error {
	if err := s.check(b); err != nil {
		return err
	}
	_, err := s.program.Run(b, step, false)
	return err
}

// diverged returns the *DivergenceError of the same step on the CPU, with the same masks.
func (s *deviceStep) diverged(b *data.Batch, step int) error {
	if err := s.Sync(); err != nil {
		return err
	}
	cpu, err := newStep(s.net, s.shape, s.o, s.method)
	if err != nil {
		return err
	}
	defer cpu.Close()
	cpu.load(b)
	return cpu.diverged(step)
}

// Sync implements Stepper.
func (s *deviceStep) Sync() error { return s.program.Sync() }

func (s *deviceStep) gradientSquares() []float64 { return nil }

func (s *deviceStep) learner() (Solver, []*nn.Param) { return s.Solver, s.params }

// Close frees the program and what it has on the device.
func (s *deviceStep) Close() error { return s.program.Close() }

// deviceAnswers is an evaluation on a device.
type deviceAnswers struct {
	*answers
	program EvaluationProgram
	values  []float32 // logits
}

func newDeviceAnswers(a *answers, on Device) (*deviceAnswers, error) {
	p, err := on.Evaluation(Evaluation{a.graph, a.input, a.out})
	if err != nil {
		return nil, err
	}
	return &deviceAnswers{a, p, make([]float32, a.out.Shape().TotalSize())}, nil
}

func (d *deviceAnswers) logits(x []float32, unchanged bool) ([]float32, error) {
	copy(d.x, x) // for FirstBad
	if !unchanged {
		if err := d.program.Load(); err != nil {
			return nil, err
		}
	}
	return d.values, d.program.Run(d.values, d.x)
}

// FirstBad is answerer's: the same images on the CPU tell.
func (d *deviceAnswers) FirstBad() (string, error) {
	if d.run == nil {
		var err error
		if d.run, err = nn.Compile(d.graph, nil, d.out); err != nil {
			return "", err
		}
	}
	return d.run.FirstBad(0)
}

// Memory is answerer's: of the batch, since what the program takes is the device's to know.
func (d *deviceAnswers) Memory() int { return 4 * len(d.x) }

func (d *deviceAnswers) Close() error {
	err := d.program.Close()
	if d.run != nil {
		err = errors.Join(err, d.run.Close())
	}
	return err
}
