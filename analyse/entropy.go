package analyse

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/attnconv/attnconv/internal/kernel/threads"
)

// Attention accumulates attention over images: its mean, and the entropies that the mean loses. A layer that scores by
// position alone is added once.
type Attention struct {
	Grid   Grid
	Images int
	// MeanOnly leaves out the entropies, for which Chain then has no values: a third of the time.
	MeanOnly bool
	// Padded says that rows may add up to less than 1, as those of a Layer. It leaves out the entropies, too.
	Padded bool
	// Prefixed says that rows may add up to less than 1, as those of a Layer. Entropies are then of the distribution
	// given that the key is on the grid, in which a query of an image weighs as much as the sum of its row.
	Prefixed bool
	sum      [][]float64 // Σ_X P^h, (T, T)
	blur     [][]float64 // Σ_X of the sum of a row times its entropy divided by that sum, (T)
	mutual   []float64   // Σ_X I(q;k)/√(H(q)·H(k)) of a head
	products products
}

// NewAttention returns an empty sum for heads of a grid.
func NewAttention(g Grid, heads int) (*Attention, error) {
	if err := check(g); err != nil {
		return nil, err
	}
	if n := g.Tokens(); heads < 1 || heads > maxHeads || heads > maxValues/(n*n) {
		return nil, wrong("heads", "%d of %d tokens: want 1 to %d", heads, n, min(maxHeads, maxValues/(n*n)))
	}
	a := &Attention{Grid: g, sum: make([][]float64, heads), blur: make([][]float64, heads),
		mutual: make([]float64, heads), products: newProducts(g, heads)}
	for h := range heads {
		a.sum[h], a.blur[h] = make([]float64, g.Tokens()*g.Tokens()), make([]float64, g.Tokens())
	}
	return a, nil
}

// Add adds the attention of one image, (T, T) for each head. Rows are normalized to add up to 1, unless they are
// padded or prefixed.
func (a *Attention) Add(attention [][]float64) error {
	if len(attention) != len(a.sum) {
		return wrong("attention", "%d heads, want %d", len(attention), len(a.sum))
	}
	if err := checkAttention(a.Grid, attention, a.Padded || a.Prefixed); err != nil {
		return err
	}
	a.products.fold()
	a.Images++
	threads.Parallel(len(attention), func(h int) { a.add(h, attention[h]) })
	a.products.pending = true
	return nil
}

// AddFloat32 is Add for one slice of all heads, (H, T, T), as heads.Scores.Weights has it.
func (a *Attention) AddFloat32(attention []float32) error {
	n := a.Grid.Tokens()
	if len(attention) != len(a.sum)*n*n {
		return wrong("attention", "%d elements, want %d heads of %d × %d tokens", len(attention), len(a.sum), n, n)
	}
	heads := make([][]float64, len(a.sum))
	for h := range heads {
		heads[h] = make([]float64, n*n)
		for i := range heads[h] {
			heads[h][i] = float64(attention[h*n*n+i])
		}
	}
	return a.Add(heads)
}

func (a *Attention) add(h int, p []float64) {
	n := a.Grid.Tokens()
	keys, mean := make([]float64, n), 0.0 // P(k) and E_q H(P_q), of this image
	on := make([]float64, n)              // what each query has on the grid
	for q := range n {
		row, sum := a.products.now[h][q*n:(q+1)*n], 0.0
		for k, v := range p[q*n : (q+1)*n] {
			row[k] = max(0, v)
			sum += row[k]
		}
		if on[q] = sum; !a.Padded && !a.Prefixed {
			on[q] = 1
			for k := range row {
				row[k] /= sum
			}
		}
		floats.Add(a.sum[h][q*n:(q+1)*n], row)
		if a.MeanOnly || a.Padded {
			continue
		}
		for k, v := range row {
			keys[k] += v / float64(n)
		}
		e := on[q] * entropy(row, on[q])
		a.blur[h][q] += e
		mean += e / float64(n)
	}
	if a.MeanOnly || a.Padded {
		return
	}
	all, queries := 1.0, math.Log2(float64(n)) // of a row, and H(q)
	if a.Prefixed {
		all = floats.Sum(on) / float64(n)
		queries = entropy(on, floats.Sum(on))
	}
	of := entropy(keys, all)
	if both := queries * of; both > 0 {
		a.mutual[h] += max(0, of-mean/all) / math.Sqrt(both)
	}
}

