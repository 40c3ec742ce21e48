package analyse

import (
	"fmt"
	"math"
	"slices"

	"github.com/attnconv/attnconv/internal/stream"
	"github.com/attnconv/attnconv/null"
)

// maxDraws is the most draws of a null.
const maxDraws = 1 << 16

// A Null is the shares of layers that lack what is asked for.
type Null struct {
	Name  string
	Draws []Shares
}

// MapsShuffled returns a null for which head does what: P^h with W_π(h), for n random permutations π. It has the
// layer's attention and the layer's maps. One head has no other map, and its null is itself.
func (o *Operator) MapsShuffled(n int, seed uint64) (Null, error) {
	return o.null("maps of other heads", n, seed, func(heads, _ []int) *part {
		shuffled := *o
		shuffled.values = make([]float64, len(o.values))
		for i, a := range heads {
			for j, b := range heads {
				shuffled.values[i*len(heads)+j] = o.values[a*len(heads)+b]
			}
		}
		return shuffled.project(o.Layer.Grid.Inside(0), o.Layer.Attention)
	})
}

// TokensShuffled returns a null for the grid itself: ΠP^hΠᵀ with the same random permutation Π of the tokens for all
// heads, n times. It keeps every head's weights and the norm of the operator, and loses who is whose neighbor.
func (o *Operator) TokensShuffled(n int, seed uint64) (Null, error) {
	return o.null("permuted tokens", n, seed, func(_, tokens []int) *part {
		return o.project(o.Layer.Grid.Inside(0), permuted(o.Layer.Attention, tokens))
	})
}

// permuted returns ΠPΠᵀ: the pair (q, k) has what (tokens[q], tokens[k]) had.
func permuted(attention [][]float64, tokens []int) [][]float64 {
	all := make([][]float64, len(attention))
	for h, p := range attention {
		all[h] = make([]float64, 0, len(p))
		for _, q := range tokens {
			for _, k := range tokens {
				all[h] = append(all[h], p[q*len(tokens)+k])
			}
		}
	}
	return all
}

// null draws n permutations of heads and of tokens, each from a stream of its own.
func (o *Operator) null(name string, n int, seed uint64, draw func(heads, tokens []int) *part) (Null, error) {
	all := Null{Name: name}
	l := o.Layer
	work := len(l.Maps) * len(l.Maps) * l.Grid.Tokens() * l.Grid.Tokens()
	if n < 1 || n > maxDraws || n > maxWork/work {
		return all, wrong("draws", "%d: want 1 to %d", n, min(maxDraws, maxWork/work))
	}
	for i := range n {
		rng := stream.Rand(seed, fmt.Sprintf("analyse/%s/%d", name, i))
		p := draw(rng.Perm(len(l.Maps)), rng.Perm(l.Grid.Tokens()))
		if p.total > 0 { // maps that cancel leave nothing to share out
			all.Draws = append(all.Draws, p.shares())
		}
	}
	if len(all.Draws) == 0 {
		return all, wrong("maps", "the operator of every draw is zero")
	}
	return all, nil
}

// A Band is what a null has of one value.
type Band struct {
	Mean   null.Float `json:"mean"` // of the draws
	Std    null.Float `json:"std"`  // between draws, divisor n-1; null: one draw
	Lo     null.Float `json:"lo"`   // of the middle 95 %
	Hi     null.Float `json:"hi"`   // of the middle 95 %
	Draws  int        `json:"-"`
	values []float64
}

// Of returns the band of a figure of the draws.
func (n Null) Of(figure func(Shares) float64) Band {
	values := make([]float64, len(n.Draws))
	for i, s := range n.Draws {
		values[i] = figure(s)
	}
	return NewBand(values)
}

// NewBand summarizes the draws of a null: seeds of an initializer, random centers, permutations. Of none, all is NaN.
func NewBand(values []float64) Band {
	b := Band{Mean: null.Unknown, Std: null.Unknown, Lo: null.Unknown, Hi: null.Unknown, Draws: len(values)}
	b.values = slices.Sorted(slices.Values(values))
	if len(values) == 0 {
		return b
	}
	sum, squares := 0.0, 0.0
	for _, v := range b.values {
		sum += v
	}
	mean := sum / float64(len(values))
	for _, v := range b.values {
		squares += (v - mean) * (v - mean)
	}
	b.Mean = null.Float(mean)
	if len(values) > 1 {
		b.Std = null.Float(math.Sqrt(squares / float64(len(values)-1)))
	}
	b.Lo, b.Hi = null.Float(quantile(b.values, 0.025)), null.Float(quantile(b.values, 0.975))
	return b
}

// quantile interpolates between sorted values.
func quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	i := min(int(at), len(sorted)-1)
	return sorted[i] + (at-float64(i))*(sorted[min(i+1, len(sorted)-1)]-sorted[i])
}

// P returns the p-value of a permutation test that x is no larger than the null: (1 + draws that are as large) / (1 +
// draws), which is never 0. Several are to be corrected, as stats.Holm does.
//
// Source: Phipson, Smyth 2010.
func (b Band) P(x float64) float64 {
	large := 0
	for _, v := range b.values {
		large += btoi(v >= x-1e-12)
	}
	return float64(1+large) / float64(1+len(b.values))
}
