package study

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/attnconv/attnconv/report"
	"github.com/attnconv/attnconv/run"
)

// A TimeToAccuracy is how long models trained until they had accuracies on held-out images. Measuring training by the time
// to an accuracy is DAWNBench's: Coleman et al. 2019 (ACM SIGOPS Operating Systems Review 53, 14).
type TimeToAccuracy struct {
	Targets  []float64 // accuracies, ascending
	Machines []Machine // of all runs
	Rows     []TargetRow
}

// A TargetRow is one model: runs that differ only in the seed.
type TargetRow struct {
	Group
	Best    float64    // highest held-out accuracy, mean over the runs
	EpochS  float64    // seconds of an epoch, mean over the runs
	Targets []Approach // one for each target
}

// An Approach is when the runs of a row first had an accuracy: at the end of the first epoch that was evaluated to have it.
// A mean over only those that got there would be the smaller the more runs failed, so there is a mean of all runs or none.
type Approach struct {
	Runs    int     // how many reached it
	Pending int     // how many did not, but are not finished
	Points  []Point // where each run reached it; Epoch is 0 for one that did not
	Seconds Mean    // of training; none, too, if the runs had different machines
	Images  Mean    // that were trained on
}

// A Mean is a mean over runs with its interval. It is none, NaN, unless all runs have a value.
type Mean struct {
	Mean float64
	CI   Interval // over seeds; none for one run, and if all took as many epochs: an epoch is the unit, so this is not certainty
}

// meanOf returns the mean of n values that are not negative, with Student's interval, limited to 0. Fewer than n have none.
func meanOf(values []float64, n int) Mean {
	m := Mean{math.NaN(), none}
	if len(values) < n || n == 0 {
		return m
	}
	m.Mean = mean(values)
	if n > 1 && variance(values) > 0 {
		c := component{variance(values) / float64(n), float64(n - 1)}
		half := c.quantile(confidence) * math.Sqrt(c.v)
		m.CI = Interval{max(0, m.Mean-half), m.Mean + half}
	}
	return m
}

// NewTimeToAccuracy reports the times of runs, as SelectHeldOut returns them, to targets, as Targets returns them. The model
// that is first to the highest target is first.
func NewTimeToAccuracy(runs []Run, targets []float64) (*TimeToAccuracy, error) {
	if len(runs) == 0 || len(targets) == 0 {
		return nil, errors.New("study: time to accuracy: want one or more runs and targets")
	}
	t := &TimeToAccuracy{Targets: targets}
	for _, g := range Groups(runs) {
		r := TargetRow{Group: g, Best: mean(each(g, best)), EpochS: mean(each(g, epochSeconds))}
		machines := machinesOf(g.Runs)
		for _, target := range targets {
			a := approach(g, target)
			if len(machines) > 1 {
				a.Seconds = Mean{math.NaN(), none}
			}
			r.Targets = append(r.Targets, a)
		}
		t.Rows = append(t.Rows, r)
	}
	slices.SortStableFunc(t.Rows, TargetRow.compare)
	var inOrder []Run
	for _, r := range t.Rows {
		inOrder = append(inOrder, r.Runs...)
	}
	t.Machines = machinesOf(inOrder)
	return t, nil
}

// compare is negative if r was before s: more of its runs reached the highest target, or in less time, or the next.
func (r TargetRow) compare(s TargetRow) int {
	share := func(r TargetRow, i int) float64 { return float64(r.Targets[i].Runs) / float64(len(r.Runs)) }
	for i := range slices.Backward(r.Targets) {
		a, b := r.Targets[i].Seconds.Mean, s.Targets[i].Seconds.Mean
		if order := cmp.Compare(share(s, i), share(r, i)); order != 0 {
			return order
		}
		if a < b {
			return -1
		} else if a > b {
			return 1
		}
	}
	return cmp.Compare(s.Best, r.Best)
}

func approach(g Group, target float64) Approach {
	var a Approach
	var seconds, images []float64
	for _, r := range g.Runs {
		p, ok := r.reach(target)
		a.Points = append(a.Points, p)
		switch {
		case ok:
			a.Runs++
			seconds, images = append(seconds, p.Seconds), append(images, float64(p.Images))
		case r.State == run.Running || r.State == run.Stopped:
			a.Pending++
		}
	}
	a.Seconds, a.Images = meanOf(seconds, len(g.Runs)), meanOf(images, len(g.Runs))
	if math.IsNaN(a.Images.CI.Lo) { // the times of one epoch differ by the machine's speed alone
		a.Seconds.CI = none
	}
	return a
}

// best returns the highest accuracy of a run so far.
func best(r Run) float64 {
	most := math.NaN()
	for _, p := range r.Curve {
		if !(p.ValAcc <= most) && !math.IsNaN(p.ValAcc) {
			most = p.ValAcc
		}
	}
	return most
}

// epochSeconds returns the mean time of a run's epochs.
func epochSeconds(r Run) float64 {
	last := r.Curve[len(r.Curve)-1]
	return last.Seconds / float64(last.Epoch)
}

// machinesOf returns the different machines of runs.
func machinesOf(runs []Run) (all []Machine) {
	for _, r := range runs {
		for _, m := range r.Machines {
			if !slices.Contains(all, m) {
				all = append(all, m)
			}
		}
	}
	return all
}

// Runs counts the runs that are reported.
func (t *TimeToAccuracy) Runs() (n int) {
	for _, r := range t.Rows {
		n += len(r.Runs)
	}
	return n
}

// Warning returns what makes the times incomparable, or "".
func (t *TimeToAccuracy) Warning() string {
	var timed []Timed
	for _, r := range t.Rows {
		for _, run := range r.Runs {
			timed = append(timed, Timed{run.ID, run.Machines})
		}
	}
	return MixedMachines(timed)
}

// Document returns the report as a JSON document.
func (t *TimeToAccuracy) Document() report.TimeToAccuracy {
	first := t.Rows[0].Runs[0]
	d := report.TimeToAccuracy{V: 1, Data: first.Value("data.name"), ValN: first.ValN, Targets: t.Targets}
	for _, m := range t.Machines {
		of := report.RunMachine{CPU: m.CPU, Device: m.Device, Threads: m.Threads, Kernels: m.Kernels}
		for _, r := range t.Rows {
			for _, run := range r.Runs {
				if slices.Contains(run.Machines, m) {
					of.Runs = append(of.Runs, run.ID)
				}
			}
		}
		d.Machines = append(d.Machines, of)
	}
	for _, r := range t.Rows {
		row := report.TargetRow{Name: r.Name, N: len(r.Runs), Seeds: r.Seeds(), Runs: ids(r.Group), Best: report.Finite(r.Best),
			EpochS: report.Finite(r.EpochS)}
		for i, a := range r.Targets {
			row.Targets = append(row.Targets, a.document(t.Targets[i], r.Group))
		}
		d.Rows = append(d.Rows, row)
	}
	return d
}

func (a Approach) document(target float64, g Group) report.TargetReached {
	d := report.TargetReached{Acc: target, N: a.Runs, Pending: a.Pending, Seconds: report.Finite(a.Seconds.Mean),
		SecondsCI: a.Seconds.CI.pair(), Images: report.Finite(a.Images.Mean), ImagesCI: a.Images.CI.pair(), Runs: []report.TargetRun{}}
	for i, p := range a.Points {
		if p.Epoch > 0 {
			d.Runs = append(d.Runs, report.TargetRun{ID: g.Runs[i].ID, Epoch: p.Epoch, Seconds: p.Seconds, Images: p.Images})
		}
	}
	return d
}
