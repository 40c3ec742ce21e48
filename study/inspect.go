package study

import (
	"errors"
	"math"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/report"
	"github.com/attnconv/attnconv/train"
	"github.com/attnconv/attnconv/viz"
)

// A Subject is a network to inspect.
type Subject struct {
	Name    string // of its preset, file or checkpoint
	Net     *model.Network
	Train   train.Options   // with the batches and the solver for which memory is counted
	Trained bool            // false: its weights are the initial ones
	Start   [][]posenc.Head // its Gaussian heads before training; nil: unknown
}

// Inspect describes a network: its layers with what they cost, its Gaussian heads and, if it is trained, their null
// distribution (HeadNulls), and the memory that it needs. It compiles the graphs of training and evaluation, and runs
// neither. The error is train's, for options that do not suit the network.
func Inspect(s Subject) (*report.Inspection, error) {
	if s.Net == nil || s.Net.Layer == nil {
		return nil, errors.New("study: the network to inspect is nil or empty: want one of model.New or model.Load")
	}
	spec := s.Net.Spec
	d := &report.Inspection{V: 1, Source: s.Name, Model: spec.Kind, Encoding: spec.EncodingName(), Layers: []report.Layer{},
		Heads: []report.Head{}, Reach: []*float64{}, Nulls: []report.HeadNull{}}
	for _, p := range spec.Parts() {
		l := report.Layer{Path: p.Path, Block: p.Block, Kind: p.Kind, OutShape: p.Out, Params: p.Params, MACs: p.MACs.Definition,
			MACsRun: p.MACs.Run, MACsPaper: p.MACs.Paper, Field: p.Field}
		d.Params, d.MACs, d.MACsRun, d.MACsPaper = d.Params+l.Params, d.MACs+l.MACs, d.MACsRun+l.MACsRun, d.MACsPaper+l.MACsPaper
		d.Layers = append(d.Layers, l)
	}
	d.Trainable = d.Params
	layers, isotropic := s.Net.Heads()
	for l, of := range layers {
		for h, head := range of {
			row := HeadDocument(l+1, h+1, viz.Head(head), isotropic)
			if s.Start != nil {
				first := HeadDocument(l+1, h+1, viz.Head(s.Start[l][h]), isotropic)
				row.Start = &report.HeadStart{Center: first.Center, Alpha: first.Alpha, R50: first.R50, Axes: first.Axes}
			}
			d.Heads = append(d.Heads, row)
		}
		d.Reach = append(d.Reach, reach(d.Heads[len(d.Heads)-len(of):], spec.Pool))
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

// HeadDocument describes a head of a layer, both counted from 1. An isotropic one has one width.
func HeadDocument(layer, number int, h viz.Head, isotropic bool) report.Head {
	long, short := h.Axes(0.5)
	d := report.Head{Layer: layer, Head: number, Kind: "quadratic-general", Center: h.Center, Precision: h.Precision,
		Axes: [2]*float64{report.Finite(long), report.Finite(short)}, Condition: report.Finite(h.Condition()),
		Angle: h.Angle(), Degenerate: h.Uniform()}
	if isotropic {
		alpha := h.Precision[0][0] / 2
		r90, _ := h.Axes(0.9)
		d.Kind, d.Alpha, d.R50, d.R90, d.Angle = "quadratic", &alpha, report.Finite(long), report.Finite(r90), 0
	}
	return d
}

// reach returns the largest distance from the query, in pixels of the image, that 90 % of the weight of every head of a
// layer lies within: max_h ‖Δ_h‖ + r90_h. Degenerate heads do not count; it is nil if there are no others.
func reach(heads []report.Head, pool int) *float64 {
	most := math.Inf(-1)
	for _, h := range heads {
		if long, _ := (viz.Head{Center: h.Center, Precision: h.Precision}).Axes(0.9); !h.Degenerate {
			most = max(most, float64(pool)*(math.Hypot(h.Center[0], h.Center[1])+long))
		}
	}
	return report.Finite(most)
}

// memoryOf compiles the graphs of training and evaluation, without running them.
func memoryOf(s Subject) (report.MemoryBytes, error) {
	o, image := s.Train, s.Net.Spec.Image
	m := report.MemoryBytes{TrainBatch: o.Batch, EvalBatch: o.EvalBatch}
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
