package study

import (
	"errors"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/heads"
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/posenc/geometry"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/train"
)

// A Subject is a network to inspect.
type Subject struct {
	Name    string // of its preset, file or checkpoint
	Net     *model.Network
	Train   train.Options     // with the batches and the solver for which memory is counted
	Trained bool              // false: its weights are the initial ones
	Start   [][]geometry.Head // its Gaussian heads before training; nil: unknown
	Surgery []event.Surgery   // what training did to heads
}

// Inspect describes a network: its layers with what they cost, its Gaussian heads and, if it is trained, their null
// distribution (HeadNulls), and the memory that it needs. It compiles the graphs of training and evaluation, and runs
// neither. The error is train's, for options that do not suit the network.
func Inspect(s Subject) (*Inspection, error) {
	if s.Net == nil || s.Net.Layer == nil {
		return nil, errors.New("the network to inspect is nil or empty: want one of model.New or model.Load")
	}
	spec := s.Net.Spec
	d := &Inspection{V: 1, Source: s.Name, Model: spec.Kind, Encoding: spec.EncodingName(), Layers: []Layer{},
		Heads: []heads.Gaussian{}, Reach: []null.Float{}, Nulls: []HeadNull{}, Surgery: s.Surgery}
	for _, p := range spec.Parts() {
		l := Layer{Path: p.Path, Block: p.Block, Kind: p.Kind, OutShape: p.Out, Params: p.Params,
			MACs:    p.MACs.Definition,
			MACsRun: p.MACs.Run, MACsPaper: p.MACs.Paper, Field: p.Field}
		d.Params, d.MACs, d.MACsRun, d.MACsPaper = d.Params+l.Params, d.MACs+l.MACs, d.MACsRun+l.MACsRun,
			d.MACsPaper+l.MACsPaper
		d.Layers = append(d.Layers, l)
	}
	d.Trainable = d.Params
	layers, isotropic := s.Net.Heads()
	for l, of := range layers {
		for h, head := range of {
			row := heads.Describe(l+1, h+1, head, isotropic)
			if s.Start != nil {
				first := heads.Describe(l+1, h+1, s.Start[l][h], isotropic)
				row.Start = &heads.GaussianStart{Center: first.Center, Alpha: first.Alpha, R50: first.R50,
					Axes: first.Axes}
			}
			d.Heads = append(d.Heads, row)
		}
		d.Reach = append(d.Reach, heads.Reach(d.Heads[len(d.Heads)-len(of):], max(1, spec.TokenSide())))
	}
	var err error
	if s.Trained {
		if d.Nulls, err = HeadNulls(spec, layers, s.Start); err != nil {
			return nil, err
		}
	}
	d.Memory, err = memoryOf(s)
	return d, err
}

// memoryOf compiles the graphs of training and evaluation, without running them.
func memoryOf(s Subject) (MemoryBytes, error) {
	o, image := s.Train, s.Net.Spec.Image
	m := MemoryBytes{TrainBatch: o.Batch, EvalBatch: o.EvalBatch}
	for _, p := range s.Net.Params {
		m.Params += 4 * len(p.Data)
	}
	step, err := train.NewStep(s.Net, train.Shape{o.Batch, image[0], image[1], image[2]}, o)
	if err != nil {
		return m, err
	}
	defer step.Close()
	m.Train, m.Checkpoint = step.Memory(), m.Params+step.SlotBytes()
	if o.Average > 0 {
		m.Checkpoint += m.Params // the weights that the solver moves
	}
	e, err := train.NewEvaluator(s.Net, train.Shape{o.EvalBatch, image[0], image[1], image[2]}, o)
	if err != nil {
		return m, err
	}
	defer e.Close()
	m.Eval = e.Memory() + m.Params
	return m, nil
}
