package main

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/attnconv/attnconv/analyse"
)

// heads are measures of the Gaussian heads of a layer, far from borders: of exp(-α·‖δ - Δ‖²) over all shifts δ on the
// grid.
type heads struct {
	canonical float64 // share of the layer's canonical operator that is one convolution of at most 3 × 3
	profiles  float64 // number of profiles
	taps      float64 // heads with more than half of their attention at one shift
	overlap   float64 // what two heads have in common: the mean over pairs of Σ min(p, q), 0 to 1
	width     float64 // mean over heads of the distance in tokens, root mean square, of attention from its mean
	spread    float64 // standard deviation of the widths, as part of their mean
	shift     float64 // mean over heads of the length in tokens of their mean shift
}

// gaussianMeasures are the numbers of each layer with Gaussian heads.
var gaussianMeasures = []struct {
	name     string
	baseline bool // the same of heads before training
	over     func(id string, values []float64) Number
	of       func(heads) float64
}{
	{"canonical", false, fractionOverSeeds, func(h heads) float64 { return h.canonical }},
	{"profiles", false, overSeeds, func(h heads) float64 { return h.profiles }},
	{"taps", true, overSeeds, func(h heads) float64 { return h.taps }},
	{"overlap", true, fractionOverSeeds, func(h heads) float64 { return h.overlap }},
	{"width", true, overSeeds, func(h heads) float64 { return h.width }},
	{"width-spread", true, overSeeds, func(h heads) float64 { return h.spread }},
	{"shift", true, overSeeds, func(h heads) float64 { return h.shift }},
}

// A gaussian is a layer with Gaussian heads after and before training.
type gaussian struct{ after, before heads }

// gaussians measures layer i of all runs that kept its heads and Gram matrix.
func gaussians(list []*result, i int) (all []*gaussian, err error) {
	for _, r := range list {
		l, err := r.gaussian(i)
		if err != nil {
			return nil, fmt.Errorf("study %s, trial %s, layer %d: %w", r.Study, r.Trial, i+1, err)
		}
		if l != nil {
			all = append(all, l)
		}
	}
	return all, nil
}

// gaussianValue is a measure of trained Gaussian heads. It adds what goes wrong to err.
func gaussianValue(err *error, of func(heads) float64) func(*result, int) (float64, bool) {
	return func(r *result, i int) (float64, bool) {
		l, e := r.gaussian(i)
		if *err = errors.Join(*err, e); l == nil {
			return 0, false
		}
		return of(l.after), true
	}
}

// gaussian measures layer i once, if it has Gaussian heads whose Gram matrix was kept; else it returns nil.
func (r *result) gaussian(i int) (*gaussian, error) {
	if g, known := r.measured[i]; known {
		return g, nil
	}
	g, err := r.measureGaussian(i)
	if err == nil {
		if r.measured == nil {
			r.measured = map[int]*gaussian{}
		}
		r.measured[i] = g
	}
	return g, err
}

// measureGaussian is gaussian.
func (r *result) measureGaussian(i int) (*gaussian, error) {
	first, last := r.Heads["000"].Layers, r.Heads[fmt.Sprintf("%03d", len(r.Epochs))].Layers
	if r.Operator == nil || i >= len(r.Operator.Gram) || i >= len(last) || i >= len(first) {
		return nil, nil
	}
	gram := r.Operator.Gram[i]
	if len(last[i].Alpha) != len(gram) {
		return nil, fmt.Errorf("%d heads and a canonical_gram of %d", len(last[i].Alpha), len(gram))
	}
	var g gaussian
	profiles, err := last[i].measure(&g.after)
	if err != nil {
		return nil, err
	}
	if _, err = first[i].measure(&g.before); err != nil {
		return nil, err
	}
	o, err := last[i].operator(gram)
	if err != nil {
		return nil, err
	}
	shares, err := o.Shares(0)
	if err != nil {
		return nil, err
	}
	p, err := analyse.NewProfiles(profiles, o, 0)
	if err != nil {
		return nil, err
	}
	g.after.canonical, g.after.profiles = shares.Within(3), float64(p.Count)
	return &g, nil
}

// operator returns a layer of these heads with maps of a Gram matrix. Shares depend on the maps only by that matrix, so
// any maps with it do.
func (l layerHeads) operator(gram [][]float64) (*analyse.Operator, error) {
	var attention [][]float64
	for h, alpha := range l.Alpha {
		p, err := analyse.Gaussian(grid, l.Centers[h], precision(alpha))
		if err != nil {
			return nil, err
		}
		attention = append(attention, p)
	}
	return operatorOf(attention, gram)
}

