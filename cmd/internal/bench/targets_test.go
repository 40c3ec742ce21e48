package bench

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/study"
)

// untimed returns a run that is done, without a curve, with the settings that the tests need.
func untimed(name, id string, seed uint64) study.Run {
	return study.Run{ID: id, Name: name, Seed: seed, Spec: model.Default(), Epochs: 3, WallS: 90, ValN: 5000,
		State: event.Done, Environment: run.Environment{CPU: "Zen", Threads: 4, DataDigest: "a0181da3ff"},
		Machines: []study.Machine{{CPU: "Zen", Device: "cpu", Threads: 4, Kernels: "avx2"}},
		Settings: []study.Setting{{Key: "preset", Value: "small/" + name}, {Key: "model.encoding", Value: name},
			{Key: "data.name", Value: "cifar10"}, {Key: "data.protocol", Value: "holdout"},
			{Key: "train.epochs", Value: "3"}, {Key: "train.lr", Value: "0.1"}},
	}
}

// raced returns a run that had the accuracies after epochs of seconds each, and 1000 images.
func raced(name, id string, seed uint64, seconds float64, accuracies ...float64) study.Run {
	r := untimed(name, id, seed)
	for i, acc := range accuracies {
		r.Curve = append(r.Curve, study.Point{Epoch: i + 1, ValAcc: acc, Seconds: seconds * float64(i+1),
			Images: 1000 * (i + 1)})
	}
	return r
}

// The mean is that of the first times, if all runs have one: a mean of those that got there would be the better the
// more did not.
func TestTimeToAccuracy(t *testing.T) {
	unfinished := raced("resnet18", "g", 0, 60, 0.5, 0.6)
	unfinished.State = event.Running
	runs := []study.Run{
		raced("resnet18", "old", 0, 1, 0.9), unfinished, // g is newer than old, with the same seed
		raced("quadratic", "a", 0, 60, 0.5, 0.8, 0.7, 0.9), raced("quadratic", "b", 1, 90, 0.6, 0.65, 0.8, 0.89),
		raced("quadratic", "c", 2, 120, 0.6, 0.7, math.NaN(), 0.8),
		raced("learned", "d", 0, 30, 0.7, 0.8, 0.9), raced("learned", "e", 1, 60, 0.7, 0.8, 0.9),
	}
	all, err := NewTimeToAccuracy(runs, []float64{0.7, 0.8, 0.9})
	if err != nil {
		t.Fatal(err)
	}
	if all.Runs() != len(runs)-1 {
		t.Errorf("%d runs, want all but the one that was repeated", all.Runs())
	}
	var got []string
	for _, r := range all.Table().Rows {
		var cells []string
		for i, c := range r {
			if all.Table().Columns[i].Head != "" {
				cells = append(cells, c.Text)
			}
		}
		got = append(got, strings.Join(cells, " | "))
	}
	want := []string{
		"learned | 2 | 90.0 | 0.75 | 0.75 | 1.5 | 2.25 | 1 k | 2 k | 3 k", // no interval: the epoch is the same
		"quadratic | 3 | 86.3 | 1.5 | 3.5 [0.214, 6.79] | 4.83 [0, 12.3] | 1 of 3: 4 | 2.33 k [899, 3.77 k] | 3 k " +
			"[516, 5.48 k] | 1 of 3: 4 k",
		"resnet18 | 1 | 60.0 | 1 | not yet | not yet | not yet | not yet | not yet | not yet",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the table has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	d := all.Rows[1]
	if p := d.Targets[2]; p.N != 1 || p.Pending != 0 || p.Seconds.Known() || p.Images.Known() ||
		fmt.Sprint(p.Runs) != "[{a 4 240 4000}]" {
		t.Errorf("90 %% for quadratic: %+v", p)
	}
	if p := d.Targets[0]; p.N != 3 || p.Seconds != 210 ||
		math.Abs(p.SecondsCI.Hi-210-4.302653*math.Sqrt(6300.0/3)) > 1e-3 {
		t.Errorf("70 %% for quadratic: %+v", p)
	}
	if p := all.Rows[2].Targets[0]; p.N != 0 || p.Pending != 1 || p.Runs == nil {
		t.Errorf("70 %% for resnet18: %+v", p)
	}
	notes := strings.Join(all.Table().Notes, "\n")
	for _, want := range []string{"machine  Zen, 4 threads, kernels avx2: d e a b c g", "“2 of 3”", "not finished",
		"95 % interval"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q in the notes\n%s", want, notes)
		}
	}
	if w := all.Warning(); w != "" {
		t.Errorf("one machine: %s", w)
	}
}

// Minutes on different machines have no mean, and a warning names the machines; images have one.
func TestTimesOfDifferentMachines(t *testing.T) {
	for _, other := range []study.Machine{
		{CPU: "Xeon", Device: "cpu", Threads: 4, Kernels: "avx2"},
		{CPU: "Zen", Device: "gpu", Threads: 4, Kernels: "avx2"},
		{CPU: "Zen", Device: "cpu", Threads: 2, Kernels: "avx2"},
		{CPU: "Zen", Device: "cpu", Threads: 4, Kernels: "generic"},
	} {
		a, b := raced("quadratic", "a", 0, 60, 0.7, 0.8), raced("quadratic", "b", 1, 60, 0.8)
		b.Machines = []study.Machine{other}
		all, err := NewTimeToAccuracy([]study.Run{a, b}, []float64{0.7, 0.8})
		if err != nil {
			t.Fatal(err)
		}
		p := all.Rows[0].Targets[1]
		if p.Seconds.Known() || p.Images != 1500 ||
			!strings.Contains(all.Warning(), "\n  "+other.String()+": b") {
			t.Errorf("%v: %+v, %s", other, p, all.Warning())
		}
		if text := all.Table().Text(0); !strings.Contains(text, "2 of 2: 2, 1") ||
			!strings.Contains(text, "machine B  "+other.String()) {
			t.Errorf("%v:\n%s", other, text)
		}
	}
}

func TestLetters(t *testing.T) {
	for i, want := range map[int]string{0: "A", 25: "Z", 26: "AA", 27: "AB", 52: "BA"} {
		if got := letter(i); got != want {
			t.Errorf("letter %d is %s, want %s", i, got, want)
		}
	}
}

func TestTimeToAccuracyOfNothing(t *testing.T) {
	for _, runs := range [][]study.Run{nil, {untimed("quadratic", "a", 0)}} {
		targets := []float64{0.7}
		if runs != nil {
			targets = nil
		}
		if _, err := NewTimeToAccuracy(runs, targets); err == nil {
			t.Errorf("%d runs, targets %v: no error", len(runs), targets)
		}
	}
}
