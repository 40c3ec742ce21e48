package analyse

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/attnconv/attnconv/posenc/geometry"
)

func profiled(t *testing.T, l Layer) *Profiles {
	t.Helper()
	o := measured(t, l)
	profiles, err := o.Profiles()
	if err != nil {
		t.Fatal(err)
	}
	return grouped(t, profiles, o)
}

func grouped(t *testing.T, profiles []Profile, o *Operator) *Profiles {
	t.Helper()
	d, err := NewProfiles(profiles, o, 7)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, g := range d.Groups {
		sum += float64(g.Share)
	}
	if o != nil {
		near(t, "sum of the groups' shares", sum, 1, 1e-9)
	}
	return d
}

// hard is a layer of taps with zeros outside of the grid, and of means over all tokens.
func hard(t *testing.T, g Grid, shifts []Shift, means int) Layer {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	l := Layer{Grid: g, In: 2, Out: 3, Padded: true, Attention: must(Taps(g, shifts, Zeros))}
	for range means {
		l.Attention = append(l.Attention, uniform(g))
	}
	for range l.Attention {
		l.Maps = append(l.Maps, normals(rng, 6))
	}
	return l
}

func times(k int, shifts []Shift) (all []Shift) {
	for _, s := range shifts {
		all = append(all, Shift{k * s[0], k * s[1]})
	}
	return all
}

func without(shifts []Shift, lost ...Shift) []Shift {
	return slices.DeleteFunc(slices.Clone(shifts), func(s Shift) bool { return slices.Contains(lost, s) })
}

// Hard heads are one profile: of a whole kernel, of one that is dilated, and of one that lacks shifts.
func TestProfilesOfHardHeads(t *testing.T) {
	g := Grid{Rows: 10, Cols: 11}
	corners := []Shift{{-1, -1}, {-1, 1}, {1, -1}, {1, 1}}
	for _, tt := range []struct {
		shifts  []Shift
		means   int
		count   int
		spacing int
		missing int
		says    string
	}{
		{geometry.Square(3), 0, 1, 1, 0, "one profile: nine heads form a 3 × 3 kernel"},
		{geometry.Square(5), 0, 1, 1, 0, "one profile: 25 heads form a 5 × 5 kernel"},
		{times(2, geometry.Square(3)), 0, 1, 2, 0, "one profile: nine heads form a 3 × 3 kernel dilated by 2"},
		{times(3, geometry.Square(3)), 0, 1, 3, 0, "one profile: nine heads form a 3 × 3 kernel dilated by 3"},
		{without(geometry.Square(3), Shift{0, 1}, Shift{-1, -1}), 0, 1, 1, 2,
			"one profile: seven heads form a 3 × 3 kernel without two of its 9 shifts"},
		{without(geometry.Square(3), corners[:2]...), 2, 2, 1, 2,
			"at most two profiles: seven heads form a 3 × 3 kernel without two of its corners, two heads average " +
				"globally"},
		{without(geometry.Square(3), corners...), 4, 2, 1, 4,
			"at most two profiles: five heads form a 3 × 3 kernel without its corners, four heads average globally"},
		{without(times(2, geometry.Square(3)), Shift{0, 2}), 1, 2, 2, 1,
			"at most two profiles: eight heads form a 3 × 3 " +
				"kernel dilated by 2 without (0, 2); one head averages globally"},
		{[]Shift{{0, 0}, {0, 2}}, 0, 1, 1, 1, "one profile: two heads at (0, 0) (0, 2)"},
		{[]Shift{{-4, -3}, {0, 2}, {4, 0}, {1, 3}}, 0, 1, 1, 0,
			"one profile: four heads scattered over 9 × 7 shifts"},
		{[]Shift{{0, 1}, {0, 1}}, 1, 2, 1, 0,
			"at most two profiles: two heads at (0, 1) (0, 1); one head averages globally"},
	} {
		d := profiled(t, hard(t, g, tt.shifts, tt.means))
		if d.Count != tt.count || len(d.Groups) != tt.count || !d.AtMost || d.String() != tt.says {
			t.Errorf("%d profiles: %s\n want %d: %s", d.Count, d, tt.count, tt.says)
			continue
		}
		l := d.Groups[0].Lattice
		if (l == nil) != (len(tt.shifts) < 4) {
			t.Errorf("lattice of %d heads: %+v", len(tt.shifts), l)
		}
		if l == nil {
			continue
		}
		if l.Spacing != tt.spacing || len(l.Missing) != tt.missing || len(l.Off) > 0 || l.Distance > 1e-9 {
			t.Errorf("%v: lattice %+v", tt.shifts, l)
		}
		for i, h := range d.Groups[0].Heads { // the heads are where their taps are
			want := tt.shifts[h-1]
			near(t, "row of a center", d.Groups[0].Centers[i][0], float64(want[0]), 1e-9)
			near(t, "column of a center", d.Groups[0].Centers[i][1], float64(want[1]), 1e-9)
		}
		if middle := d.Groups[0].Profile; len(middle) != 15 || middle[7][7] != 1 {
			t.Errorf("%v: the profile in the middle has %v", tt.shifts, middle[7])
		}
	}
}

