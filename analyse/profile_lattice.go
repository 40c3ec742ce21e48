package analyse

import (
	"math"
	"slices"
)

// latticeHeads is from how many heads on a lattice says something: the centers of two are within 0.25 tokens of one by
// chance in 79 % of the cases, of three in 21 %, of four in 6 %, of five in 1 %.
const latticeHeads = 4

const (
	offLattice  = 0.25 // tokens, beyond which a center is off a lattice
	widest      = 3    // largest spacing that is looked for
	coincidence = 0.05 // chance by which heads of a unit lattice may be on a wider one
)

// A Lattice is the shifts Offset + Spacing·(i, j) for whole numbers i and j, and which of them heads have. Lengths are
// in tokens.
type Lattice struct {
	Spacing  int          `json:"spacing"`  // 1, or the dilation
	Offset   [2]float64   `json:"offset"`   // of its shift nearest to zero: row, column
	Distance float64      `json:"distance"` // root mean square distance of the centers from it
	Sides    [2]int       `json:"sides"`    // rows and columns of the least rectangle of its shifts that has the heads
	Shifts   [][2]float64 `json:"shifts"`   // that heads have
	Missing  [][2]float64 `json:"missing"`  // the others of the rectangle, if the heads have half of it or more
	Off      []int        `json:"off"`      // heads that are farther than 0.25 tokens from it, from 1

	points [][2]int // shifts that heads have, in units of the lattice
}

// Kernel reports whether the heads have half of the rectangle or more.
func (l Lattice) Kernel() bool {
	return len(l.points) > 0 && 2*float64(len(l.points)) >= float64(l.Sides[0])*float64(l.Sides[1])
}

// newLattice returns the lattice nearest to centers, in least mean squares. Every wider lattice is part of a unit one,
// so the unit lattice is never farther away. A wider one is taken if it loses no head, and if so many shifts of a unit
// lattice would be on it by chance in at most 5 % of the cases: each after the first is with probability 1/spacing². Of
// several the widest is taken.
func newLattice(centers [][2]float64) Lattice {
	unit := latticeOf(centers, 1)
	for spacing := widest; spacing > 1; spacing-- {
		l := latticeOf(centers, spacing)
		chance := math.Pow(1/float64(spacing*spacing), float64(len(l.points)-1))
		if len(l.Off) == len(unit.Off) && chance <= coincidence {
			return l
		}
	}
	return unit
}

func latticeOf(centers [][2]float64, spacing int) Lattice {
	l := Lattice{Spacing: spacing, Shifts: [][2]float64{}, Missing: [][2]float64{}, Off: []int{}}
	for axis := range l.Offset {
		l.Offset[axis] = offsetOf(centers, axis, float64(spacing))
	}
	for i, c := range centers {
		at, away := l.nearest(c)
		l.Distance += away * away / float64(len(centers))
		if away > offLattice {
			l.Off = append(l.Off, i+1)
		} else if !slices.Contains(l.points, at) {
			l.points = append(l.points, at)
		}
	}
	l.Distance = math.Sqrt(l.Distance)
	slices.SortFunc(l.points, byRow)
	for _, at := range l.points {
		l.Shifts = append(l.Shifts, l.shift(at))
	}
	l.fill()
	return l
}

func byRow(a, b [2]int) int { return slices.Compare(a[:], b[:]) }

// nearest returns the lattice's shift nearest to a center, in units of the lattice, and how far that is.
func (l Lattice) nearest(center [2]float64) (at [2]int, away float64) {
	var d [2]float64
	for axis, v := range center {
		unit := math.Round((v - l.Offset[axis]) / float64(l.Spacing))
		at[axis] = int(unit)
		d[axis] = v - l.Offset[axis] - unit*float64(l.Spacing)
	}
	return at, math.Hypot(d[0], d[1])
}

func (l Lattice) shift(at [2]int) [2]float64 {
	return [2]float64{l.Offset[0] + float64(l.Spacing*at[0]), l.Offset[1] + float64(l.Spacing*at[1])}
}

// fill sets the rectangle and what is missing of it.
func (l *Lattice) fill() {
	if len(l.points) == 0 {
		return
	}
	least, most := l.corners()
	l.Sides = [2]int{most[0] - least[0] + 1, most[1] - least[1] + 1}
	if !l.Kernel() {
		return
	}
	for r := least[0]; r <= most[0]; r++ {
		for c := least[1]; c <= most[1]; c++ {
			if at := [2]int{r, c}; !slices.Contains(l.points, at) {
				l.Missing = append(l.Missing, l.shift(at))
			}
		}
	}
}

// corners returns the first and the last shift of the rectangle, in units of the lattice.
func (l Lattice) corners() (least, most [2]int) {
	least, most = l.points[0], l.points[0]
	for _, at := range l.points {
		for axis, v := range at {
			least[axis], most[axis] = min(least[axis], v), max(most[axis], v)
		}
	}
	return least, most
}

// offsetOf returns o in [-spacing/2, spacing/2], for which Σ_i d(c_i - o)² is least, where d is the distance to the
// nearest multiple of spacing. The best o is the mean of the remainders of c, of which some first ones in order count
// one spacing later. So as many means are tried as there are centers.
func offsetOf(centers [][2]float64, axis int, spacing float64) float64 {
	rest := make([]float64, len(centers))
	for i, c := range centers {
		rest[i] = c[axis] - spacing*math.Floor(c[axis]/spacing)
	}
	slices.Sort(rest)
	best, offset := math.Inf(1), 0.0
	for first := range rest {
		mean, sum := 0.0, 0.0
		for i, v := range rest {
			mean += (v + spacing*float64(btoi(i < first))) / float64(len(rest))
		}
		for i, v := range rest {
			d := v + spacing*float64(btoi(i < first)) - mean
			sum += d * d
		}
		if sum < best-1e-12 {
			best, offset = sum, mean
		}
	}
	offset -= spacing * math.Round(offset/spacing)
	return math.Round(offset*1e9) / 1e9
}
