package bench

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/study"
	"github.com/attnconv/attnconv/study/stats"
)

// TimeToAccuracy is how long models trained until they reached accuracies on validation images: the document of bench
// --report time-to-accuracy. DAWNBench introduced this measure of training: Coleman et al. 2019 (ACM SIGOPS Operating
// Systems Review 53, 14).
type TimeToAccuracy struct {
	V        int          `json:"v"`        // 1
	Data     string       `json:"data"`     // name of the data set
	ValN     int          `json:"val_n"`    // number of validation images; 0: unknown
	Targets  []float64    `json:"targets"`  // accuracies, ascending
	Machines []RunMachine `json:"machines"` // that trained the runs; times on different ones do not compare
	Rows     []TargetRow  `json:"rows"`     // the first to the highest target first
}

// A RunMachine is a machine, and the runs that it trained.
type RunMachine struct {
	study.Machine
	Runs []string `json:"runs"` // ids; a run that was resumed with other threads or kernels is in several
}

// A TargetRow is one model: runs that differ only in the seed.
type TargetRow struct {
	study.Group
	N     int        `json:"n"`            // number of runs
	Seeds []uint64   `json:"seeds"`        // of the runs
	IDs   []string   `json:"runs"`         // ids
	Best  null.Float `json:"best_val_acc"` // highest validation accuracy, mean over the runs
	// of an epoch, mean over the runs: times are exact to an evaluated epoch
	EpochS  null.Float   `json:"epoch_s"`
	Targets []TargetTime `json:"targets"` // one for each target
}

// A TargetTime is when the runs of a model first reached an accuracy: at the end of the first evaluated epoch that
// has it. A mean over only the runs that reached the target would be smaller the more runs failed. So there is a mean
// of all runs or none.
type TargetTime struct {
	Acc     float64 `json:"acc"`     // the target
	N       int     `json:"reached"` // number of runs that reached it
	Pending int     `json:"pending"` // number of runs that did not, but are not finished
	// of training, mean; null unless all runs reached it, on one kind of machine
	Seconds null.Float `json:"seconds"`
	// 95 % interval of the mean over seeds; null for one run, and if all runs took as many epochs
	SecondsCI stats.Interval `json:"seconds_ci"`
	Images    null.Float     `json:"images"` // that were trained on, mean; null unless all runs reached it
	// 95 % interval of the mean over seeds; null for one run, and if all runs took as many epochs
	ImagesCI stats.Interval `json:"images_ci"`
	Runs     []TargetRun    `json:"runs"` // those that reached it
}

// A TargetRun is when one run first reached an accuracy.
type TargetRun struct {
	ID      string  `json:"id"`      // of the run
	Epoch   int     `json:"epoch"`   // at whose end
	Seconds float64 `json:"seconds"` // of training, evaluations and checkpoints included
	Images  int     `json:"images"`  // that were trained on, each as often as it was
}

// NewTimeToAccuracy reports the times that runs, as SelectHeldOut returns them, took to reach targets, as Targets
// returns them. The model that is first to the highest target is first.
func NewTimeToAccuracy(of []study.Run, targets []float64) (*TimeToAccuracy, error) {
	if len(of) == 0 || len(targets) == 0 {
		return nil, errors.New("time to accuracy: want one or more runs and targets")
	}
	t := &TimeToAccuracy{V: 1, Targets: targets}
	for _, g := range study.Groups(of) {
		r := TargetRow{Group: g, N: len(g.Runs), Seeds: g.Seeds(), IDs: g.IDs(),
			Best: null.Float(stats.Average(g.Each(best))), EpochS: null.Float(stats.Average(g.Each(epochSeconds)))}
		for _, target := range targets {
			r.Targets = append(r.Targets, targetTime(g, target))
		}
		t.Rows = append(t.Rows, r)
	}
	slices.SortStableFunc(t.Rows, TargetRow.compare)
	first := t.Rows[0].Runs[0]
	t.Data, t.ValN = first.Value("data.name"), first.ValN
	for _, row := range t.Rows {
		for _, r := range row.Runs {
			for _, m := range r.Machines {
				i := t.machine(m)
				if i < 0 {
					i = len(t.Machines)
					t.Machines = append(t.Machines, RunMachine{Machine: m})
				}
				if of := &t.Machines[i].Runs; !slices.Contains(*of, r.ID) {
					*of = append(*of, r.ID)
				}
			}
		}
	}
	return t, nil
}

// machine returns the index of a machine in t.Machines, or -1.
func (t *TimeToAccuracy) machine(m study.Machine) int {
	return slices.IndexFunc(t.Machines, func(of RunMachine) bool { return of.Machine == m })
}

// compare is negative if r comes before s: more of its runs reached the highest target, or in less time, or else the
// next target.
func (r TargetRow) compare(s TargetRow) int {
	for i, of := range slices.Backward(r.Targets) {
		other := s.Targets[i]
		order := cmp.Compare(float64(other.N)/float64(s.N), float64(of.N)/float64(r.N))
		switch {
		case order != 0:
			return order
		case of.Seconds < other.Seconds:
			return -1
		case of.Seconds > other.Seconds:
			return 1
		}
	}
	return cmp.Compare(s.Best, r.Best)
}

func targetTime(g study.Group, target float64) TargetTime {
	t := TargetTime{Acc: target, Runs: []TargetRun{}}
	var seconds, images []float64
	for _, r := range g.Runs {
		p, ok := r.Reach(target)
		switch {
		case ok:
			t.N++
			t.Runs = append(t.Runs, TargetRun{ID: r.ID, Epoch: p.Epoch, Seconds: p.Seconds, Images: p.Images})
			seconds, images = append(seconds, p.Seconds), append(images, float64(p.Images))
		case r.State == event.Running || r.State == event.Stopped:
			t.Pending++
		}
	}
	ofTime, ofImages := stats.NewMean(seconds, len(g.Runs)), stats.NewMean(images, len(g.Runs))
	if len(machinesOf(g.Runs)) > 1 {
		ofTime = stats.NoMean
	}
	if !ofImages.CI.Known() { // the times of one epoch differ only by the machine's speed
		ofTime.CI = stats.NoInterval
	}
	t.Seconds, t.SecondsCI = null.Float(ofTime.Mean), ofTime.CI
	t.Images, t.ImagesCI = null.Float(ofImages.Mean), ofImages.CI
	return t
}

// best returns the highest accuracy of a run so far.
func best(r study.Run) float64 {
	most := math.NaN()
	for _, p := range r.Curve {
		if !(p.ValAcc <= most) && !math.IsNaN(p.ValAcc) {
			most = p.ValAcc
		}
	}
	return most
}

// epochSeconds returns the mean time of a run's epochs.
func epochSeconds(r study.Run) float64 {
	last := r.Curve[len(r.Curve)-1]
	return last.Seconds / float64(last.Epoch)
}

// machinesOf returns the different machines of runs.
func machinesOf(runs []study.Run) (all []study.Machine) {
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
	var timed []study.TimedRun
	for _, r := range t.Rows {
		for _, run := range r.Runs {
			timed = append(timed, study.TimedRun{ID: run.ID, Machines: run.Machines})
		}
	}
	return study.MixedMachines(timed)
}
