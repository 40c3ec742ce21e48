package analyse

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/attnconv/attnconv/posenc/geometry"
)

// An Operator is a layer with its projection on the convolutions.
type Operator struct {
	Layer  Layer
	unit   float64     // a power of two near the largest element of the maps, so that no square overflows
	values []float64   // ⟨W_h, W_g⟩ / unit², (H, H)
	whole  *part       // all queries
	look   [][]float64 // where heads look, by head and Grid.Index
}

// A part is the projection of some rows of the operator.
type part struct {
	pairs []float64   // N_δ of these queries, by Grid.index
	mean  [][]float64 // p̄_h(δ) = Σ_q P^h_{q,q+δ} / N_δ, by head
	total float64     // ‖L‖² / unit²
	rings []float64   // e(Δ_K) - e(Δ_{K-2}), from K = 1 on
	conv  float64     // e(all shifts)
}

// Shares are the parts of ‖L‖², which add up to 1: what a 1 × 1 convolution has, what 3 × 3 adds to it, and so on, what
// a convolution larger than 7 × 7 adds, and what no convolution has, since it depends on the place.
type Shares struct {
	K1     float64 `json:"k1"`     // a 1 × 1 convolution
	K3     float64 `json:"k3"`     // what 3 × 3 adds
	K5     float64 `json:"k5"`     // what 5 × 5 adds
	K7     float64 `json:"k7"`     // what 7 × 7 adds
	Larger float64 `json:"larger"` // what larger convolutions add
	Place  float64 `json:"place"`  // what depends on the place
}

// List returns the shares in their order.
func (s Shares) List() []float64 { return []float64{s.K1, s.K3, s.K5, s.K7, s.Larger, s.Place} }

// Within returns the share of the nearest K × K convolution, for 1, 3, 5 and 7; for a larger k, that of all
// convolutions.
func (s Shares) Within(k int) float64 {
	sum := 0.0
	for i, v := range s.List() {
		if 2*i+1 <= k && i < 5 {
			sum += v
		}
	}
	return sum
}

// NewOperator projects a layer, and returns an *Error for one that cannot be measured, or whose operator is zero. It
// takes H²·(T² + in·out) multiplications and keeps no copy of the layer's arrays.
func NewOperator(l Layer) (*Operator, error) {
	if err := l.Check(); err != nil {
		return nil, err
	}
	unit := unitOf(l.Maps)
	o := &Operator{Layer: l, unit: unit, values: grams(l.Maps, unit)}
	o.whole = o.project(l.Grid.Inside(0), l.Attention)
	if o.whole.total <= 0 {
		return nil, wrong("maps", "the operator is zero")
	}
	o.look = o.looks(l.Grid.Inside(0), o.whole)
	return o, nil
}

// unitOf returns a power of two near the largest element, by which division is exact.
func unitOf(maps [][]float64) float64 {
	largest := 0.0
	for _, m := range maps {
		for _, v := range m {
			largest = max(largest, math.Abs(v))
		}
	}
	_, exponent := math.Frexp(largest)
	return math.Ldexp(1, max(-1000, min(1000, exponent)))
}

// grams returns the inner products of rows in a unit, (rows, rows).
func grams(x [][]float64, unit float64) []float64 {
	n, per := len(x), 1/unit
	g := make([]float64, n*n)
	for i := range x {
		for j := range i + 1 {
			sum := 0.0
			for k, v := range x[i] {
				sum += v * per * (x[j][k] * per)
			}
			g[i*n+j] = sum
			g[j*n+i] = g[i*n+j]
		}
	}
	return g
}

