package analyse

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A Geometry is where a head's attention is, from its distribution of shifts π(δ) = N_δ·p̄(δ)/T. Lengths are in tokens.
type Geometry struct {
	Center   [2]float64 `json:"center"`    // Σ π(δ)·δ: row, column
	Radius   float64    `json:"radius"`    // root mean square of ‖δ - center‖
	Half     float64    `json:"half"`      // least radius around the center that has half of the attention
	Peak     Shift      `json:"peak"`      // the shift of the largest p̄
	PeakMean float64    `json:"peak_mean"` // p̄ there, of the shifts with |δ₁| < n/2 and |δ₂| < m/2
	Distance float64    `json:"distance"`  // Σ π(δ)·‖δ‖: the attention distance of ViT, the non-locality of ConViT
}

// Geometry returns that of each head. A row that adds up to less than 1 counts by what it has.
func (o *Operator) Geometry() []Geometry {
	g := o.Layer.Grid
	shifts := g.Shifts()
	all := make([]Geometry, len(o.Layer.Attention))
	for h := range all {
		pi, sum := make([]float64, len(shifts)), 0.0
		for i := range shifts {
			pi[i] = o.whole.pairs[i] * o.whole.mean[h][i]
			sum += pi[i]
		}
		for i := range pi {
			pi[i] /= max(sum, math.SmallestNonzeroFloat64)
		}
		all[h] = geometryOf(shifts, pi)
		for _, s := range taps(g) {
			if v := o.Weight(h, s); v > all[h].PeakMean {
				all[h].Peak, all[h].PeakMean = s, v
			}
		}
	}
	return all
}

func geometryOf(shifts []Shift, pi []float64) (m Geometry) {
	for i, s := range shifts {
		m.Center[0] += pi[i] * float64(s[0])
		m.Center[1] += pi[i] * float64(s[1])
		m.Distance += pi[i] * s.Length()
	}
	order, away := make([]int, len(shifts)), make([]float64, len(shifts))
	for i, s := range shifts {
		order[i], away[i] = i, math.Hypot(float64(s[0])-m.Center[0], float64(s[1])-m.Center[1])
		m.Radius += pi[i] * away[i] * away[i]
	}
	m.Radius = math.Sqrt(m.Radius)
	slices.SortStableFunc(order, func(i, j int) int { return compare(away[i], away[j]) })
	sum := 0.0
	for _, i := range order {
		if sum += pi[i]; sum >= 0.5-1e-12 {
			m.Half = away[i]
			break
		}
	}
	return m
}

func compare(a, b float64) int { return btoi(a > b) - btoi(a < b) }

// taps lists the shifts that a head may be a tap of: |δ₁| < n/2 and |δ₂| < m/2. A wide head far outside of the grid has
// nearly all of its attention on the one pair of a corner, and p̄ there says nothing.
func taps(g Grid) (all []Shift) {
	for _, s := range g.Shifts() {
		if 2*abs(s[0]) < g.Rows && 2*abs(s[1]) < g.Cols {
			all = append(all, s)
		}
	}
	return all
}

// TapScore returns Lemma 1's premise as a value in 0..1, and its f: S = max over injective f from heads to shifts of
// Σ_h p̄_h(f(h)) / min(H, number of shifts). S is 1 if and only if every head is a tap of its own; of more heads than
// shifts, if every shift has a head that is its tap. A head without a shift of its own has ok false.
func (o *Operator) TapScore() (score float64, f []Shift, ok []bool) {
	shifts, heads := taps(o.Layer.Grid), len(o.Layer.Attention)
	f, ok = make([]Shift, heads), make([]bool, heads)
	gain := make([][]float64, heads)
	for h := range gain {
		for _, s := range shifts {
			gain[h] = append(gain[h], o.Weight(h, s))
		}
	}
	if heads > len(shifts) {
		gain = transposed(gain)
	}
	for i, j := range assign(gain) {
		h, s := i, j
		if heads > len(shifts) {
			h, s = j, i
		}
		f[h], ok[h] = shifts[s], true
		score += gain[i][j]
	}
	return score / float64(min(heads, len(shifts))), f, ok
}

func transposed(x [][]float64) [][]float64 {
	y := make([][]float64, len(x[0]))
	for j := range y {
		for i := range x {
			y[j] = append(y[j], x[i][j])
		}
	}
	return y
}