// The shares of groups are ⟨L_c, L⟩/‖L‖² for the part L_c of the operator that the group's heads make, by the dense
// operators.
func TestGroupShares(t *testing.T) {
	l := hard(t, Grid{Rows: 6, Cols: 7}, without(geometry.Square(3), Shift{1, 1}, Shift{0, 0}), 3)
	l.Maps[0], l.Maps[9] = l.Maps[8], l.Maps[8] // heads that agree across groups, and within one
	d := profiled(t, l)
	whole := operatorOf(l)
	if d.Count != 2 {
		t.Fatal(d)
	}
	for _, g := range d.Groups {
		part := l
		part.Attention, part.Maps = nil, nil
		for _, h := range g.Heads {
			part.Attention, part.Maps = append(part.Attention, l.Attention[h-1]), append(part.Maps, l.Maps[h-1])
		}
		of := operatorOf(part)
		var with, own, norm float64
		for q := range whole.block {
			for k := range whole.block[q] {
				for i, v := range whole.block[q][k] {
					with, norm = with+v*of.block[q][k][i], norm+v*v
					own += of.block[q][k][i] * of.block[q][k][i]
				}
			}
		}
		near(t, "share of a group", float64(g.Share), with/norm, 1e-12)
		near(t, "cross terms of a group", float64(g.Cross), (with-own)/norm, 1e-12)
		if math.Abs(with-own)/norm < 0.01 {
			t.Error("the case has no cross terms")
		}
	}
	if d := grouped(t, must(measured(t, l).Profiles()), nil); d.Groups[0].Share.Known() || d.Groups[1].Cross.Known() {
		t.Error("shares without an operator")
	}
}

// dirichlet is the scores of a random distribution over n shifts, of Dirichlet(a) for a < 1: logarithms of Γ(a)
// variables, which are Γ(1+a)·U^(1/a). Γ(1+a) is drawn by rejection from an exponential of mean 1+a.
func dirichlet(rng *rand.Rand, n int, a float64) []float64 {
	scores := make([]float64, n)
	for i := range scores {
		x, accept := 0.0, 0.0
		for accept < rng.Float64() { // x^a·exp(-x) over exp(-x/(1+a)), divided by its largest value, at x = 1+a
			x = (1 + a) * rng.ExpFloat64()
			accept = math.Pow(x/(1+a), a) * math.Exp(a-x*a/(1+a))
		}
		scores[i] = math.Log(x) + math.Log(rng.Float64())/a
	}
	return scores
}

