package compare

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/study"
	"github.com/attnconv/attnconv/train"
)

// Every model has a name, and its flags select that model.
func TestModelNames(t *testing.T) {
	p := &planner{selection: &selection{}}
	for _, name := range model.ShortNames() {
		spec := model.Default()
		for _, f := range p.modelFlags(name) {
			switch f.Key {
			case "model.kind":
				spec.Kind = f.Text
			case "model.encoding":
				spec.Encoding = f.Text
			}
		}
		if got := spec.ShortName(); got != name || strings.TrimSpace(name) == "" {
			t.Errorf("%q becomes %q", name, got)
		}
	}
}

// put writes a run of the preset tiny in root, at epoch of 2, and returns its configuration.
func put(t *testing.T, root, id, encoding, state string, seed uint64, epoch int) configs.Run {
	t.Helper()
	config, err := configs.Preset("tiny")
	if err != nil {
		t.Fatal(err)
	}
	config.Model.Encoding, config.Seed, config.Data.Name = encoding, seed, "shapes32"
	dir := filepath.Join(root, id)
	accuracy := ""
	if state == event.Done {
		accuracy = `,"val_acc":0.5,"test_acc":0.5`
	}
	status := fmt.Sprintf(`{"format":1,"id":%q,"name":%q,"state":%q,"started":"2026-11-20T10:00:0%dZ","preset":"tiny","model":"mhsa",`+
		`"encoding":%q,"data":"shapes32","seed":%d,"step":%d,"steps":20,"epoch":%d,"epochs":2,"wall_s":8%s}`,
		id, id, state, seed, encoding, seed, 10*epoch, epoch, accuracy)
	if err := errors.Join(os.MkdirAll(dir, 0o777), os.WriteFile(filepath.Join(dir, "run.json"), []byte(status), 0o666),
		os.WriteFile(filepath.Join(dir, "config.yaml"), config.YAML(), 0o666),
		os.WriteFile(filepath.Join(dir, "metrics.jsonl"), nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	return config
}

// A plan has the seeds that a model lacks, the rest of an unfinished run, no run that diverged, and a new model with
// the data and budget of the existing runs.
func TestPlan(t *testing.T) {
	root := t.TempDir()
	done := put(t, root, "aaa0", "quadratic", event.Done, 0, 2)
	put(t, root, "aaa1", "quadratic", event.Stopped, 1, 1)
	put(t, root, "aaa2", "quadratic", event.Diverged, 2, 1)
	r := request{Baseline: "quadratic", Models: []string{"learned"}, Seeds: []uint64{0, 1, 2, 3}}
	s, err := selectRuns(root, r)
	if err != nil || len(s.Compared) != 1 || len(s.Unfinished) != 2 {
		t.Fatalf("%d compared, %d unfinished: %v", len(s.Compared), len(s.Unfinished), err)
	}
	probed := 0
	p := &planner{request: r, selection: s, DataDir: t.TempDir(),
		Probe: func(_ context.Context, c *configs.ResolvedRun, set *data.Set) (estimate, error) {
			probed++
			if set.Name != "shapes32" || c.Run.Train.Epochs != done.Train.Epochs {
				t.Errorf("probe of %s, %d epochs", set.Name, c.Run.Train.Epochs)
			}
			return estimate{Config: c.Run, Seconds: 100}, nil
		}}
	plan, skipped, err := p.Plan(t.Context())
	if err != nil || probed != 1 {
		t.Fatalf("%d probes: %v", probed, err)
	}
	var got []string
	for _, n := range plan {
		from := "start"
		if n.Resume != nil {
			from = n.Resume.Study.ID
		}
		got = append(got, fmt.Sprintf("%s %d %s %g", n.Name, n.Config.Seed, from, n.Seconds))
	}
	want := "learned 0 start 100|learned 1 start 100|learned 2 start 100|learned 3 start 100|quadratic 1 aaa1 " +
		"4|quadratic 3 start 8"
	if strings.Join(got, "|") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "|"), want)
	}
	if len(skipped) != 1 || skipped[0].Resume.Study.ID != "aaa2" {
		t.Errorf("skipped %v", skipped)
	}
	p.request.Baseline = "aaa1"
	if _, _, err := p.Plan(t.Context()); !errors.As(err, new(*incomparableError)) {
		t.Errorf("an unfinished baseline: %v", err)
	}
}

// A run that diverges does not end a plan; another error does.
func TestTrainGoesOnAfterDivergence(t *testing.T) {
	bad, full := &train.DivergenceError{}, errors.New("disk full")
	calls := 0
	diverged, err := trainPlan(make([]plannedTraining, 3), func(i int, _ plannedTraining) error {
		calls++
		return map[int]error{1: fmt.Errorf("run: %w", bad)}[i]
	})
	if !errors.Is(diverged, bad) || err != nil || calls != 3 {
		t.Errorf("%d calls, diverged %v, %v", calls, diverged, err)
	}
	if _, err := trainPlan(make([]plannedTraining, 3), func(int, plannedTraining) error { return full }); err != full {
		t.Errorf("got %v", err)
	}
}

// A plan's document has each run, the one that a run resumes, and the time of all.
func TestPlanDocument(t *testing.T) {
	d := planDocument([]plannedTraining{{Name: "a", Seconds: 2}, {Name: "b", Seconds: 3,
		Resume: &study.Candidate{Study: study.Run{ID: "k3f9"}}}})
	if d.V != 1 || d.ETA != 5 || len(d.Plan) != 2 || d.Plan[0].Resume != "" || d.Plan[1].Resume != "k3f9" ||
		d.Plan[1].Model != "b" {
		t.Errorf("got %+v", d)
	}
	if d := planDocument(nil); d.Plan == nil {
		t.Error("an empty plan is null")
	}
}