// project is the projection for queries. The S_δ have disjoint supports, so they are orthogonal with ‖S_δ‖² = N_δ, and
// the nearest kernel is the mean along diagonals:
//
//	e(Δ) = Σ_{δ∈Δ} N_δ·Σ_hg p̄_h(δ)·p̄_g(δ)·⟨W_h, W_g⟩
func (o *Operator) project(queries []int, attention [][]float64) *part {
	g, n := o.Layer.Grid, o.Layer.Grid.Tokens()
	p := o.means(queries, attention)
	heads := len(attention)
	for i := range heads {
		for j := range i + 1 {
			sum := 0.0
			for _, q := range queries {
				sum += dot(attention[i][q*n:(q+1)*n], attention[j][q*n:(q+1)*n])
			}
			p.total += float64(2-btoi(i == j)) * sum * o.values[i*heads+j]
		}
	}
	p.rings = make([]float64, (g.Side()+1)/2)
	for _, s := range g.Shifts() {
		at := g.Index(s)
		p.rings[s.Side()/2] += p.pairs[at] * o.energy(p.mean, at)
	}
	p.sum()
	return p
}

// sum adds up the rings, of which rounding makes none negative.
func (p *part) sum() {
	for i, e := range p.rings {
		p.rings[i] = max(0, e)
		p.conv += p.rings[i]
	}
}

// means has the pairs and p̄ of project alone.
func (o *Operator) means(queries []int, attention [][]float64) *part {
	g, n := o.Layer.Grid, o.Layer.Grid.Tokens()
	p := &part{pairs: make([]float64, len(g.Shifts())), mean: make([][]float64, len(attention))}
	for h := range attention {
		p.mean[h] = make([]float64, len(p.pairs))
	}
	for _, q := range queries {
		for k := range n {
			at := g.Index(g.Shift(q, k))
			p.pairs[at]++
			for h := range attention {
				p.mean[h][at] += attention[h][q*n+k]
			}
		}
	}
	for h := range p.mean {
		for at, pairs := range p.pairs {
			if pairs > 0 {
				p.mean[h][at] /= pairs
			}
		}
	}
	return p
}

// looks returns where heads look: p̄ of a part of the queries or, of a layer that is Prefixed, what it is given that
// the key is on the grid, Σ_q P^h_{q,q+δ} / Σ_q Σ_k P^h_qk over the queries for which q + δ is on the grid.
func (o *Operator) looks(queries []int, p *part) [][]float64 {
	if !o.Layer.Prefixed {
		return p.mean
	}
	g, n := o.Layer.Grid, o.Layer.Grid.Tokens()
	all := make([][]float64, len(p.mean))
	for h, mean := range p.mean {
		on := make([]float64, len(p.pairs)) // Σ_q Σ_k P^h_qk
		for _, q := range queries {
			sum := floats.Sum(o.Layer.Attention[h][q*n : (q+1)*n])
			for k := range n {
				on[g.Index(g.Shift(q, k))] += sum
			}
		}
		all[h] = make([]float64, len(mean))
		for at, v := range mean {
			if on[at] > 0 {
				all[h][at] = v * p.pairs[at] / on[at]
			}
		}
	}
	return all
}

