package sweep

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
)

// Halving spends less on trials that are worse: all are trained for the epochs of the first rung, the best part of them
// for those of the second, and so on; the best part of the last rung is trained to the end. Nothing is stored of who
// goes on: that is a function of the epochs that the trials' runs have recorded, so that every process that sees them
// decides alike. A rung is decided once all of its trials have reached it. A trial that goes on resumes its run, and
// ends with the bytes of one that was never stopped.
type Halving struct {
	Keep   int   `json:"keep"`   // of so many points, one goes on
	Rungs  []int `json:"rungs"`  // epochs, increasing and fewer than Epochs
	Epochs int   `json:"epochs"` // of a whole run
}

// The states of a trial that halving adds to those of State.
const (
	Paused = "paused" // at the rung, which other trials have not reached
	Pruned = "pruned" // not among the best of its rung: it is trained no further
)

// Goals of a trial besides a number of epochs.
const (
	toEnd  = 0
	noMore = -1
)

// check refuses halving that makes no sense for a plan.
func (h *Halving) check() error {
	last := 0
	for _, epochs := range h.Rungs {
		if epochs <= last {
			return fmt.Errorf("rungs %v: want increasing numbers of epochs", h.Rungs)
		}
		last = epochs
	}
	if h.Keep < 2 || len(h.Rungs) == 0 || last >= h.Epochs {
		return fmt.Errorf("rungs %v of %d epochs, and one of %d goes on: want rungs before the end, and one of 2 or "+
			"more", h.Rungs, h.Epochs, h.Keep)
	}
	return nil
}

// kept is how many of n points go on.
func (h *Halving) kept(n int) int { return max(1, n/h.Keep) }

// rungs returns the rungs of so many points that are trained for epochs: at equal distances d, 2d, … The first rung
// drops most points, and while the learning rate is high, an early one knows little of the end. So d is the largest
// with which all epochs together are less than half of those of training every point to the end; the number of rungs
// is the smallest with that d.
func rungs(keep, points, epochs int) (all []int) {
	distance, number, most := 0, 0, 0
	begun, alive := 0, points // points that begin a stretch of d epochs, added up; points that go on behind the last
	for n := 1; n < epochs; n++ {
		begun += alive
		if alive /= keep; alive == 0 {
			break
		}
		most = n
		// begun·d + alive·(epochs - n·d) < points·epochs/2
		d := min((points*epochs-2*alive*epochs-1)/(2*(begun-n*alive)), (epochs-1)/n)
		if d > distance {
			distance, number = d, n
		}
	}
	if distance == 0 { // too few epochs or points for half
		distance, number = 1, most
	}
	for k := range number {
		all = append(all, distance*(k+1))
	}
	return all
}

// A reading is what the run of a trial tells now.
type reading struct {
	state  string
	status run.Status
	epochs []event.Epoch // with halving: those that it has recorded, in order
}

// read reads the run of trial i.
func (p *Plan) read(i int) (r reading) {
	r.state, r.status = p.State(i)
	if p.Halving == nil || !Resumable(r.state) {
		return r
	}
	records, err := (&run.Dir{Path: p.Dir(i)}).Records(event.Kind(event.Epoch{}))
	if err != nil { // none, or being written
		return r
	}
	for _, rec := range records {
		r.epochs = append(r.epochs, rec.Event.(event.Epoch))
	}
	return r
}

// reached reports whether a run has been trained for so many epochs. One that diverged will not come farther.
func (r reading) reached(epochs int) bool {
	return Finished(r.state) || len(r.epochs) > 0 && r.epochs[len(r.epochs)-1].Epoch >= epochs
}

// best is the highest validation accuracy of the first epochs; -1: it diverged within them, or none was measured.
func (r reading) best(epochs int) float64 {
	best, last := -1.0, 0
	for _, e := range r.epochs {
		if last = e.Epoch; e.Epoch <= epochs && e.ValAcc > best { // false for NaN
			best = e.ValAcc
		}
	}
	if last < epochs {
		return -1
	}
	return best
}

// A standing is how far the trials are, and how far each is to be trained now.
type standing struct {
	plan  *Plan
	all   []reading
	goals []int // epochs, toEnd or noMore; without halving nil: all to the end
	rung  int   // that is being trained: an index of Rungs, or their number for the end
	alive []int // the number of points in each rung, as far as that is decided
}

// standing reads the trials of; nil: all. Halving needs all of them in any case.
func (p *Plan) standing(of []int) *standing {
	s := &standing{plan: p, all: make([]reading, len(p.Trials))}
	if of == nil || p.Halving != nil {
		of = p.All()
	}
	p.each(len(of), func(k int) { s.all[of[k]] = p.read(of[k]) })
	if p.Halving != nil {
		s.decide()
	}
	return s
}

