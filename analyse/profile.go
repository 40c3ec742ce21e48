package analyse

import (
	"cmp"
	"math"
	"slices"

	"github.com/attnconv/attnconv/posenc/geometry"
)

// A Profile is the distribution of a head's shifts without its center. Heads with one profile and different centers are
// translations of each other, so together they are one convolution.
type Profile struct {
	Grid   Grid
	P      []float64  // by shift, (2n-1, 2m-1), shift zero in the middle; it adds up to 1
	Center [2]float64 // mean shift of the head: row, column, in tokens
	// Centered says that P is around the center. Otherwise P has the shifts of the head itself, and profiles compare up
	// to whole tokens.
	Centered bool
	Width    float64 // root mean square distance of a shift from the mean shift, in tokens
	Uneven   float64 // total variation distance from the same weight for all shifts that were seen
	// Tap is the shift with more than half of the weight: of a quadratic head on a grid without end, else of P.
	Tap *Shift
}

// farthest is how far away a center may be, in tokens.
const farthest = 1e9

// GaussianProfile returns the profile of a quadratic head,
//
//	P(δ) ∝ exp(-½·δᵀΣ⁻¹δ)  for |δ₁| < n, |δ₂| < m
//
// The shifts end where those of the grid do: beyond, a head cannot attend, and heads that are wider than the grid are
// alike.
func GaussianProfile(g Grid, center [2]float64, precision [2][2]float64) (Profile, error) {
	if err := check(g); err != nil {
		return Profile{}, err
	}
	scores := make([]float64, 0, len(g.Shifts()))
	for _, s := range g.Shifts() {
		y, x := float64(s[0]), float64(s[1])
		scores = append(scores,
			-0.5*(y*y*precision[0][0]+x*y*(precision[0][1]+precision[1][0])+x*x*precision[1][1]))
	}
	p, err := ScoreProfile(g, scores)
	for _, v := range center {
		if err == nil && !(math.Abs(v) <= farthest) { // nor NaN
			err = wrong("center", "%v: want at most %g tokens from the query", center, farthest)
		}
	}
	if err != nil {
		return Profile{}, err
	}
	p.Center, p.Centered = meanShift(center, precision), true
	p.Tap = gaussianTap(center, precision)
	return p, nil
}

// gaussianTap returns the shift that has more than half of a quadratic head's softmax over all shifts of a grid without
// end; nil if none has. Shifts farther than 32 tokens from the center are left out, which have less than 1e-4 of the
// weight of a head that is narrower than 7 tokens, and a wider one has no such shift.
func gaussianTap(center [2]float64, precision [2][2]float64) *Shift {
	a, b, c := precision[0][0], (precision[0][1]+precision[1][0])/2, precision[1][1]
	small := (a+c)/2 - math.Hypot((a-c)/2, b)
	const most, tail = 32, 20 // e^(-tail/2) is the weight that is left out
	far := most
	if small > tail/float64(most*most) {
		far = int(math.Ceil(math.Sqrt(tail / small)))
	}
	near := Shift{int(math.Round(center[0])), int(math.Round(center[1]))}
	best, high, sum := near, math.Inf(-1), 0.0
	for r := near[0] - far; r <= near[0]+far; r++ {
		for k := near[1] - far; k <= near[1]+far; k++ {
			y, x := float64(r)-center[0], float64(k)-center[1]
			score := -0.5 * (y*y*a + 2*x*y*b + x*x*c)
			if score > high {
				best, sum, high = Shift{r, k}, sum*math.Exp(high-score), score
			}
			sum += math.Exp(score - high)
		}
	}
	if 1/sum > 0.5 {
		return &best
	}
	return nil
}

// meanShift returns the mean shift of a quadratic head on an unbounded grid. It is the center, except for heads that
// are narrower than a token: a head of standard deviation 0.1 tokens around 0.4 is a tap at 0. For a head that is
// narrow along one direction and wider than 5 tokens along another, the center stands for it.
func meanShift(center [2]float64, precision [2][2]float64) (mean [2]float64) {
	a, b, c := precision[0][0], (precision[0][1]+precision[1][0])/2, precision[1][1]
	half := math.Hypot((a-c)/2, b)
	large, small := (a+c)/2+half, (a+c)/2-half
	const reach, deviations = 40, 8
	if large <= 1 || !(small*reach*reach >= deviations*deviations) {
		return center
	}
	near := Shift{int(math.Round(center[0])), int(math.Round(center[1]))}
	far := int(math.Ceil(deviations / math.Sqrt(small)))
	var at []Shift
	var p []float64
	for r := -far; r <= far; r++ {
		for k := -far; k <= far; k++ {
			s := Shift{near[0] + r, near[1] + k}
			y, x := float64(s[0])-center[0], float64(s[1])-center[1]
			at, p = append(at, s), append(p, -0.5*(y*y*a+2*x*y*b+x*x*c))
		}
	}
	geometry.Softmax(p)
	for i, s := range at {
		mean[0], mean[1] = mean[0]+p[i]*float64(s[0]), mean[1]+p[i]*float64(s[1])
	}
	return mean
}