// operatorOf returns a layer with these attention maps, and maps of a Gram matrix.
func operatorOf(attention, gram [][]float64) (*analyse.Operator, error) {
	maps, err := mapsWith(gram)
	if err != nil {
		return nil, err
	}
	return analyse.NewOperator(analyse.Layer{Grid: grid, In: 1, Out: len(gram), Maps: maps, Attention: attention,
		Epsilon: 0x1p-23})
}

// precision returns the precision matrix of a head with scores -α·‖δ - Δ‖².
func precision(alpha float64) [2][2]float64 { return [2][2]float64{{2 * alpha, 0}, {0, 2 * alpha}} }

// measure sets what depends on the heads only, and returns their profiles.
func (l layerHeads) measure(m *heads) (profiles []analyse.Profile, err error) {
	if len(l.Centers) != len(l.Alpha) {
		return nil, fmt.Errorf("%d centers and %d alpha: want one for each head", len(l.Centers), len(l.Alpha))
	}
	var shifts [][]float64 // of each head: its attention to each shift
	var widths []float64
	for h, alpha := range l.Alpha {
		attention, err := analyse.Gaussian(grid, l.Centers[h], precision(alpha))
		if err != nil {
			return nil, err
		}
		m.shift += meanShift(grid, attention) / float64(len(l.Alpha))
		p, err := analyse.GaussianProfile(grid, l.Centers[h], precision(alpha))
		if err != nil {
			return nil, err
		}
		profiles = append(profiles, p) // around its own center
		if p, err = analyse.ScoreProfile(grid, scores(l.Centers[h], alpha)); err != nil {
			return nil, err
		}
		if p.Tap != nil {
			m.taps++
		}
		shifts, widths = append(shifts, p.P), append(widths, p.Width)
	}
	pairs := 0
	for h := range shifts {
		for k := range h {
			for i, p := range shifts[h] {
				m.overlap += min(p, shifts[k][i])
			}
			pairs++
		}
	}
	if pairs > 0 {
		m.overlap /= float64(pairs)
		mean, std := stat.MeanStdDev(widths, nil)
		if m.width = mean; mean > 0 {
			m.spread = std / mean
		}
	}
	return profiles, nil
}

// meanShift is ‖Σ P(q, k)·(k - q)‖ / tokens over all queries q and keys k on the grid, in tokens: 0 for a head that
// attends to all tokens alike.
func meanShift(g analyse.Grid, attention []float64) float64 {
	var rows, columns float64
	tokens, side := g.Tokens(), g.Cols
	for i, p := range attention {
		q, k := i/tokens, i%tokens
		rows += p * float64(k/side-q/side)
		columns += p * float64(k%side-q%side)
	}
	return math.Hypot(rows, columns) / float64(tokens)
}

// scores returns -α·‖δ - Δ‖² of each shift δ on the grid.
func scores(center [2]float64, alpha float64) (all []float64) {
	for row := 1 - grid.Rows; row < grid.Rows; row++ {
		for column := 1 - grid.Cols; column < grid.Cols; column++ {
			y, x := float64(row)-center[0], float64(column)-center[1]
			all = append(all, -alpha*(y*y+x*x))
		}
	}
	return all
}

// mapsWith returns vectors with a Gram matrix: the rows of E·√Λ for its eigenvectors E and eigenvalues Λ.
func mapsWith(gram [][]float64) (maps [][]float64, err error) {
	n := len(gram)
	g := mat.NewSymDense(n, nil)
	for i, row := range gram {
		if len(row) != n {
			return nil, fmt.Errorf("canonical_gram: row %d has %d values, want %d", i+1, len(row), n)
		}
		for j := i; j < n; j++ {
			if v := row[j]; v-v != 0 || math.Abs(v-gram[j][i]) > 1e-6*(1+math.Abs(v)) {
				return nil, fmt.Errorf("canonical_gram: element (%d, %d) is %v: want a symmetric matrix of finite numbers",
					i+1, j+1, v)
			}
			g.SetSym(i, j, row[j])
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(g, true) {
		return nil, fmt.Errorf("canonical_gram: its eigenvalues were not found")
	}
	var e mat.Dense
	eigen.VectorsTo(&e)
	for h := range n {
		row := make([]float64, n)
		for k, v := range eigen.Values(nil) {
			row[k] = e.At(h, k) * math.Sqrt(max(0, v))
		}
		maps = append(maps, row)
	}
	return maps, nil
}