// Heads with a random distribution each have as many profiles as heads; the same distribution elsewhere is one.
func TestProfilesOfRandomDistributions(t *testing.T) {
	g, rng := Grid{Rows: 8, Cols: 8}, rand.New(rand.NewPCG(5, 5))
	var profiles []Profile
	for range 9 {
		profiles = append(profiles, must(ScoreProfile(g, dirichlet(rng, 225, 0.1))))
	}
	if d := grouped(t, profiles, nil); d.Count != 9 || d.Curve[18].Count != 9 {
		t.Errorf("%d profiles: %s", d.Count, d)
	}
	// One distribution on 5 × 5 shifts, moved by whole tokens.
	small := dirichlet(rng, 25, 0.5)
	profiles = nil
	for _, at := range geometry.Square(3) {
		scores := make([]float64, 225)
		for i := range scores {
			y, x := i/15-7-at[0]+2, i%15-7-at[1]+2
			if scores[i] = -1e3; y >= 0 && y < 5 && x >= 0 && x < 5 {
				scores[i] = small[5*y+x]
			}
		}
		profiles = append(profiles, must(ScoreProfile(g, scores)))
	}
	d := grouped(t, profiles, nil)
	if d.Count != 1 || d.Curve[0].Count != 1 || d.Groups[0].Lattice.Sides != [2]int{3, 3} ||
		len(d.Groups[0].Lattice.Missing) > 0 || d.Groups[0].Lattice.Spacing != 1 {
		t.Errorf("one distribution at nine shifts: %s", d)
	}
	for h, at := range geometry.Square(3) { // p of head h is p of head 0 at its shift
		distance, move := profiles[h].Distance(profiles[0])
		if math.Abs(distance) > 1e-12 || move != at {
			t.Errorf("head %d: distance %g at %v, want 0 at %v", h+1, distance, move, at)
		}
	}
}

// The distance is the least of all shifts, by its definition with absolute differences on a plane of zeros.
func TestProfileDistance(t *testing.T) {
	g, rng := Grid{Rows: 3, Cols: 4}, rand.New(rand.NewPCG(6, 6))
	at := func(p Profile, y, x int) float64 {
		if max(y, -y) > 2 || max(x, -x) > 3 {
			return 0
		}
		return p.P[(y+2)*7+x+3]
	}
	for i := range 120 {
		one, other := dirichlet(rng, 35, 0.3), dirichlet(rng, 35, 0.3)
		if i%2 == 0 { // nearly the same weight for all shifts: several alignments are nearly as good
			one, other = normals(rng, 35), normals(rng, 35)
		}
		p, q := must(ScoreProfile(g, one)), must(ScoreProfile(g, other))
		least := math.Inf(1)
		var move Shift
		for dy := -5; dy <= 5; dy++ {
			for dx := -7; dx <= 7; dx++ {
				sum := 0.0
				for y := -9; y <= 9; y++ {
					for x := -11; x <= 11; x++ {
						sum += math.Abs(at(p, y, x)-at(q, y-dy, x-dx)) / 2
					}
				}
				if sum < least-1e-9 {
					least, move = sum, Shift{dy, dx}
				}
			}
		}
		distance, s := p.Distance(q)
		near(t, "distance", distance, least, 1e-12)
		if s != move {
			t.Errorf("the profiles differ least at %v, want %v", s, move)
		}
		back, s := q.Distance(p)
		near(t, "distance from the other side", back, distance, 1e-12)
		if s != (Shift{-move[0], -move[1]}) {
			t.Errorf("from the other side at %v, want the opposite of %v", s, move)
		}
	}
}