// Bias returns by how many bits at most the mean over so many images makes Content too low and Place too high: (keys -
// 1)/(2n·ln 2), of n images and the keys of a query.
//
// Source: Miller 1955, of the entropy of n draws.
func (a *Attention) Bias() float64 {
	return float64(a.Grid.Tokens()-1) / (2 * float64(max(1, a.Images)) * math.Ln2)
}

// entropy returns the entropy of p/sum in bits; 0 if the sum is 0.
func entropy(p []float64, sum float64) (bits float64) {
	if sum <= 0 {
		return 0
	}
	for _, v := range p {
		if v > 0 {
			bits -= v * math.Log2(v)
		}
	}
	return bits/sum + math.Log2(sum)
}

// Elsewhere returns what each head has on tokens that are not on the grid, m = 1 - Σ_k P_qk, a mean over queries and
// images: 0 unless Prefixed. With zeros around the grid, it is what they have.
func (a *Attention) Elsewhere() []float64 {
	all := make([]float64, len(a.sum))
	for h, sum := range a.sum {
		all[h] = max(0, 1-floats.Sum(sum)/float64(a.Grid.Tokens()*max(1, a.Images)))
	}
	return all
}

// Mean returns E_X P^h, (T, T) for each head: what a Layer of content attention is made of, and what replaces attention
// to ask what a layer does without content.
func (a *Attention) Mean() [][]float64 {
	mean := make([][]float64, len(a.sum))
	for h := range mean {
		mean[h] = make([]float64, len(a.sum[h]))
		for i, v := range a.sum[h] {
			mean[h][i] = v / float64(max(1, a.Images))
		}
	}
	return mean
}

// A Chain is what a head's attention is made of, in bits. Exactly, by the chain rule,
//
//	H(δ) = H(δ|q,X) + I(δ;q) + I(δ;X|q)        Shift = Blur + Place    + Content
//	H(k) = H(k|q,X) + I(k;q) + I(k;X|q)        Key   = Blur + KeyPlace + Content
//
// for q uniform and X an image. Given q, key and shift say the same, so two terms are common. If attention is Prefixed,
// all of them are given that the key is on the grid, so q and X are distributed as Σ_k P_qk(X).
type Chain struct {
	Blur    float64 `json:"blur_bits"`    // E H(P_q(X)): what is left when query and image are known
	Place   float64 `json:"place_bits"`   // E_q KL(P̄_q ‖ π): what the query says of the shift
	Content float64 `json:"content_bits"` // E KL(P_q(X) ‖ P̄_q): what the image says, when the query is known
	Shift   float64 `json:"shift_bits"`   // H(δ)
	// Border is the place bits of the position-only head with the same π: those that the borders alone cause. Place -
	// Border is E_q KL(P̄_q ‖ that head), and not negative.
	Border   float64 `json:"border_bits"`
	KeyPlace float64 `json:"key_place_bits"` // I(q;k): a tap has log₂ T, a mean over all tokens 0
	Key      float64 `json:"key_bits"`       // H(k)
	NMI      float64 `json:"nmi"`            // E_X I(q;k)/√(H(q)·H(k)), of all queries; 0 where a factor is
	// Choice is the entropy of whether the key is on the grid. The entropy of the shift, or none, is Choice + (1 -
	// Elsewhere)·Shift, for q uniform.
	Choice float64 `json:"choice_bits"`
}

// Chain returns that of each head, for the queries that are margin tokens or more from every border; 0 is all.
func (a *Attention) Chain(margin int) ([]Chain, error) {
	queries, err := queriesInside(a.Grid, margin)
	if err != nil {
		return nil, err
	}
	if a.Images == 0 {
		return nil, wrong("attention", "no image was added")
	}
	chains, mean := make([]Chain, len(a.sum)), a.Mean()
	for h := range chains {
		chains[h] = a.chain(queries, h, mean[h])
		chains[h].NMI = a.mutual[h] / float64(a.Images)
	}
	return chains, nil
}

