package analyse

import (
	"math"

	"github.com/attnconv/attnconv/null"
)

// oneProfile is the largest total variation distance of two heads that are said to have one profile.
const oneProfile = 0.05

// Profiles are how many profiles the heads of a layer have. Lengths are in tokens.
type Profiles struct {
	Count   int            `json:"count"`    // groups of heads no two of which are farther apart than 0.05
	AtMost  bool           `json:"at_most"`  // the heads were aligned by whole tokens: there may be fewer profiles
	Curve   []ProfileCount `json:"curve"`    // count for other distances
	Groups  []ProfileGroup `json:"groups"`   // heads with one profile, the largest group first
	Widths  []float64      `json:"widths"`   // of each head: root mean square distance from its mean shift
	Width   float64        `json:"width"`    // mean of the heads
	Spread  null.Float     `json:"spread"`   // standard deviation of the heads' widths; null: one head
	Nearest null.Float     `json:"nearest"`  // mean distance of a center to the nearest other center; null: one head
	OffUnit float64        `json:"off_unit"` // root mean square distance of all centers from the nearest unit lattice
}

// A ProfileCount is the number of profiles at a distance.
type ProfileCount struct {
	Distance float64 `json:"distance"` // largest total variation distance of two heads with one profile
	Count    int     `json:"count"`    // profiles
}

// A ProfileGroup is heads with one profile.
type ProfileGroup struct {
	Heads   []int        `json:"heads"`   // from 1
	Centers [][2]float64 `json:"centers"` // of each: row, column
	Width   float64      `json:"width"`   // root mean square distance from the mean shift; mean of the heads
	// total variation distance from the same weight for all shifts, a mean; 0: the heads average all tokens
	Uneven  float64     `json:"uneven"`
	Share   null.Float  `json:"share"`   // of the layer's squared norm; may be negative
	Cross   null.Float  `json:"cross"`   // of share, products with heads of other groups
	Lattice *Lattice    `json:"lattice"` // that the centers are nearest to; null: fewer than four heads
	Profile [][]float64 `json:"profile"` // of the head in the middle of the group: rows × columns, 0 in the middle
}

// global reports whether the heads average all tokens: at least three quarters of their weight is the same for all
// shifts.
func (g ProfileGroup) global() bool { return g.Uneven <= 0.25 }

// NewProfiles groups the profiles of a layer's heads by complete linkage. o has the heads' shares; if it is nil, they
// are unknown. shown is the largest shift of ProfileGroup.Profile.
func NewProfiles(profiles []Profile, o *Operator, shown int) (*Profiles, error) {
	if len(profiles) == 0 || len(profiles) > maxHeads {
		return nil, wrong("profiles", "%d: want 1 to %d", len(profiles), maxHeads)
	}
	for h, p := range profiles {
		if p.Grid != profiles[0].Grid || len(p.P) != len(p.Grid.Shifts()) {
			return nil, wrong("profiles", "head %d has %d shifts of %d × %d tokens, and the first head %d × %d", h+1,
				len(p.P), p.Grid.Rows, p.Grid.Cols, profiles[0].Grid.Rows, profiles[0].Grid.Cols)
		}
	}
	distances, moves := between(profiles)
	joins := linkage(distances)
	d := &Profiles{AtMost: !profiles[0].Centered, Spread: null.Unknown, Nearest: null.Unknown}
	for hundredths := 2; hundredths <= 20; hundredths++ {
		at := float64(hundredths) / 100
		d.Curve = append(d.Curve, ProfileCount{at, len(groupsAt(len(profiles), joins, at))})
	}
	groups := groupsAt(len(profiles), joins, oneProfile)
	d.Count = len(groups)
	shares, cross := o.groupShares(groups)
	for i, heads := range groups {
		g := newGroup(profiles, heads, distances, moves, shown)
		g.Share, g.Cross = shares[i], cross[i]
		d.Groups = append(d.Groups, g)
	}
	d.measure(profiles)
	return d, nil
}

// between returns the distances of all pairs, (heads, heads), and the shifts from the second head to the first at which
// they are that near.
func between(profiles []Profile) (distances [][]float64, moves [][]Shift) {
	distances, moves = make([][]float64, len(profiles)), make([][]Shift, len(profiles))
	for i := range profiles {
		distances[i], moves[i] = make([]float64, len(profiles)), make([]Shift, len(profiles))
		for j := range i {
			at, s := profiles[i].Distance(profiles[j])
			distances[i][j], distances[j][i] = at, at
			moves[i][j], moves[j][i] = s, Shift{-s[0], -s[1]}
		}
	}
	return distances, moves
}