// Gaussian heads of one shape are one profile wherever they are; shapes that are turned are two. The distance is that
// of two sums of exponentials.
func TestProfilesOfGaussianHeads(t *testing.T) {
	g := Grid{Rows: 8, Cols: 6}
	tall, wide := [2][2]float64{{0.3, 0.1}, {0.1, 2}}, [2][2]float64{{2, -0.1}, {-0.1, 0.3}}
	var profiles []Profile
	rng := rand.New(rand.NewPCG(7, 7))
	for h := range 9 {
		precision := tall
		if h%3 == 2 {
			precision = wide
		}
		profiles = append(profiles, must(GaussianProfile(g, [2]float64{3 * rng.NormFloat64(), 3 * rng.NormFloat64()},
			precision)))
	}
	d := grouped(t, profiles, nil)
	if d.Count != 2 || d.AtMost || !slices.Equal(d.Groups[0].Heads, []int{1, 2, 4, 5, 7, 8}) {
		t.Errorf("%s", d)
	}
	density := func(p [2][2]float64, y, x float64) float64 {
		return math.Exp(-(p[0][0]*y*y + 2*p[0][1]*y*x + p[1][1]*x*x) / 2)
	}
	var both, sums [2]float64
	for y := -7.0; y <= 7; y++ {
		for x := -5.0; x <= 5; x++ {
			sums[0], sums[1] = sums[0]+density(tall, y, x), sums[1]+density(wide, y, x)
		}
	}
	var square float64
	for y := -7.0; y <= 7; y++ {
		for x := -5.0; x <= 5; x++ {
			both[0] += math.Abs(density(tall, y, x)/sums[0]-density(wide, y, x)/sums[1]) / 2
			square += density(tall, y, x) / sums[0] * (y*y + x*x)
		}
	}
	distance, _ := profiles[0].Distance(profiles[2])
	near(t, "distance of two ellipses", distance, both[0], 1e-12)
	near(t, "width", profiles[0].Width, math.Sqrt(square), 1e-12)
	if both[0] < 0.2 {
		t.Errorf("the ellipses of the case are %.3f apart", both[0])
	}
	// Read off attention, whole tokens do not align the same heads: their centers have fractions.
	l := gaussians(t, g, 1, [2]float64{0, 0}, [2]float64{0.5, 0.3})
	if d := profiled(t, l); d.Count != 2 || !d.AtMost {
		t.Errorf("aligned by whole tokens: %s", d)
	}
	// Heads that are wider than the grid are one profile, and average globally.
	profiles = nil
	for _, width := range []float64{50, 100, 1e4} {
		profiles = append(profiles, must(GaussianProfile(g, [2]float64{width / 9, 0}, [2][2]float64{
			{1 / width / width, 0}, {0, 1 / width / width}})))
	}
	if d := grouped(t, profiles, nil); d.Count != 1 || d.String() != "one profile: three heads average globally" {
		t.Errorf("wide heads: %s", d)
	}
}

// Queries away from borders have nearly the profile of an unbounded grid; others would not.
func TestProfilesAreFreeOfBorders(t *testing.T) {
	g := Grid{Rows: 12, Cols: 12}
	l := gaussians(t, g, 0.5, [2]float64{1, -2}, [2]float64{-2, 0})
	profiles := must(measured(t, l).Profiles())
	want := must(GaussianProfile(g, [2]float64{}, [2][2]float64{{0.5, 0}, {0, 0.5}}))
	distance, s := profiles[0].Distance(want)
	if distance > 0.01 || s != (Shift{1, -2}) {
		t.Errorf("from attention: %.4f from the head itself, at %v", distance, s)
	}
	for _, p := range profiles {
		sum := 0.0
		for _, v := range p.P {
			sum += v
		}
		near(t, "sum of a profile", sum, 1, 1e-12)
	}
	// With all queries it would be farther away than that.
	var all Profile
	all.Grid, all.P = g, make([]float64, 23*23)
	sum := 0.0
	for y := -11; y <= 11; y++ {
		for x := -11; x <= 11; x++ {
			mean, pairs := 0.0, 0.0
			for q := range 144 {
				if r, c := q/12+y, q%12+x; r >= 0 && r < 12 && c >= 0 && c < 12 {
					mean, pairs = mean+l.Attention[0][q*144+12*r+c], pairs+1
				}
			}
			all.P[(y+11)*23+x+11] = mean / pairs
			sum += mean / pairs
		}
	}
	for i := range all.P {
		all.P[i] /= sum
	}
	if far, _ := all.Distance(want); far < 3*distance {
		t.Errorf("with all queries %.4f, without borders %.4f: the case does not tell them apart", far, distance)
	}
}

// Heads with one profile are whole tokens apart, also if they have some weight far away, which moves their means.
func TestCentersOfAlignedHeads(t *testing.T) {
	g := Grid{Rows: 12, Cols: 12}
	taps := must(Taps(g, []Shift{{0, 0}, {0, 1}, {1, -1}}, Circular))
	far := must(Taps(g, []Shift{{3, 3}, {3, 4}, {4, 2}, {-3, 2}, {-3, 3}, {-2, 1}}, Circular)) // the same two from each
	l := Layer{Grid: g, In: 1, Out: 1, Attention: taps, Maps: [][]float64{{1}, {1}, {1}}}
	for h, weights := range [][2]float64{{0.04, 0}, {0.02, 0.02}, {0, 0.04}} { // the second head is in the middle
		for i := range taps[h] {
			taps[h][i] = 0.96*taps[h][i] + weights[0]*far[h][i] + weights[1]*far[h+3][i]
		}
	}
	d := profiled(t, l)
	if d.Count != 1 {
		t.Fatal(d)
	}
	c := d.Groups[0].Centers
	for h, want := range [][2]float64{{0, -1}, {0, 0}, {1, -2}} { // from the second
		for axis := range 2 {
			near(t, fmt.Sprintf("head %d, axis %d", h+1, axis), c[h][axis]-c[1][axis], want[axis], 1e-9)
		}
	}
}