// decide sets the goals. Points are ranked by the mean over their seeds; of equal ones, the first in the plan goes on.
func (s *standing) decide() {
	alive := s.plan.points()
	s.goals = make([]int, len(s.all))
	set := func(point []int, goal int) {
		for _, i := range point {
			s.goals[i] = goal
		}
	}
	for _, epochs := range s.plan.Halving.Rungs {
		s.alive = append(s.alive, len(alive))
		undecided := false
		for _, point := range alive {
			set(point, epochs)
			undecided = undecided || slices.ContainsFunc(point, func(i int) bool { return !s.all[i].reached(epochs) })
		}
		if undecided {
			return
		}
		mean := func(point []int) (sum float64) {
			for _, i := range point {
				sum += s.all[i].best(epochs) / float64(len(point))
			}
			return sum
		}
		slices.SortStableFunc(alive, func(a, b []int) int { return cmp.Compare(mean(b), mean(a)) })
		kept := s.plan.Halving.kept(len(alive))
		for _, point := range alive[kept:] {
			set(point, noMore)
		}
		alive = alive[:kept]
		slices.SortFunc(alive, func(a, b []int) int { return a[0] - b[0] })
		s.rung++
	}
	s.alive = append(s.alive, len(alive))
	for _, point := range alive {
		set(point, toEnd)
	}
}

// points lists the trials of each combination of settings, which differ only in the seed, in the order of the plan.
func (p *Plan) points() (all [][]int) {
	at := map[string]int{}
	for i, t := range p.Trials {
		key := strings.Join(newPoint(p.Axes, t.Values).values, "\n")
		k, known := at[key]
		if !known {
			k = len(all)
			at[key], all = k, append(all, nil)
		}
		all[k] = append(all[k], i)
	}
	return all
}

// until returns for how many epochs trial i is to be trained now; 0: to its end.
func (s *standing) until(i int) int {
	if s.goals == nil {
		return toEnd
	}
	return s.goals[i]
}

// over reports whether trial i needs no work now.
func (s *standing) over(i int) bool {
	goal := s.until(i)
	return Finished(s.all[i].state) || goal == noMore || goal > 0 && s.all[i].reached(goal)
}

// reached reports whether trial i has by now come to the goal that it had then.
func (s *standing) reached(i int) bool {
	r := s.plan.read(i)
	return Finished(r.state) || s.until(i) > 0 && r.reached(s.until(i))
}

// state is that of trial i, with those that halving adds.
func (s *standing) state(i int) string {
	switch state := s.all[i].state; {
	case !s.over(i) || Finished(state):
		return state
	case s.until(i) == noMore:
		return Pruned
	}
	return Paused
}

// seconds is what trial i takes as planned until its goal of now.
func (s *standing) seconds(i int) float64 {
	h, whole := s.plan.Halving, s.plan.Trials[i].ETA
	if h == nil {
		return whole
	}
	goal, done := s.until(i), s.all[i].status.Epoch
	if goal == toEnd {
		goal = h.Epochs
	}
	return whole * float64(max(0, goal-done)) / float64(h.Epochs)
}

// left is the planned seconds of the trials that are not over, and with halving of the rungs to come, whose trials are
// taken to be as long as the mean.
func (s *standing) left() (sum float64) {
	for i := range s.all {
		if !s.over(i) {
			sum += s.seconds(i)
		}
	}
	if h := s.plan.Halving; h != nil && s.rung < len(h.Rungs) {
		points := s.alive[s.rung]
		each := s.plan.sum() / float64(len(s.plan.points())) / float64(h.Epochs)
		for k := s.rung; k < len(h.Rungs); k++ {
			points = h.kept(points)
			sum += each * float64(points) * float64(h.end(k+1)-h.Rungs[k])
		}
	}
	return sum
}

// end is the number of epochs of rung k.
func (h *Halving) end(k int) int {
	if k < len(h.Rungs) {
		return h.Rungs[k]
	}
	return h.Epochs
}

// Schedule says how far points are trained: 27 to epoch 1, 9 to epoch 3, 3 to epoch 9.
func (h *Halving) Schedule(points int) string {
	var words []string
	for k := range len(h.Rungs) + 1 {
		words = append(words, fmt.Sprintf("%d to epoch %d", points, h.end(k)))
		points = h.kept(points)
	}
	return strings.Join(words, ", ")
}

// Points is the number of combinations of settings, each with all its seeds.
func (p *Plan) Points() int { return len(p.points()) }

// Until returns for how many epochs trial i is to be trained now; 0: to its end.
func (p *Plan) Until(i int) int {
	if p.Halving == nil {
		return toEnd
	}
	return max(0, p.standing(nil).until(i))
}

// Over returns the state of trial i, with Paused and Pruned, its run's status, and whether it needs no work now.
func (p *Plan) Over(i int) (state string, status run.Status, over bool) {
	s := p.standing([]int{i})
	return s.state(i), s.all[i].status, s.over(i)
}
