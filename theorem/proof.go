package theorem

import (
	"context"
	"math"
	"slices"

	"github.com/attnconv/attnconv/option"
)

// A Proof is experiments with Theorem 1: one for every border, type, kernel and α.
type Proof struct {
	Borders   []string // of Borders and Interior, or All
	Types     []string // of Types, or All
	Kernels   []int
	Alphas    []float64
	Base      Experiment // what all share
	Tolerance float64    // largest relative error that passes; 0: the rounding error of each experiment
}

// All stands for all borders, or all types.
const All = "all"

// NewProof returns the experiments that stand for the theorem: images of 10 × 10 pixels, kernels of 1 × 1 to 7 × 7,
// from 6 channels to 5, α from 1 to 104, five random kernels each.
func NewProof() Proof {
	return Proof{Borders: []string{All}, Types: []string{All}, Kernels: []int{1, 3, 5, 7},
		Alphas: []float64{1, 4, 16, 46, 104},
		Base:   Experiment{Axes: 2, Size: 10, Stride: 1, Dilation: 1, In: 6, Out: 5, Trials: 5}}
}

// Resolve writes out what All stands for, and sorts the α. Elliptic heads have no border Replicate: All is then the
// others. The error is an *option.Error for "border", "dtype", "alpha", "axes" or "size".
func (p *Proof) Resolve() (err error) {
	all := slices.Equal(p.Borders, []string{All})
	if p.Borders, err = chosen("border", p.Borders, BorderNames()); err != nil {
		return err
	}
	if p.Types, err = chosen("dtype", p.Types, Types); err != nil {
		return err
	}
	if len(p.Alphas) == 0 {
		return option.Errorf("alpha", "want at least one number above 0")
	}
	p.Alphas = slices.Sorted(slices.Values(p.Alphas))
	if p.Base.Axes > 3 {
		return option.Errorf("axes", "\"%d\": want 1, 2 or 3", p.Base.Axes)
	}
	if replicate := Borders[Replicate]; p.Base.Elliptic && all {
		p.Borders = slices.DeleteFunc(p.Borders, func(b string) bool { return b == replicate })
	} else if p.Base.Elliptic && slices.Contains(p.Borders, replicate) {
		return option.Errorf("border", "%s: elliptic heads attend to the nearest pixel in their own metric, "+
			"which is not replicate padding", replicate)
	}
	if slices.Contains(p.Borders, Interior) {
		for _, k := range p.Kernels {
			e := p.Base
			if e.Kernel = k; e.Span() > e.Size {
				return option.Errorf("size", "%d: a kernel of %d with dilation %d reads %d pixels, which do not fit",
					e.Size, k, e.Dilation, e.Span())
			}
		}
	}
	return nil
}

// BorderNames lists what Proof.Borders may have: Borders and Interior.
func BorderNames() []string { return append(slices.Clone(Borders), Interior) }

// chosen returns words, or known where they are All, and refuses others.
func chosen(key string, words, known []string) ([]string, error) {
	if slices.Equal(words, []string{All}) {
		return slices.Clone(known), nil
	}
	for _, word := range words {
		if !slices.Contains(known, word) {
			return nil, option.Choice(key, word, append(slices.Clone(known), All))
		}
	}
	return words, nil
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
func (p *Proof) Hard() float64 { return min(46, slices.Max(p.Alphas)) }

// Limit returns the largest relative error of e that counts as rounding: Tolerance or, without, 1e-6 in float32 and
// 1e-12 in float64, and more for sums of over 300 terms.
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

// Run resolves the proof, runs the experiments in parallel, and judges those with hard heads that lose nothing. The
// errors are those of Resolve and of Experiment.Run.
func (p *Proof) Run(ctx context.Context) ([]Judged, error) {
	if err := p.Resolve(); err != nil {
		return nil, err
	}
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

// Worst returns the judged experiment that is nearest to its limit, or farthest beyond it; ok is false if none is
// judged.
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