// Complete linkage by its definition: of all pairs of groups, the one whose farthest heads are nearest.
func TestLinkage(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for range 40 {
		n := 2 + rng.IntN(7)
		d := make([][]float64, n)
		for i := range d {
			d[i] = make([]float64, n)
			for j := range i {
				d[i][j] = rng.Float64()
				d[j][i] = d[i][j]
			}
		}
		cut := rng.Float64()
		groups := [][]int{}
		for i := range n {
			groups = append(groups, []int{i})
		}
		for {
			best, a, b := cut, -1, -1
			for i := range groups {
				for j := range i {
					far := 0.0
					for _, x := range groups[i] {
						for _, y := range groups[j] {
							far = max(far, d[x][y])
						}
					}
					if far <= best {
						best, a, b = far, j, i
					}
				}
			}
			if a < 0 {
				break
			}
			groups[a] = append(groups[a], groups[b]...)
			groups = slices.Delete(groups, b, b+1)
		}
		for _, g := range groups {
			slices.Sort(g)
		}
		got := groupsAt(n, linkage(d), cut)
		for _, g := range got {
			if !slices.ContainsFunc(groups, func(want []int) bool { return slices.Equal(g, want) }) ||
				len(got) != len(groups) {
				t.Fatalf("at %.3f of %.3v: %v, want %v", cut, d, got, groups)
			}
		}
	}
	// A chain of near neighbors is not one group.
	chain := [][]float64{{0, 0.04, 0.08, 0.12}, {0.04, 0, 0.04, 0.08}, {0.08, 0.04, 0, 0.04}, {0.12, 0.08, 0.04, 0}}
	if got := fmt.Sprint(groupsAt(4, linkage(chain), 0.05)); got != "[[0 1] [2 3]]" {
		t.Errorf("a chain: %v", got)
	}
}

// Curves fall from all heads to the groups that are left at 0.2, and have the count of the table at 0.05.
func TestProfileCurve(t *testing.T) {
	var profiles []Profile
	for h := range 8 {
		precision := math.Pow(1.12, float64(h))
		profiles = append(profiles, must(GaussianProfile(Grid{Rows: 8, Cols: 8}, [2]float64{},
			[2][2]float64{{precision, 0},
				{0, precision}})))
	}
	d := grouped(t, profiles, nil)
	if len(d.Curve) != 19 || d.Curve[3] != (ProfileCount{0.05, d.Count}) || d.Curve[0].Distance != 0.02 ||
		d.Curve[18].Distance != 0.2 || d.Curve[0].Count != 8 || d.Count < 4 || d.Count > 5 || d.Curve[18].Count > 2 {
		t.Errorf("%d profiles; %v", d.Count, d.Curve)
	}
	for i := range d.Curve[1:] {
		if d.Curve[i+1].Count > d.Curve[i].Count {
			t.Errorf("more profiles at a larger distance: %v", d.Curve)
		}
	}
}