func (a *Attention) chain(queries []int, h int, mean []float64) (c Chain) {
	g, n, each, on := a.Grid, a.Grid.Tokens(), make([]float64, len(queries)), 1.0
	for i, q := range queries {
		each[i] = 1 / float64(len(queries))
		if a.Prefixed {
			each[i] *= floats.Sum(mean[q*n : (q+1)*n])
		}
	}
	if a.Prefixed {
		if on = floats.Sum(each); on <= 0 {
			return c
		}
		floats.Scale(1/on, each)
		on = min(1, on)
		c.Choice = entropy([]float64{on, 1 - on}, 1)
	}
	pi, keys, given := make([]float64, len(g.Shifts())), make([]float64, n), 0.0 // given: E_q H(P̄_q)
	for i, q := range queries {
		row, sum := mean[q*n:(q+1)*n], 1.0
		if a.Prefixed {
			sum = max(floats.Sum(row), math.SmallestNonzeroFloat64)
		}
		for k, v := range row {
			pi[g.Index(g.Shift(q, k))] += each[i] * v / sum
			keys[k] += each[i] * v / sum
		}
		given += each[i] * entropy(row, sum)
		c.Blur += each[i] * a.blur[h][q] / float64(a.Images) / sum
	}
	c.Shift, c.Key = entropy(pi, 1), entropy(keys, 1)
	c.Content = max(0, given-c.Blur) // Jensen's inequality, up to rounding
	c.Place, c.KeyPlace = max(0, c.Shift-given), max(0, c.Key-given)
	c.Border = min(c.Place, max(0, c.Shift-positionOnly(g, queries, each, pi)))
	return c
}

// positionOnly returns E_q H(P_q) of the head that scores by position alone, P_qk ∝ w(k - q), and has the distribution
// of shifts π, for queries with weights that add up to 1, each. Of all heads with this π it has the largest such
// entropy, since log P is linear in what π counts. It is found by generalized iterative scaling,
//
//	w(δ) ← w(δ)·(π(δ)/π_w(δ))^s
//
// which at s = 1 never decreases the likelihood Σ_δ π·log w - E_q log Z_q; s grows while it increases. Source: Darroch,
// Ratcliff 1972.
func positionOnly(g Grid, queries []int, each, pi []float64) (bits float64) {
	n := g.Tokens()
	at := make([]int, 0, len(queries)*n) // of each pair: its shift
	for _, q := range queries {
		for k := range n {
			at = append(at, g.Index(g.Shift(q, k)))
		}
	}
	f := make([]float64, len(pi)) // log w, 0 at its largest
	for i, v := range pi {
		f[i] = math.Log(v) // -∞ where π is 0
	}
	now := scale(at, each, pi, f)
	for round, step := 0, 1.0; now.gap > 1e-8 && round < 3000; round++ {
		next := make([]float64, len(f))
		for i, v := range f {
			if next[i] = v; pi[i] > 0 && now.pi[i] > 0 {
				next[i] += step * math.Log(pi[i]/now.pi[i])
			}
		}
		if then := scale(at, each, pi, next); then.likelihood >= now.likelihood || step == 1 {
			f, now, step = next, then, 1.5*step
		} else {
			step = max(1, step/4)
		}
	}
	return now.entropy / math.Ln2
}

// A scaling is the position-only head of some log w.
type scaling struct {
	pi                       []float64 // its shifts'
	likelihood, entropy, gap float64   // gap: Σ|π - π_w|; entropy in nats
}

// scale shifts f so that its largest is 0, and keeps it above the smallest exponent. Rows of at are the shifts of one
// query, which weighs each.
func scale(at []int, each, pi, f []float64) (s scaling) {
	top := slices.Max(f)
	w := make([]float64, len(f))
	for i := range f {
		if f[i] -= top; pi[i] > 0 {
			f[i] = max(f[i], -650)
			w[i] = math.Exp(f[i])
		}
	}
	s.pi = make([]float64, len(pi))
	n := len(at) / len(each)
	for q, weight := range each {
		row, sum := at[q*n:(q+1)*n], 0.0
		for _, i := range row {
			sum += w[i]
		}
		for _, i := range row {
			s.pi[i] += weight * w[i] / sum
		}
		s.likelihood -= weight * math.Log(sum)
	}
	s.entropy = -s.likelihood // E_q log Z_q - Σ π_w·log w
	for i, v := range pi {
		s.gap += math.Abs(v - s.pi[i])
		if v > 0 {
			s.likelihood += v * f[i]
			s.entropy -= s.pi[i] * f[i]
		}
	}
	return s
}