// energy is ‖Ŵ_δ‖².
func (o *Operator) energy(mean [][]float64, at int) (sum float64) {
	for h := range mean {
		if mean[h][at] == 0 {
			continue
		}
		for g := range mean {
			sum += mean[h][at] * mean[g][at] * o.values[h*len(mean)+g]
		}
	}
	return sum
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (p *part) shares() (s Shares) {
	var ring [5]float64
	for i, e := range p.rings {
		ring[min(i, 4)] += e
	}
	norm := max(p.total, p.conv) // they differ by rounding where all is a convolution
	s = Shares{ring[0] / norm, ring[1] / norm, ring[2] / norm, ring[3] / norm, ring[4] / norm, 0}
	s.Place = max(0, 1-p.conv/norm)
	return s
}

// margin returns the projection for the queries so far from the borders.
func (o *Operator) margin(margin int) (*part, error) {
	if margin == 0 {
		return o.whole, nil
	}
	queries, err := queriesInside(o.Layer.Grid, margin)
	if err != nil {
		return nil, err
	}
	p := o.project(queries, o.Layer.Attention)
	if p.total <= 0 {
		return nil, wrong("margin", "%d: the operator is zero for these queries", margin)
	}
	return p, nil
}

// Shares returns the parts of ‖L‖² for the queries that are margin tokens or more from every border; 0 is all. A layer
// that replicates its edges, or renormalizes at them, is no convolution with zero borders there.
func (o *Operator) Shares(margin int) (Shares, error) {
	p, err := o.margin(margin)
	if err != nil {
		return Shares{}, err
	}
	return p.shares(), nil
}

// Interior returns the share of the nearest K × K convolution for the queries whose K × K neighborhood lies on the
// grid. k is odd, and may be larger than 7. Each K has queries of its own, so interior shares do not add up.
func (o *Operator) Interior(k int) (float64, error) {
	if k < 1 || k%2 == 0 {
		return 0, wrong("k", "%d: want an odd number", k)
	}
	p, err := o.margin(k / 2)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for i := range min(k/2+1, len(p.rings)) {
		sum += p.rings[i]
	}
	return sum / max(p.total, p.conv), nil
}

// Norm returns ‖L‖².
func (o *Operator) Norm() float64 { return o.whole.total * o.unit * o.unit }

// Reach returns K₉₀ for fraction 0.9: the least K whose K × K has so much of the energy of the layer's nearest
// convolution, 0 if that is zero.
func (o *Operator) Reach(fraction float64) int {
	sum := 0.0
	for i, e := range o.whole.rings {
		if sum += e; sum > 0 && sum >= fraction*o.whole.conv*(1-1e-12) {
			return 2*i + 1
		}
	}
	return 0
}

// MeanByShift returns p̄_h(δ) = N_δ⁻¹·Σ_q P^h_{q,q+δ} of a head, 0 for a shift that the grid does not have. Heads
// count from 0.
func (o *Operator) MeanByShift(head int, s Shift) float64 {
	if o.Layer.Grid.Pairs(s) == 0 || head < 0 || head >= len(o.whole.mean) {
		return 0
	}
	return o.whole.mean[head][o.Layer.Grid.Index(s)]
}

// Weight returns the mean weight that a head gives to a shift that the grid has: p̄_h(δ) or, of a layer that is
// Prefixed, what it is given that the key is on the grid. Heads count from 0.
func (o *Operator) Weight(head int, s Shift) float64 { return o.look[head][o.Layer.Grid.Index(s)] }

// A Kernel is a convolution: a map for each shift.
type Kernel struct {
	In, Out int
	Shifts  []Shift
	Maps    [][]float64 // W_δ of each shift, (In, Out)
	Bias    []float64   // (Out); nil: none
}

// Kernel returns Ŵ_δ = Σ_h p̄_h(δ)·W_h for the shifts of Δ_K on the grid, in the order of Square: the K × K convolution
// with zero borders that is nearest to the layer. For an odd k that is not positive, it is the largest.
func (o *Operator) Kernel(k int) Kernel {
	l := o.Layer
	if k < 1 || k > l.Grid.Side() {
		k = l.Grid.Side()
	}
	w := Kernel{In: l.In, Out: l.Out}
	for _, s := range geometry.Square(k) {
		if l.Grid.Pairs(s) > 0 {
			w.Shifts, w.Maps = append(w.Shifts, s), append(w.Maps, o.addMap(make([]float64, l.In*l.Out), s))
		}
	}
	return w
}

// addMap adds Ŵ_δ to m, (In, Out).
func (o *Operator) addMap(m []float64, s Shift) []float64 {
	for h, w := range o.Layer.Maps {
		if p := o.MeanByShift(h, s); p != 0 {
			for i, v := range w {
				m[i] += p * v
			}
		}
	}
	return m
}

// KernelNorms returns the Frobenius norm of each map of the largest Kernel, without these maps.
func (o *Operator) KernelNorms() map[Shift]float64 {
	norms := map[Shift]float64{}
	for _, s := range o.Layer.Grid.Shifts() {
		norms[s] = o.unit * math.Sqrt(max(0, o.energy(o.whole.mean, o.Layer.Grid.Index(s))))
	}
	return norms
}