// The offset is the best of a fine search, and a head off the lattice is named.
func TestLattice(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for range 30 {
		centers := make([][2]float64, 2+rng.IntN(6))
		for i := range centers {
			centers[i] = [2]float64{2 * rng.NormFloat64(), 2 * rng.NormFloat64()}
		}
		for spacing := 1; spacing <= 3; spacing++ {
			l, best := latticeOf(centers, spacing), math.Inf(1)
			for axis := range 2 {
				least := math.Inf(1)
				for o := 0.0; o < float64(spacing); o += 0.002 {
					sum := 0.0
					for _, c := range centers {
						d := math.Remainder(c[axis]-o, float64(spacing))
						sum += d * d / float64(len(centers))
					}
					least = min(least, sum)
				}
				if best += least; axis == 0 {
					best = least
				}
			}
			near(t, "distance from the lattice", l.Distance*l.Distance, best, 2e-5)
		}
	}
	// Off by 0.3 along both axes, on two of six shifts of a grid that is 0.4 away from whole tokens.
	var centers [][2]float64
	for _, s := range geometry.Square(3) {
		centers = append(centers, [2]float64{float64(s[0]) + 0.4, float64(s[1]) - 0.4})
	}
	centers[2][0] += 0.3
	l := newLattice(centers)
	if l.Spacing != 1 || math.Abs(l.Offset[0]-0.4-0.3/9) > 1e-9 || math.Abs(l.Offset[1]+0.4) > 1e-9 ||
		!slices.Equal(l.Off, []int{3}) || l.Sides != [2]int{3, 3} || len(l.Missing) != 1 ||
		math.Hypot(l.Missing[0][0]-centers[2][0]+0.3-0.3/9, l.Missing[0][1]-centers[2][1]) > 1e-9 {
		t.Errorf("nine heads of which one is off: %+v", l)
	}
	for _, tt := range []struct { // what is on a wider lattice by chance is not dilated
		centers [][2]float64
		spacing int
	}{
		{[][2]float64{{0, 0}, {0, 2}, {2, 0}}, 1}, {[][2]float64{{0, 0}, {0, 2}, {2, 0}, {2, 2}}, 2},
		{[][2]float64{{1, 1}, {1, 4}}, 1}, {[][2]float64{{1, 1}, {1, 4}, {-2, 1}}, 3},
		{[][2]float64{{0, 0}, {0, 2}, {2, 0}, {2, 2}, {1, 1}}, 1}, {[][2]float64{{0, 0}, {0, 0}, {0, 0}, {2, 0}}, 1},
		{[][2]float64{{0, 0}, {0, 2}, {0, 4}, {2, 0}, {2, 2}, {2, 4}, {4, 2}, {1, 1}}, 1}, // {1, 1} would be lost
		{[][2]float64{{0, 0}, {0, 2}, {2, 0}, {2, 2}, {0.5, 0.5}}, 2},                     // one is off either lattice
	} {
		if l := newLattice(tt.centers); l.Spacing != tt.spacing {
			t.Errorf("%v: spacing %d, want %d", tt.centers, l.Spacing, tt.spacing)
		}
	}
}

// The measures of all heads together, by hand.
func TestProfileMeasures(t *testing.T) {
	g := Grid{Rows: 9, Cols: 9}
	var profiles []Profile
	for _, h := range []struct{ y, x, precision float64 }{{0, 0, 1e3}, {0, 3, 1e3}, {4, 3.5, 0.25}} {
		profiles = append(profiles, must(GaussianProfile(g, [2]float64{h.y, h.x}, [2][2]float64{{h.precision, 0},
			{0, h.precision}})))
	}
	d := grouped(t, profiles, nil)
	w := profiles[2].Width
	near(t, "mean width", d.Width, w/3, 1e-12)
	near(t, "spread of widths", float64(d.Spread), w/math.Sqrt(3), 1e-9) // of 0, 0, w
	near(t, "nearest centers", float64(d.Nearest), (3+3+math.Hypot(4, 0.5))/3, 1e-12)
	tap := must(GaussianProfile(g, [2]float64{-0.4, 2.3}, [2][2]float64{{92, 0}, {0, 92}}))
	near(t, "row of a tap that is off whole tokens", tap.Center[0], -1/(1+math.Exp(46*(0.36-0.16))), 1e-12)
	near(t, "column of a tap that is off whole tokens", tap.Center[1], 2, 1e-7)
	soft := must(GaussianProfile(g, [2]float64{-0.4, 2.3}, [2][2]float64{{2, 0.5}, {0.5, 1.5}}))
	var sums [3]float64
	for y := -30.0; y < 30; y++ {
		for x := -30.0; x < 30; x++ {
			v := math.Exp(-(2*(y+0.4)*(y+0.4) + (y+0.4)*(x-2.3) + 1.5*(x-2.3)*(x-2.3)) / 2)
			sums[0], sums[1], sums[2] = sums[0]+v, sums[1]+v*y, sums[2]+v*x
		}
	}
	near(t, "row of a soft head", soft.Center[0], sums[1]/sums[0], 1e-12)
	near(t, "column of a soft head", soft.Center[1], sums[2]/sums[0], 1e-12)
	near(t, "distance from the unit lattice", d.OffUnit, math.Sqrt(0.5/3*0.5*2/3), 1e-9) // of 0, 0, ½: variance
	one := grouped(t, profiles[:1], nil)
	if one.Spread.Known() || one.Nearest.Known() || one.Groups[0].Lattice != nil ||
		one.String() != "one profile: one head at (0, 0)" {
		t.Errorf("one head: %+v, %s", one, one)
	}
}