// A Leverage is what the heads can express, beside the use that Shares measure.
type Leverage struct {
	Rank int               // of p̄, (shifts, heads)
	Of   map[Shift]float64 // s_δ in 0..1; they add up to Rank
}

// Leverage returns s_δ = Π_δδ, with Π the projector on the columns of a = p̄_h(δ), (shifts, heads). s_δ is 1 if and
// only if a combination of the heads has δ alone as its mean by shift: for position-only heads on a torus, whose shifts
// count modulo the grid, and unrestricted W_h, s = 1 on Δ if and only if they can be every convolution on Δ.
func (o *Operator) Leverage() Leverage {
	shifts := o.Layer.Grid.Shifts()
	u, rank := o.columns()
	l := Leverage{Rank: rank, Of: make(map[Shift]float64, len(shifts))}
	for i, s := range shifts {
		sum := 0.0
		for j := range rank {
			sum += u.At(i, j) * u.At(i, j)
		}
		l.Of[s] = min(1, sum)
	}
	return l
}

// columns returns an orthonormal basis of the columns of p̄, the first rank columns of u.
func (o *Operator) columns() (u *mat.Dense, rank int) {
	shifts, heads := len(o.Layer.Grid.Shifts()), len(o.Layer.Attention)
	a := mat.NewDense(shifts, heads, nil)
	for h, mean := range o.whole.mean {
		a.SetCol(h, mean)
	}
	var d mat.SVD
	u = new(mat.Dense)
	if !d.Factorize(a, mat.SVDThinU) { // of finite values, which Check wants, it converges
		return u, 0
	}
	d.UTo(u)
	values := d.Values(nil)
	for _, v := range values {
		rank += btoi(v > float64(max(shifts, heads))*max(o.Layer.Epsilon, 0x1p-52)*values[0])
	}
	return u, rank
}

// A Rank is the singular values of the kernel as a matrix M[δ, (i,o)] = Ŵ_δ[i,o], of shifts and channels.
type Rank struct {
	Effective float64   `json:"effective"` // participation ratio (Σσ²)² / Σσ⁴, from 1 to the rank
	For90     int       `json:"for_90"`    // singular values with 90 % of Σσ²
	For99     int       `json:"for_99"`    // singular values with 99 % of Σσ²
	Values    []float64 `json:"values"`    // σ, descending; as many as heads at most
}

// Rank returns the singular values of Ŵ, over all shifts. M = a·V with a of shifts × heads and V the maps, so σ² are
// the eigenvalues of V'ᵀ·aᵀa·V', (H, H), for any root V'V'ᵀ of the maps' inner products.
func (o *Operator) Rank() (r Rank) {
	heads := len(o.Layer.Maps)
	var d mat.EigenSym
	if !d.Factorize(mat.NewSymDense(heads, slices.Clone(o.values)), true) {
		return r
	}
	var root, b, c mat.Dense
	d.VectorsTo(&root)
	for j, v := range d.Values(nil) {
		for i := range heads {
			root.Set(i, j, root.At(i, j)*math.Sqrt(max(0, v)))
		}
	}
	b.Mul(mat.NewDense(heads, heads, grams(o.whole.mean, 1)), &root)
	c.Mul(root.T(), &b)
	m := mat.NewSymDense(heads, nil)
	for i := range heads {
		for j := i; j < heads; j++ {
			m.SetSym(i, j, (c.At(i, j)+c.At(j, i))/2)
		}
	}
	if !d.Factorize(m, false) {
		return r
	}
	squares := d.Values(nil)
	slices.Reverse(squares)
	var sum, fourth float64
	for i, v := range squares {
		squares[i] = max(0, v)
		sum, fourth = sum+squares[i], fourth+squares[i]*squares[i]
		r.Values = append(r.Values, o.unit*math.Sqrt(squares[i]))
	}
	r.Effective = sum * sum / max(fourth, math.SmallestNonzeroFloat64)
	r.For90, r.For99 = enough(squares, 0.9*sum), enough(squares, 0.99*sum)
	return r
}

// enough counts the first values that add up to want, to rounding.
func enough(values []float64, want float64) int {
	sum := 0.0
	for i, v := range values {
		if sum += v; sum >= want*(1-1e-12) {
			return i + 1
		}
	}
	return len(values)
}
