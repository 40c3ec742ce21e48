package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// full writes the runs of study control-full: quadratic is 2 points ahead of the grid, and so on. Rates in the middle
// of a search are the best.
func (s synthetic) full() {
	for _, model := range fullModels {
		for _, arm := range fullSearch(model) {
			val := 0.5
			for _, best := range []string{"-w0.01-p0.03", "-lr0.01", "-lr0.06"} {
				if strings.HasSuffix(arm, best) {
					val = 0.6
				}
			}
			s.arm("control-full", arm, 500, func(int) map[string]any { return validated(val) })
		}
	}
	for arm, right := range map[string]int{"quadratic": 850, "quadratic-grid": 830, "conv-twin": 835,
		"conv-twin-e24": 860, "quadratic-frozen": 800, "resnet18": 890, "resnet18-e26": 900} {
		s.arm("control-full", arm, right, nil)
	}
}

// zoo writes the runs of study zoo. The largest rate is the best.
func (s synthetic) zoo() {
	for i, arm := range zooArms {
		for j, searched := range zooSearch(arm) {
			s.arm("zoo", searched, 500, func(int) map[string]any { return validated(0.5 + 0.1*float64(j)) })
		}
		s.arm("zoo", arm, 600+20*i, nil)
	}
}

// The number of runs of study control-full follows from the spread of study places, and is 8 before that is done.
func TestRunsByPower(t *testing.T) {
	if got := powerOf(0.98, 0.53, 8, 1.5, 0.05/3); math.Abs(got-0.825) > 1e-3 {
		t.Errorf("power %v, want 0.825", got)
	}
	for _, tt := range []struct {
		spread, n int
		done      bool
	}{{1, 3, true}, {10, 5, true}, {30, mostSized, true}, {1, mostSized, false}} {
		s := synthetic{t, t.TempDir()}
		for _, g := range planOf("places").groups {
			for i := range g.count {
				if tt.done || i > 0 {
					s.put("places", fmt.Sprintf("%s-seed%d", g.arm, g.first+i), 600+tt.spread*(i%2), nil)
				}
			}
		}
		all, err := read(filepath.Join(s.root, "studies"))
		if err != nil {
			t.Fatal(err)
		}
		n, power := all.sized()
		if n != tt.n || tt.done != (power == power) || tt.done && n < mostSized && power < 0.8 {
			t.Errorf("spread %d, done %t: %d runs with a power of %v, want %d", tt.spread, tt.done, n, power, tt.n)
		}
	}
}

// Runs of control-full and zoo are planned at the best rates of their searches, with more epochs. Those of control-full
// wait for study places, and for a search whose best rate is inside.
func TestPlanOfFullAndZoo(t *testing.T) {
	s := synthetic{t, t.TempDir()}
	s.full()
	s.zoo()
	if err := os.WriteFile(filepath.Join(s.root, "studies/plan.json"), []byte(readPage(t, "studies/plan.json")),
		0o666); err != nil {
		t.Fatal(err)
	}
	_, first := planFile(t, s.root)
	says, err := s.plan()
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(says, "\n")
	for _, want := range []string{
		"control-full: search-quadratic-w0.01-p0.03 waits for study places; nothing to plan yet",
		"zoo: search-vit-lr0.03 has the best validation accuracy, 70.00 %, at the edge of the search; runs to add: 3",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
	s.whole()
	s.arm("control-full", "search-resnet18-lr0.12", 500, func(int) map[string]any { return validated(0.7) })
	if says, err = s.plan(); err != nil || !strings.Contains(strings.Join(says, "\n"),
		"control-full: search-resnet18-lr0.12 is at the edge of the search: extend it; nothing to plan yet") {
		t.Errorf("%v\n%s", err, strings.Join(says, "\n"))
	}
	_, now := planFile(t, s.root)
	seen := map[string][]entry{}
	for _, e := range now[:] {
		if !slices.ContainsFunc(first, func(p entry) bool { return p.Trial == e.Trial && p.Study == e.Study }) {
			arm, _, _ := strings.Cut(e.Trial, "-seed")
			seen[e.Study+"/"+arm] = append(seen[e.Study+"/"+arm], e)
			acceptable(t, e)
		}
	}
	recipe := " --batch 256 --average 0.99 --optimizer muon --momentum 0.95 --weight-decay 0.05 --augment crop,altflip " +
		"--label-smoothing 0.1 --clip 1 --epochs "
	for _, tt := range []struct {
		arm, args string
		runs      int
	}{
		{"control-full/quadratic",
			"--preset small/quadratic" + recipe + "15 --lr 0.01 --set train.position_lr=3 --seed 20", 5},
		{"control-full/conv-twin", "--preset small/conv-twin" + recipe + "15 --lr 0.01 --seed 20", 5},
		{"control-full/conv-twin-e24", "--preset small/conv-twin" + recipe + "24 --lr 0.01 --seed 20", 5},
		{"control-full/quadratic-grid", "--preset small/quadratic-grid" + recipe + "15 --lr 0.01 --seed 20", 5},
		{"control-full/quadratic-frozen", "--preset small/quadratic-frozen" + recipe + "15 --lr 0.01 --seed 20", 3},
		{"control-full/resnet18", "", 0}, {"control-full/resnet18-e26", "", 0},
		{"zoo/convnext", "--preset zoo/small-convnext" + recipe + "8 --lr 0.03 --set train.position_lr=1 --seed 410", 3},
		{"zoo/resnet18", "--preset small/resnet18" + recipe + "8 --lr 0.12 --seed 410", 3},
	} {
		of := seen[tt.arm]
		if len(of) != tt.runs {
			t.Fatalf("%s has %d runs, want %d", tt.arm, len(of), tt.runs)
		}
		if tt.runs > 0 && strings.Join(of[0].Args, " ") != tt.args {
			t.Errorf("%s:\n%s, want\n%s", tt.arm, strings.Join(of[0].Args, " "), tt.args)
		}
	}
}

// Runs of a GPU and of a CPU are never one arm.
func TestRunsOfGPUsAreArmsOfTheirOwn(t *testing.T) {
	for name, machine := range map[string]string{"quadratic-seed20": "gpu", "quadratic-gpu-seed20": "cpu"} {
		s := synthetic{t, t.TempDir()}
		s.put("control-full", name, 500, map[string]any{"machine": map[string]any{machine: "a name"}})
		_, err := read(filepath.Join(s.root, "studies"))
		if err == nil || !strings.Contains(err.Error(), "arms of their own") {
			t.Errorf("%s on a %s: %v", name, machine, err)
		}
	}
}

// The lines Evidence of presets of study zoo are those of its runs.
func TestEvidenceOfPresets(t *testing.T) {
	var v verdict
	if err := json.Unmarshal([]byte(readPage(t, numbersFile)), &v); err != nil {
		t.Fatal(err)
	}
	for _, arm := range zooArms {
		name := zooPreset(arm)
		if !strings.HasPrefix(name, "zoo/") {
			continue // it has a run of its own
		}
		text := strings.ReplaceAll(readPage(t, "configs/"+name+".yaml"), "\n#           ", " ")
		if want := "\n# Evidence  " + zooEvidence(&v, arm) + "\n"; !strings.Contains(text, want) {
			t.Errorf("configs/%s.yaml: want%s", name, want)
		}
	}
	n := number(3, 0.71, 0.7, 0.72)
	n.ID = "zoo/accuracy/vit"
	if got := zooEvidence(&verdict{Numbers: []Number{n}}, "vit"); !strings.HasPrefix(got,
		"71.0 [70.0, 72.0] % on the test set") {
		t.Errorf("%q", got)
	}
}
