package theorem

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A Fit is a least-squares fit of a kernel's shifts by the attention of heads: E ≈ A·Φ, where column h of A is head h's
// attention for all queries and keys, and column t of E has a one for each query and the key that entry t of the kernel
// selects.
type Fit struct {
	Phi       *mat.Dense // Φ (heads, entries)
	Residual  float64    // ‖E - A·Φ‖ / ‖E‖
	Rank      int        // of A
	Condition float64    // of A: its largest singular value over its smallest nonzero one
}

// FromConvWith returns the layer with the given heads, hard or soft, that is nearest to the convolution c on images of
// the given size: W_h = Σ_t Φ[h,t]·W_t, with Φ from one least-squares problem over all queries. It is the convolution
// itself if the residual is zero (the generalized lemma of the paper's appendix). One problem per query would not do: Φ
// must be the same for all queries.
//
// Heads whose attention is an invertible mixture of the shifts have residual zero at finite α, where the softmax still
// has a gradient. Windowed restricts heads to the kernel's shifts.
func FromConvWith[F Float](c *Conv[F], heads []Head[F], size []int) (*Layer[F], Fit, error) {
	if err := c.Validate(); err != nil {
		return nil, Fit{}, err
	}
	if len(size) != c.Axes() {
		return nil, Fit{}, fmt.Errorf("want images of %d axes, as the kernel has, got the size %v", c.Axes(), size)
	}
	if i := slices.Index(heads, nil); i >= 0 {
		return nil, Fit{}, fmt.Errorf("head %d of %d is nil", i, len(heads))
	}
	if len(heads) == 0 || Volume(c.OutSize(size)) == 0 {
		return nil, Fit{}, fmt.Errorf("want at least one head and one output, got %d heads and outputs of %v",
			len(heads), c.OutSize(size))
	}
	l := &Layer[F]{Geometry: c.Geometry, In: c.In, Out: c.Out, Heads: heads, Bias: c.Bias}
	a, e := l.patterns(size)
	fit := Solve(a, e)
	for h := range heads {
		w := make([]F, c.In*c.Out)
		for t := range c.Entries() {
			phi := F(fit.Phi.At(h, t))
			for i, v := range c.Matrix(t) {
				w[i] += phi * v
			}
		}
		l.Weights = append(l.Weights, w)
	}
	return l, fit, nil
}

// OnTaps returns the fit of a k × k kernel by k² heads with centers on its shifts, which see only these shifts. Its
// residual is zero up to rounding. With zeros around an image, and keys with zero channels there, the heads have the
// same weights for every query, so the layer is the convolution at any alpha.
func OnTaps(k int, alpha float64) Fit {
	c := &Conv[float64]{Geometry: Geometry{Kernel: []int{k, k}}, In: 1, Out: 1, Weight: make([]float64, k*k)}
	var heads []Head[float64]
	for _, shift := range c.Shifts() {
		head := Gaussian[float64]{Center: []float64{float64(shift[0]), float64(shift[1])}, Alpha: alpha}
		heads = append(heads, Windowed[float64](head, c.Shifts()))
	}
	_, fit, err := FromConvWith(c, heads, []int{k, k})
	if err != nil {
		panic(err) // unreachable: the convolution is well-formed
	}
	return fit
}

// Matrices sets one element of the matrix of every head, W_h = Σ_t Φ[h,t]·W_t, from that of every entry.
func (f *Fit) Matrices(heads, entries []float32) {
	for h := range heads {
		var sum float64
		for t, w := range entries {
			sum += f.Phi.At(h, t) * float64(w)
		}
		heads[h] = float32(sum)
	}
}

// Values is Matrices for all elements: of a kernel (out, in, entries) for values (out, heads·in), head-major.
func (f *Fit) Values(values, kernel []float32, in int) {
	heads, entries := f.Phi.Dims()
	w := make([]float32, heads)
	for i := 0; i*entries < len(kernel); i++ {
		f.Matrices(w, kernel[i*entries:][:entries])
		for h, v := range w {
			values[(i/in*heads+h)*in+i%in] = v
		}
	}
}

// patterns returns A and E without the rows in which both are zero.
func (l *Layer[F]) patterns(size []int) (a, e *mat.Dense) {
	origin, keyed := l.keyMap(size)
	type pair struct{ q, k int }
	rows := map[pair]int{}
	var head, entry []float64 // rows of A and of E
	row := func(p pair) int {
		r, ok := rows[p]
		if !ok {
			r = len(rows)
			rows[p] = r
			head = append(head, make([]float64, len(l.Heads))...)
			entry = append(entry, make([]float64, l.Entries())...)
		}
		return r
	}
	l.Attend(size, func(h, q int, _ []int, p []F) {
		for k, w := range p {
			if w != 0 {
				head[row(pair{q, k})*len(l.Heads)+h] = float64(w)
			}
		}
	})
	key := make([]int, len(size))
	for t, shift := range l.Shifts() {
		q := 0
		for out := range Positions(l.OutSize(size)) {
			for i, at := range l.Query(out) {
				key[i] = at + shift[i] + origin[i]
			}
			if k, inside := l.Border.Resolve(keyed, key); inside {
				entry[row(pair{q, k})*l.Entries()+t]++
			}
			q++
		}
	}
	return mat.NewDense(len(rows), len(l.Heads), head), mat.NewDense(len(rows), l.Entries(), entry)
}