// By chance, centers are on the nearest lattice as often as the comment on latticeHeads says.
func TestLatticesByChance(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 10))
	for heads, want := range map[int]float64{2: 0.79, 3: 0.21, 4: 0.06} {
		const draws = 4000
		on := 0.0
		for range draws {
			centers := make([][2]float64, heads)
			for i := range centers {
				centers[i] = [2]float64{100 * rng.Float64(), 100 * rng.Float64()}
			}
			on += float64(btoi(len(latticeOf(centers, 1).Off) == 0)) / draws
		}
		near(t, fmt.Sprintf("%d heads on a lattice", heads), on, want, 0.02)
	}
}

// What is too much for a sentence is summed up.
func TestProfileSentence(t *testing.T) {
	group := func(width, uneven float64, centers ...[2]float64) ProfileGroup {
		g := ProfileGroup{Centers: centers, Width: width, Uneven: uneven, Heads: make([]int, len(centers))}
		if len(centers) > 3 {
			l := newLattice(centers)
			g.Lattice = &l
		}
		return g
	}
	square := [][2]float64{{0.02, 0}, {0, 1}, {1, 0}, {1, 1}}
	for _, tt := range []struct {
		groups []ProfileGroup
		want   string
	}{
		{[]ProfileGroup{group(0.9, 1, append(square, [2]float64{0, 1})...)},
			"one profile: five heads at four shifts form a 2 × 2 kernel, 0.9 wide"},
		{[]ProfileGroup{group(0.9, 1, append(square, [2]float64{5.5, 2.5})...)},
			"one profile: five heads at centers off a lattice except for four, 0.9 wide"},
		{[]ProfileGroup{group(0, 1, [2]float64{1, 1}, [2]float64{1, 1}, [2]float64{1, 1}, [2]float64{1, 1})},
			"one profile: four heads at one shift, (1, 1)"},
		{[]ProfileGroup{group(6, 0.1, square...), group(5, 0.2, square[:2]...), group(1, 1, [2]float64{-0.04, 1.26})},
			"three profiles: six heads of two profiles average globally; one head at (0, 1.3), 1 wide"},
		{[]ProfileGroup{group(1, 1, [2]float64{}), group(2, 1, [2]float64{}), group(0.33, 1, [2]float64{})},
			"three profiles: one for each head, 0.3 to 2 tokens wide"},
		{[]ProfileGroup{group(1, 1, square...), group(1, 1, square...), group(1, 1, square[:2]...),
			group(1, 1, square[:2]...), group(2, 1, square[:2]...), group(1, 1, square[0]), group(2, 1, square[0]),
			group(3, 1, square[0])}, "eight profiles: four heads form a 2 × 2 kernel, 1 wide; four heads form a 2 × 2 " +
			"kernel, 1 wide; two heads at (0, 0) (0, 1), 1 wide; four heads of two profiles more, 1 to 2 tokens wide; " +
			"three heads of a profile each, 1 to 3 tokens wide"},
	} {
		d := Profiles{Count: len(tt.groups), Groups: tt.groups, Widths: make([]float64, headsOf(tt.groups))}
		if got := d.String(); got != tt.want {
			t.Errorf("%s\n want %s", got, tt.want)
		}
	}
}