func newGroup(profiles []Profile, heads []int, distances [][]float64, moves [][]Shift, shown int) ProfileGroup {
	g, middle, least := ProfileGroup{}, heads[0], math.Inf(1)
	for _, h := range heads {
		far := 0.0
		for _, other := range heads {
			far = max(far, distances[h][other])
		}
		if far < least {
			middle, least = h, far
		}
	}
	for _, h := range heads {
		p := profiles[h]
		g.Heads = append(g.Heads, h+1)
		g.Width += p.Width / float64(len(heads))
		g.Uneven += p.Uneven / float64(len(heads))
		center := p.Center
		if !p.Centered { // a little weight far away moves the mean, and not the alignment
			for axis := range center {
				center[axis] = profiles[middle].Center[axis] + float64(moves[h][middle][axis])
			}
		}
		g.Centers = append(g.Centers, center)
	}
	if len(heads) >= latticeHeads {
		l := newLattice(g.Centers)
		for i, at := range l.Off {
			l.Off[i] = g.Heads[at-1]
		}
		g.Lattice = &l
	}
	g.Profile = profiles[middle].around(shown)
	return g
}

// around lays the profile out by shift from its center, up to shifts of reach tokens.
func (p Profile) around(reach int) [][]float64 {
	at := Shift{}
	if !p.Centered {
		at = Shift{int(math.Round(p.Center[0])), int(math.Round(p.Center[1]))}
	}
	rows, cols := min(reach, p.Grid.Rows-1), min(reach, p.Grid.Cols-1)
	all := make([][]float64, 2*rows+1)
	for r := range all {
		all[r] = make([]float64, 2*cols+1)
		for c := range all[r] {
			s := Shift{at[0] + r - rows, at[1] + c - cols}
			if p.Grid.Pairs(s) > 0 {
				all[r][c] = math.Round(p.P[p.Grid.Index(s)]*1e6) / 1e6
			}
		}
	}
	return all
}

// groupShares returns the part of ‖L‖² of each group c of heads, and of it the products with heads of other groups:
//
//	Σ_{h∈c} Σ_g ⟨P^h, P^g⟩⟨W_h, W_g⟩ / ‖L‖²,  and the same over g ∉ c
//
// The parts add up to 1. Those of a nil operator are unknown.
func (o *Operator) groupShares(groups [][]int) (shares, cross []null.Float) {
	shares, cross = make([]null.Float, len(groups)), make([]null.Float, len(groups))
	if o == nil {
		for i := range groups {
			shares[i], cross[i] = null.Unknown, null.Unknown
		}
		return shares, cross
	}
	heads := len(o.Layer.Attention)
	of := make([]int, heads)
	for i, group := range groups {
		for _, h := range group {
			of[h] = i
		}
	}
	for h, p := range o.Layer.Attention {
		for g := range h + 1 {
			v := null.Float(dot(p, o.Layer.Attention[g]) * o.values[h*heads+g] / o.whole.total)
			shares[of[h]] += v
			if g != h {
				shares[of[g]] += v
			}
			if of[g] != of[h] {
				cross[of[h]] += v
				cross[of[g]] += v
			}
		}
	}
	return shares, cross
}

// measure has the measures of all heads together.
func (d *Profiles) measure(profiles []Profile) {
	centers := make([][2]float64, len(profiles))
	for h, p := range profiles {
		centers[h] = p.Center
		d.Widths = append(d.Widths, p.Width)
		d.Width += p.Width / float64(len(profiles))
	}
	d.OffUnit = latticeOf(centers, 1).Distance
	if len(profiles) < 2 {
		return
	}
	squares, nearest := 0.0, 0.0
	for h, c := range centers {
		squares += (d.Widths[h] - d.Width) * (d.Widths[h] - d.Width)
		least := math.Inf(1)
		for g, other := range centers {
			if g != h {
				least = min(least, math.Hypot(c[0]-other[0], c[1]-other[1]))
			}
		}
		nearest += least / float64(len(profiles))
	}
	d.Spread = null.Float(math.Sqrt(squares / float64(len(profiles)-1)))
	d.Nearest = null.Float(nearest)
}