// ScoreProfile returns the profile of a head that gives each shift a score: the softmax over all (2n-1)·(2m-1) shifts
// of the grid, which no border cuts off.
func ScoreProfile(g Grid, scores []float64) (Profile, error) {
	if err := check(g); err != nil {
		return Profile{}, err
	}
	if len(scores) != len(g.Shifts()) {
		return Profile{}, wrong("scores", "%d: want one for each of %d shifts", len(scores), len(g.Shifts()))
	}
	p := slices.Clone(scores)
	geometry.Softmax(p)
	if infinite(p) >= 0 {
		return Profile{}, wrong("scores", "no distribution")
	}
	return newProfile(g, p, len(p)), nil
}

// Profiles returns the profile of each head from its attention: p̄_h(δ), divided by its sum, of the queries that are a
// quarter of the grid away from its borders. The margin is smaller if a head has no weight there. The error is an
// *Error for a head without any weight.
func (o *Operator) Profiles() (all []Profile, err error) {
	g := o.Layer.Grid
	for margin := min(g.Rows, g.Cols) / 4; margin >= 0; margin-- {
		p := o.means(g.Inside(margin), o.Layer.Attention)
		p.mean = o.looks(g.Inside(margin), p)
		if all, err = p.profiles(g); err == nil {
			return all, nil
		}
	}
	return nil, err
}

func (p *part) profiles(g Grid) (all []Profile, err error) {
	seen := 0
	for _, pairs := range p.pairs {
		seen += btoi(pairs > 0)
	}
	for h, mean := range p.mean {
		mean, sum := slices.Clone(mean), 0.0
		for i, v := range mean {
			mean[i] = max(0, v)
			sum += mean[i]
		}
		if sum == 0 {
			return nil, wrong("attention", "head %d attends to no token", h+1)
		}
		for i := range mean {
			mean[i] /= sum
		}
		all = append(all, newProfile(g, mean, seen))
	}
	return all, nil
}

// newProfile measures a distribution of shifts, of which so many were seen.
func newProfile(g Grid, p []float64, seen int) Profile {
	d := Profile{Grid: g, P: p}
	for i, s := range g.Shifts() {
		if p[i] > 0.5 {
			d.Tap = &s
		}
		d.Center[0] += p[i] * float64(s[0])
		d.Center[1] += p[i] * float64(s[1])
	}
	even := 0.0
	for i, s := range g.Shifts() {
		y, x := float64(s[0])-d.Center[0], float64(s[1])-d.Center[1]
		d.Width += p[i] * (y*y + x*x)
		even += min(p[i], 1/float64(seen))
	}
	d.Width, d.Uneven = math.Sqrt(d.Width), max(0, 1-even)
	return d
}

// Distance returns the total variation distance of two profiles of one grid, in 0..1,
//
//	½·Σ_δ|p(δ) - q(δ-s)| = 1 - Σ_δ min(p(δ), q(δ-s))
//
// Centered profiles compare at s = 0. Others compare at the whole-token shift s at which they differ least. Then the
// center of p is about the center of q plus s.
func (p Profile) Distance(q Profile) (d float64, s Shift) {
	if p.Centered && q.Centered {
		return 1 - min(1, p.overlap(q, Shift{})), Shift{}
	}
	// Sums along rows and along columns overlap at least as much as the profiles. So once a bound is no more than the
	// best overlap, no other shift can be better.
	rows, cols := overlaps(p.along(0), q.along(0)), overlaps(p.along(1), q.along(1))
	best := -1.0
	for _, r := range rows {
		if r.most <= best {
			break
		}
		for _, c := range cols {
			if c.most <= best {
				break
			}
			if both := p.overlap(q, Shift{r.shift, c.shift}); both > best+1e-12 {
				best, s = both, Shift{r.shift, c.shift}
			}
		}
	}
	return 1 - min(1, best), s
}

// overlap is Σ_δ min(p(δ), q(δ-s)).
func (p Profile) overlap(q Profile, s Shift) (sum float64) {
	rows, cols := 2*p.Grid.Rows-1, 2*p.Grid.Cols-1
	from, to := max(0, s[1]), min(cols, cols+s[1])
	for r := max(0, s[0]); r < min(rows, rows+s[0]); r++ {
		a, b := p.P[r*cols+from:r*cols+to], q.P[(r-s[0])*cols+from-s[1]:]
		for i, v := range a {
			sum += min(v, b[i])
		}
	}
	return sum
}

// along returns the sums over the other axis.
func (p Profile) along(axis int) []float64 {
	rows, cols := 2*p.Grid.Rows-1, 2*p.Grid.Cols-1
	sums := make([]float64, [2]int{rows, cols}[axis])
	for i, v := range p.P {
		sums[[2]int{i / cols, i % cols}[axis]] += v
	}
	return sums
}

// A bound is how much two profiles overlap at most at a shift along one axis.
type bound struct {
	shift int
	most  float64
}

// overlaps returns the bounds of all shifts, the largest first, and of equal ones the shortest.
func overlaps(p, q []float64) (all []bound) {
	for s := 1 - len(p); s < len(p); s++ {
		b := bound{shift: s}
		for i := max(0, s); i < min(len(p), len(p)+s); i++ {
			b.most += min(p[i], q[i-s])
		}
		all = append(all, b)
	}
	slices.SortFunc(all, func(a, b bound) int {
		return cmp.Or(cmp.Compare(b.most, a.most), cmp.Compare(abs(a.shift), abs(b.shift)),
			cmp.Compare(a.shift, b.shift))
	})
	return all
}
