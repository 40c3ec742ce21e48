package theorem

import (
	"context"
	"math"
)

// A Proof is experiments with Theorem 1: one for every border, type, kernel and α.
type Proof struct {
	Borders   []string // of Borders, or Interior
	Types     []string // of Types
	Kernels   []int
	Alphas    []float64  // ascending
	Base      Experiment // what all share
	Tolerance float64    // largest relative error that passes; 0: the rounding error of each experiment
}

// A Judged is an experiment with its result.
type Judged struct {
	Experiment
	Deviation
	Limit float64 // largest relative error that passes; 0: any does, since the heads are soft or too few
}

// Pass reports whether attention is the convolution, up to rounding, where it has to be.
func (j Judged) Pass() bool { return j.Limit == 0 || j.Rel <= j.Limit }

// experiments lists the experiments, those with the same border, type and kernel side by side.
func (p *Proof) experiments() (all []Experiment) {
	for _, border := range p.Borders {
		for _, kind := range p.Types {
			for _, k := range p.Kernels {
				for _, alpha := range p.Alphas {
					e := p.Base
					e.Border, e.Type, e.Kernel, e.Alpha = border, kind, k, alpha
					all = append(all, e)
				}
			}
		}
	}
	return all
}

// Hard returns the α from which on the theorem must hold: the paper's 46, or the largest α if that is smaller.
func (p *Proof) Hard() float64 { return min(46, p.Alphas[len(p.Alphas)-1]) }

// Limit returns the largest relative error of e that counts as rounding: Tolerance or, without, 1e-6 in float32 and 1e-12
// in float64, and more for sums of over 300 terms.
func (p *Proof) Limit(e Experiment) float64 {
	if p.Tolerance > 0 {
		return p.Tolerance
	}
	least := 1e-12
	if e.Type == Types[0] {
		least = 1e-6
	}
	return roundingError(least, e.entries()*e.In)
}

// roundingError returns the rounding error of a sum of terms: √(terms/300) times least, and at least that.
func roundingError(least float64, terms int) float64 {
	return least * max(1, math.Sqrt(float64(terms)/300))
}

// Run runs the experiments in parallel and judges those with hard heads that lose nothing.
func (p *Proof) Run(ctx context.Context) ([]Judged, error) {
	all := p.experiments()
	found, err := runAll(ctx, all)
	if err != nil {
		return nil, err
	}
	judged := make([]Judged, len(all))
	for i, e := range all {
		judged[i] = Judged{Experiment: e, Deviation: found[i]}
		if e.Alpha >= p.Hard() && found[i].Lost == 0 {
			judged[i].Limit = p.Limit(e)
		}
	}
	return judged, nil
}

// Worst returns the judged experiment that is nearest to its limit, or farthest beyond it; ok is false if none is judged.
func Worst(all []Judged) (worst Judged, ok bool) {
	most := math.Inf(-1)
	for _, j := range all {
		ratio := j.Rel / j.Limit
		if math.IsNaN(ratio) {
			ratio = math.Inf(1)
		}
		if j.Limit > 0 && ratio >= most {
			worst, most, ok = j, ratio, true
		}
	}
	return worst, ok
}

// Limit returns the largest relative error that counts as rounding: of attention, and of the network's own convolution,
// which is Winograd's for kernels of 3 × 3.
func (s *Site) Limit() float64 { return roundingError(4e-6, s.Conv.Entries()*s.Conv.In) }
