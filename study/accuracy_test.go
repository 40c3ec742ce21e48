package study

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/run"
)

func TestReadTargets(t *testing.T) {
	for _, tt := range []struct {
		list string
		want []float64
	}{
		{DefaultTargets, []float64{0.7, 0.8, 0.85, 0.9}},
		{"80, 70%,80", []float64{0.7, 0.8}},
		{"70.1", []float64{0.701}}, // 70.1/100 is less, and a run with 701 of 1000 images would have reached it otherwise, too
		{"91.01,100", []float64{0.9101, 1}},
		{"", nil}, {"0.7", nil}, {"70,", nil}, {"100.5", nil}, {"NaN", nil}, {"inf", nil}, {"-70", nil}, {"70..90", nil},
		{"1" + strings.Repeat(",2.5", 30), []float64{0.01, 0.025}},
		{"1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21", nil},
	} {
		got, err := Targets("--targets", tt.list)
		wrong := (*option.Error)(nil)
		if !slices.Equal(got, tt.want) || (err != nil) != (tt.want == nil) || err != nil && (!errors.As(err, &wrong) || wrong.Key != "--targets") {
			t.Errorf("%q: %v, %v; want %v", tt.list, got, err, tt.want)
		}
	}
}

// raced returns a run that had the accuracies after epochs of seconds each, and 1000 images.
func raced(name, id string, seed uint64, seconds float64, accuracies ...float64) Run {
	r := made(name, id, seed, 0.5)
	r.Curve = nil
	for i, acc := range accuracies {
		r.Curve = append(r.Curve, Point{i + 1, acc, seconds * float64(i+1), 1000 * (i + 1)})
	}
	return r
}

// The mean is that of the first times, if all runs have one: a mean of those that got there would be the better the more
// did not.
func TestTimeToAccuracy(t *testing.T) {
	unfinished := raced("resnet18", "g", 0, 60, 0.5, 0.6)
	unfinished.State = run.Running
	runs := []Run{
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
		"quadratic | 3 | 86.3 | 1.5 | 3.5 [0.214, 6.79] | 4.83 [0, 12.3] | 1 of 3: 4 | 2.33 k [899, 3.77 k] | 3 k [516, 5.48 k] | 1 of 3: 4 k",
		"resnet18 | 1 | 60.0 | 1 | not yet | not yet | not yet | not yet | not yet | not yet",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the table has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	d := all.Document().Rows[1]
	if p := d.Targets[2]; p.N != 1 || p.Pending != 0 || p.Seconds != nil || p.Images != nil || fmt.Sprint(p.Runs) != "[{a 4 240 4000}]" {
		t.Errorf("90 %% for quadratic: %+v", p)
	}
	if p := d.Targets[0]; p.N != 3 || *p.Seconds != 210 || math.Abs(p.SecondsCI[1]-210-4.302653*math.Sqrt(6300.0/3)) > 1e-3 {
		t.Errorf("70 %% for quadratic: %+v", p)
	}
	if p := all.Document().Rows[2].Targets[0]; p.N != 0 || p.Pending != 1 || p.Runs == nil {
		t.Errorf("70 %% for resnet18: %+v", p)
	}
	notes := strings.Join(all.Table().Notes, "\n")
	for _, want := range []string{"machine  Zen, 4 threads, kernels avx2: d e a b c g", "“2 of 3”", "not finished", "95 % interval"} {
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
	for _, other := range []Machine{
		{"Xeon", "cpu", 4, "avx2"}, {"Zen", "gpu", 4, "avx2"}, {"Zen", "cpu", 2, "avx2"}, {"Zen", "cpu", 4, "generic"},
	} {
		a, b := raced("quadratic", "a", 0, 60, 0.7, 0.8), raced("quadratic", "b", 1, 60, 0.8)
		b.Machines = []Machine{other}
		all, err := NewTimeToAccuracy([]Run{a, b}, []float64{0.7, 0.8})
		if err != nil {
			t.Fatal(err)
		}
		p := all.Rows[0].Targets[1]
		if !math.IsNaN(p.Seconds.Mean) || p.Images.Mean != 1500 || !strings.Contains(all.Warning(), "\n  "+other.String()+": b") {
			t.Errorf("%v: %+v, %s", other, p, all.Warning())
		}
		if text := all.Table().Text(0); !strings.Contains(text, "2 of 2: 2, 1") || !strings.Contains(text, "machine B  "+other.String()) {
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
	for _, runs := range [][]Run{nil, {made("quadratic", "a", 0, 0.5)}} {
		targets := []float64{0.7}
		if runs != nil {
			targets = nil
		}
		if _, err := NewTimeToAccuracy(runs, targets); err == nil {
			t.Errorf("%d runs, targets %v: no error", len(runs), targets)
		}
	}
}

// A run that is resumed with other threads had two machines; one without records has those of run.json.
func TestMachinesOf(t *testing.T) {
	e := run.Environment{CPU: "Zen", Device: "cpu", Threads: 8}
	legs := []run.Record{{Event: run.Start{Threads: 2, Kernels: "avx2"}}, {Event: run.Start{Threads: 1, Kernels: "avx2"}},
		{Event: run.Start{Threads: 2, Kernels: "avx2"}}}
	if got := fmt.Sprint(MachinesOf(e, run.Status{Kernels: "generic"}, legs)); got != "[Zen, 2 threads, kernels avx2 Zen, 1 thread, kernels avx2]" {
		t.Error(got)
	}
	if got := fmt.Sprint(MachinesOf(e, run.Status{Kernels: "generic"}, nil)); got != "[Zen, 8 threads, kernels generic]" {
		t.Error(got)
	}
}

// The time of an epoch is the run's: wall_s lacks what an epoch took before a resume.
func TestElapsed(t *testing.T) {
	got := Elapsed([]run.Epoch{{WallS: 10, TotalS: 10}, {WallS: 3, TotalS: 20}, {WallS: 10, TotalS: math.NaN()}})
	if !slices.Equal(got, []float64{10, 20, 23}) {
		t.Error(got)
	}
}

func TestHeldOut(t *testing.T) {
	for why, change := range map[string]func(*configs.Run){
		"":                   func(*configs.Run) {},
		"--protocol paper":   func(c *configs.Run) { c.Data.Protocol = "paper" },
		"--overfit-batches ": func(c *configs.Run) { c.Train.OverfitBatches = 2 },
	} {
		c := configs.Default()
		change(&c)
		err := HeldOut("k3f9", c)
		wrong := (*NotHeldOut)(nil)
		if errors.As(err, &wrong) != (why != "") || wrong != nil && (wrong.Run != "k3f9" || !strings.Contains(wrong.Why, why)) {
			t.Errorf("%s: %v", why, err)
		}
	}
}