// Solve minimizes ‖E - A·Φ‖ by the singular value decomposition of A; singular values of the size of rounding errors
// count as zero.
func Solve(a, e *mat.Dense) Fit {
	u, s, v := Singular(a)
	rows, _ := a.Dims()
	fit := Fit{Phi: new(mat.Dense)}
	var ue mat.Dense
	ue.Mul(u.T(), e)
	for i, scale := range s {
		if scale <= s[0]*float64(rows)*0x1p-53 {
			clear(ue.RawRowView(i))
			continue
		}
		fit.Rank, fit.Condition = i+1, s[0]/scale
		for j := range ue.RawRowView(i) {
			ue.RawRowView(i)[j] /= scale
		}
	}
	fit.Phi.Mul(v, &ue)
	var residual mat.Dense
	residual.Mul(a, fit.Phi)
	residual.Sub(e, &residual)
	fit.Residual = mat.Norm(&residual, 2) / mat.Norm(e, 2)
	return fit
}

// FromConvRank returns a layer that is the convolution c with few heads: r or r + 1 for a kernel whose unfolding, one
// row per entry, has rank r. No layer has fewer than r. One head attends uniformly to the kernel's pixels; each of the
// others deviates from that along one singular direction of the centered unfolding. The softmax is over the kernel's
// pixels only, so the border cannot be Replicate, nor a torus smaller than the kernel.
func FromConvRank[F Float](c *Conv[F]) (l *Layer[F], rank int, err error) {
	if err := c.Validate(); err != nil {
		return nil, 0, err
	}
	if c.Border == Replicate {
		return nil, 0, fmt.Errorf("want zero or circular padding, or none; got replicate padding")
	}
	n, shifts := c.Entries(), c.Shifts()
	unfolded := c.Unfold()
	rank = Significant(unfolded)
	sum := make([]float64, c.In*c.Out)
	for i := range sum {
		sum[i] = mat.Sum(unfolded.ColView(i))
		for t := range n {
			unfolded.Set(t, i, unfolded.At(t, i)-sum[i]/float64(n))
		}
	}
	l = &Layer[F]{Geometry: c.Geometry, In: c.In, Out: c.Out, Bias: c.Bias}
	u, s, v := Singular(unfolded)
	for r := range Significant(unfolded) {
		u := mat.Col(nil, r, u)
		step := 1 / (2 * float64(n) * math.Max(mat.Max(mat.NewVecDense(n, u)), -mat.Min(mat.NewVecDense(n, u))))
		head, w := Table[F]{Shifts: shifts}, make([]F, len(sum))
		for _, d := range u {
			head.Scores = append(head.Scores, F(math.Log(1/float64(n)+step*d)))
		}
		for i := range w {
			exact := s[r] * v.At(i, r) / step
			w[i] = F(exact)
			sum[i] -= exact
		}
		l.Heads, l.Weights = append(l.Heads, head), append(l.Weights, w)
	}
	l.Heads = append(l.Heads, Table[F]{Shifts: shifts, Scores: make([]F, n)})
	last := make([]F, len(sum))
	for i, v := range sum {
		last[i] = F(v)
	}
	l.Weights = append(l.Weights, last)
	return l, rank, nil
}

// Unfold returns the kernel as a matrix (entries, in·out).
func (c *Conv[F]) Unfold() *mat.Dense {
	m := mat.NewDense(c.Entries(), c.In*c.Out, nil)
	for t := range c.Entries() {
		for i, w := range c.Matrix(t) {
			m.Set(t, i, float64(w))
		}
	}
	return m
}

// Significant returns the number of singular values above the rounding errors of float32 weights.
func Significant(m *mat.Dense) int {
	_, s, _ := Singular(m)
	for r, v := range s {
		if v <= 1e-6*s[0] || v == 0 {
			return r
		}
	}
	return len(s)
}

// ToConv returns the convolution with l's geometry that is nearest to l as a linear operator on images of the given
// size (in Frobenius norm), and ‖l - conv‖ / ‖l‖. Its W_δ is Σ_h Ψ[δ,h]·W_h for the Ψ that minimizes ‖E·Ψ - A‖: the
// mean of p_h(δ) over the queries, unless several shifts select the same key at a border.
func ToConv[F Float](l *Layer[F], size []int) (c *Conv[F], residual float64) {
	a, e := l.patterns(size)
	psi := Solve(e, a).Phi // (entries, heads)
	c = &Conv[F]{Geometry: l.Geometry, In: l.In, Out: l.Out, Bias: l.Bias, Weight: make([]F, l.In*l.Out*l.Entries())}
	for t := range l.Entries() {
		for h, w := range l.Weights {
			for i := range l.In {
				for o := range l.Out {
					c.Weight[(o*l.In+i)*l.Entries()+t] += F(psi.At(t, h)) * w[i*l.Out+o]
				}
			}
		}
	}
	var off mat.Dense
	off.Mul(e, psi)
	off.Sub(a, &off)
	return c, math.Sqrt(max(0, l.Square(&off)) / l.Square(a))
}

// Square returns the squared norm of the operator Σ_h P_h ⊗ W_h, for attention P_h in the columns of p.
func (l *Layer[F]) Square(p *mat.Dense) (sum float64) {
	var gram mat.Dense
	gram.Mul(p.T(), p)
	for h, w := range l.Weights {
		for g, v := range l.Weights {
			var dot float64
			for i := range w {
				dot += float64(w[i]) * float64(v[i])
			}
			sum += gram.At(h, g) * dot
		}
	}
	return sum
}
