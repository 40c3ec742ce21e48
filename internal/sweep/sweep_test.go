package sweep

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
)

func TestGridIsEveryCombination(t *testing.T) {
	axes := []Axis{{Key: "model.encoding", Values: []string{"quadratic", "learned"}},
		{Key: "train.lr", Values: []string{"0.1", "0.2"}},
		{Key: Seed, Values: []string{"0", "1"}}}
	var got []string
	for _, values := range grid(axes) {
		got = append(got, strings.Join(values, " "))
	}
	want := []string{"quadratic 0.1 0", "quadratic 0.1 1", "quadratic 0.2 0", "quadratic 0.2 1",
		"learned 0.1 0", "learned 0.1 1", "learned 0.2 0", "learned 0.2 1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := grid(nil); len(got) != 1 || len(got[0]) != 0 {
		t.Errorf("no axes: %v, want one empty combination", got)
	}
}

func TestTrialsAreNamedByTheirSettings(t *testing.T) {
	axes := []Axis{{Key: "model.encoding", Values: nil}, {Key: "train.lr", Values: nil},
		{Key: "model.heads", Values: nil}, {Key: Seed, Values: nil}}
	for _, tt := range []struct {
		i, n   int
		values []string
		want   string
	}{
		{7, 12, []string{"quadratic", "1e-3", "[9,9,4]", "2"}, "007-quadratic-lr-1e-3-heads-9-9-4-s2"},
		{7, 1001, []string{"a b/../c", "", "16", "0"}, "0007-a-b-..-c--heads-16-s0"},
	} {
		if got := nameOf(tt.i, tt.n, axes, tt.values); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
	if got := nameOf(0, 1, axes[:1], []string{strings.Repeat("long ", 40)}); len(got) > 80 {
		t.Errorf("%d letters: %s", len(got), got)
	}
}

func TestPlanComesBackAsItWasWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sweeps", "20261121-1")
	p := &Plan{Format: Format, Version: "v1", Axes: []Axis{{Key: Seed, Values: []string{"0", "1"}}}, Trials: []Trial{
		{Name: "000-s0", Values: []string{"0"}, ETA: 2}, {Name: "001-s1", Values: []string{"1"}, ETA: 2}}}
	if err := p.Create(path, [][]byte{[]byte("seed: 0\n"), []byte("seed: 1\n")}); err != nil {
		t.Fatal(err)
	}
	got, err := Newest(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p, got); diff != "" {
		t.Error(diff)
	}
	if b, err := os.ReadFile(got.Config(1)); err != nil || string(b) != "seed: 1\n" {
		t.Errorf("settings of trial 1: %q, %v", b, err)
	}
	var full *run.NotEmptyError
	if err := p.Create(path, nil); !errors.As(err, &full) {
		t.Errorf("a second plan in the same folder: %v", err)
	}
	texts := [][]byte{nil, nil}
	for what, bad := range map[string]func(p *Plan){
		"a trial outside of the sweep": func(p *Plan) { p.Trials[1].Name = "../001" },
		"a value too few":              func(p *Plan) { p.Trials[1].Values = nil },
		"settings of another number":   func(p *Plan) { texts = texts[:1] },
	} {
		texts = texts[:2]
		wrong := *p
		wrong.Trials = slices.Clone(p.Trials)
		bad(&wrong)
		if err := wrong.Create(path+"-wrong", texts); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	if list, err := os.ReadDir(filepath.Dir(path)); err != nil || len(list) != 1 {
		t.Errorf("the folder above has %v, %v; want the sweep alone", list, err)
	}
	var missing *run.NotFoundError
	if _, err := Open(t.TempDir()); !errors.As(err, &missing) {
		t.Errorf("no plan: %v", err)
	}
}

func TestStateOfTrials(t *testing.T) {
	p := &Plan{Path: t.TempDir(), Trials: []Trial{{Name: "000"}, {Name: "001"}, {Name: "002"}, {Name: "003"}}}
	for i, text := range map[int]string{
		1: `{"format":1,"id":"k3f9","state":"done","val_acc":0.5}`,
		2: `{"format":1,"id":"k3f9","state":"running","pid":1,"machine":"x","heartbeat":"2020-01-01T00:00:00Z"}`,
		3: ``,
	} {
		if err := errors.Join(os.MkdirAll(p.Dir(i), 0o777),
			os.WriteFile(filepath.Join(p.Dir(i), "run.json"), []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []string{Waiting, event.Done, event.Stopped, Broken} {
		if got, _ := p.State(i); got != want {
			t.Errorf("trial %d is %s, want %s", i, got, want)
		}
	}
	if _, s := p.State(1); s.ValAcc != 0.5 {
		t.Errorf("val acc %v, want 0.5", s.ValAcc)
	}
}

// SetAside moves only a folder whose run.json is invalid.
func TestSetAside(t *testing.T) {
	p := &Plan{Path: t.TempDir(), Trials: []Trial{{Name: "000"}, {Name: "001"}, {Name: "002"}}}
	for i, text := range []string{`{"format":1,`, `{"format":1,"id":"k3f9","state":"done"}`} {
		if err := errors.Join(os.MkdirAll(p.Dir(i), 0o777),
			os.WriteFile(filepath.Join(p.Dir(i), "run.json"), []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	to, err := p.SetAside(0)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(to, "run.json")); err != nil || string(b) != `{"format":1,` {
		t.Errorf("moved: %q, %v", b, err)
	}
	for i, want := range map[int]string{1: "is not moved: its run.json can now be read", 2: "is not moved"} {
		if to, err := p.SetAside(i); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("trial %d: moved to %q, %v; want %q", i, to, err, want)
		}
	}
	if _, err := os.Stat(p.Dir(1)); err != nil {
		t.Error(err)
	}
}

func TestTask(t *testing.T) {
	for _, tt := range []struct {
		env      map[string]string
		i        int
		variable string
		wrong    bool
	}{
		{nil, 0, "", false},
		{map[string]string{"SLURM_ARRAY_TASK_ID": "5"}, 5, "SLURM_ARRAY_TASK_ID", false},
		{map[string]string{"SGE_TASK_ID": "1"}, 0, "SGE_TASK_ID", false},
		{map[string]string{"SGE_TASK_ID": "undefined"}, 0, "", false},
		{map[string]string{"SGE_TASK_ID": "0"}, 0, "SGE_TASK_ID", true},
		{map[string]string{"LSB_JOBINDEX": "0"}, 0, "", false},
		{map[string]string{"LSB_JOBINDEX": "1"}, 0, "LSB_JOBINDEX", false},
		{map[string]string{"JOB_COMPLETION_INDEX": "0"}, 0, "JOB_COMPLETION_INDEX", false},
		{map[string]string{"AWS_BATCH_JOB_ARRAY_INDEX": "2"}, 2, "AWS_BATCH_JOB_ARRAY_INDEX", false},
		{map[string]string{"PBS_ARRAY_INDEX": "2"}, 2, "PBS_ARRAY_INDEX", false},
		{map[string]string{"PBS_ARRAYID": "2"}, 2, "PBS_ARRAYID", false},
		{map[string]string{"NOMAD_ALLOC_INDEX": "2"}, 2, "NOMAD_ALLOC_INDEX", false},
		{map[string]string{"HQ_TASK_ID": "2"}, 2, "HQ_TASK_ID", false},
		{map[string]string{"OMPI_COMM_WORLD_RANK": "2"}, 2, "OMPI_COMM_WORLD_RANK", false},
		{map[string]string{"PMI_RANK": "2"}, 2, "PMI_RANK", false},
		// HyperQueue runs tasks inside of a Slurm array; ranks share the index of theirs; mpirun in a Grid Engine job
		// without one.
		{map[string]string{"SLURM_ARRAY_TASK_ID": "5", "HQ_TASK_ID": "2"}, 2, "HQ_TASK_ID", false},
		{map[string]string{"SLURM_ARRAY_TASK_ID": "5", "PMI_RANK": "2", "OMPI_COMM_WORLD_RANK": "1"}, 5,
			"SLURM_ARRAY_TASK_ID", false},
		{map[string]string{"SGE_TASK_ID": "undefined", "OMPI_COMM_WORLD_RANK": "3"}, 3, "OMPI_COMM_WORLD_RANK", false},
		{map[string]string{"JOB_COMPLETION_INDEX": "x"}, 0, "JOB_COMPLETION_INDEX", true},
	} {
		i, variable, err := Task(func(name string) string { return tt.env[name] })
		if i != tt.i || variable != tt.variable || (err != nil) != tt.wrong {
			t.Errorf("%v: task %d of %q, %v", tt.env, i, variable, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"format":1,"axes":[{"key":"seed","values":["0"]}],
		"trials":[{"name":"000-s0","values":["0"],"eta_s":1}]}`))
	f.Add([]byte(`{"format":2,"version":"v9"}`))
	f.Add([]byte(`{"format":1,"trials":[{"name":"../x"}]}`))
	f.Add([]byte(`{"format":1,"trials":[{"name":"/"}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := parse(b)
		if err != nil {
			return
		}
		p.Path = "sweep"
		for i := range p.Trials {
			if filepath.Dir(p.Dir(i)) != filepath.Join("sweep", "trials") {
				t.Errorf("trial %d is in %s", i, p.Dir(i))
			}
		}
	})
}