func TestProfilesRefuse(t *testing.T) {
	g := Grid{Rows: 4, Cols: 4}
	empty := Layer{Grid: g, In: 1, Out: 1, Padded: true, Attention: [][]float64{uniform(g), make([]float64, 256)},
		Maps: [][]float64{{1}, {1}}}
	two := []Profile{must(ScoreProfile(g, make([]float64, 49))), {Grid: Grid{Rows: 2, Cols: 2}}}
	for what, err := range map[string]error{
		"no scores":     failed(ScoreProfile(g, nil)),
		"NaN":           failed(ScoreProfile(g, slices.Repeat([]float64{math.NaN()}, 49))),
		"precision":     failed(GaussianProfile(g, [2]float64{}, [2][2]float64{{math.Inf(1), 0}, {0, 1}})),
		"far center":    failed(GaussianProfile(g, [2]float64{1e10, 0}, [2][2]float64{{1, 0}, {0, 1}})),
		"NaN center":    failed(GaussianProfile(g, [2]float64{0, math.NaN()}, [2][2]float64{{1, 0}, {0, 1}})),
		"no grid":       failed(GaussianProfile(Grid{}, [2]float64{}, [2][2]float64{{1, 0}, {0, 1}})),
		"no profiles":   failed(NewProfiles(nil, nil, 7)),
		"another grid":  failed(NewProfiles(two, nil, 7)),
		"an empty head": failed(measured(t, empty).Profiles()),
	} {
		if bad, ok := err.(*Error); !ok || bad.Problem == "" {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func failed[T any](_ T, err error) error { return err }

// A quadratic head is a tap if more than half of its softmax is on one shift, of all shifts in reach of it: also beyond
// the grid, and between two tokens not.
func TestTapsOfGaussianHeads(t *testing.T) {
	none := Shift{-99, -99}
	for _, tt := range []struct {
		center    [2]float64
		precision [2][2]float64
		want      Shift
	}{
		{[2]float64{0.3, -0.2}, [2][2]float64{{40, 0}, {0, 40}}, Shift{0, 0}},
		{[2]float64{30.2, -3}, [2][2]float64{{9, 0}, {0, 9}}, Shift{30, -3}},
		{[2]float64{0.5, 0}, [2][2]float64{{400, 0}, {0, 400}}, none},
		{[2]float64{0.45, 0}, [2][2]float64{{40, 0}, {0, 40}}, Shift{0, 0}},
		{[2]float64{1, 1}, [2][2]float64{{1, 0}, {0, 1}}, none},
		{[2]float64{2, 0}, [2][2]float64{{40, 0}, {0, 0}}, none}, // a row
		{[2]float64{0, 1}, [2][2]float64{{20, 14}, {14, 20}}, Shift{0, 1}},
		{[2]float64{0, 0}, [2][2]float64{{1e-9, 0}, {0, 1e-9}}, none},
	} {
		p, err := GaussianProfile(Grid{Rows: 8, Cols: 8}, tt.center, tt.precision)
		if err != nil {
			t.Fatal(err)
		}
		got, most, sum := none, 0.0, 0.0
		for r := -200; r <= 200; r++ {
			for c := -200; c <= 200; c++ {
				y, x := float64(r)-tt.center[0], float64(c)-tt.center[1]
				v := math.Exp(-(tt.precision[0][0]*y*y + 2*tt.precision[0][1]*x*y + tt.precision[1][1]*x*x) / 2)
				if sum += v; v > most {
					got, most = Shift{r, c}, v
				}
			}
		}
		if most <= sum/2 {
			got = none
		}
		if got != tt.want {
			t.Fatalf("the test's own tap of %v, %v is %v, want %v", tt.center, tt.precision, got, tt.want)
		}
		if p.Tap == nil && tt.want != none || p.Tap != nil && *p.Tap != tt.want {
			t.Errorf("tap of %v, %v: %v, want %v", tt.center, tt.precision, p.Tap, tt.want)
		}
	}
	p, err := ScoreProfile(Grid{Rows: 2, Cols: 2}, []float64{0, 0, 0, 0, 3, 0, 0, 0, 0})
	if err != nil || p.Tap == nil || *p.Tap != (Shift{}) {
		t.Errorf("a table with e³/(e³+8) of its weight on the query: %v, %v", p.Tap, err)
	}
	if p, err = ScoreProfile(Grid{Rows: 2, Cols: 2}, []float64{0, 0, 0, 0, 2, 0, 0, 0, 0}); err != nil || p.Tap != nil {
		t.Errorf("a table with e²/(e²+8) of its weight on the query: %v, %v", p.Tap, err)
	}
}
