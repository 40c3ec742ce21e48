package cli

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/session"
)

// A Need is what a command requires of the run that a word such as latest stands for.
type Need struct {
	what string // "no run with …"; "": nothing
	has  func(run.Entry) bool
	how  string // arguments of train that produce such a run
}

// What commands need of a run.
var (
	AnyRun      = Need{}
	NeedHeads   = Need{"heads", func(e run.Entry) bool { return kindUses(e, "encoding") }, anyTraining}
	NeedCenters = Need{"Gaussian heads", isGaussian, anyTraining}
	NeedConv    = Need{"residual blocks", func(e run.Entry) bool { return kindUses(e, "width") }, "--model resnet18"}
	NeedCurves  = Need{"a finished epoch", func(e run.Entry) bool { return e.Status.Epoch > 0 }, anyTraining}
	NeedTest    = Need{"a test accuracy", run.Entry.Tested, anyTraining}
	needs       = []Need{NeedHeads, NeedCenters, NeedConv, NeedCurves, NeedTest}
)

// kindUses reports whether a run's kind of network uses a setting.
func kindUses(e run.Entry, setting string) bool {
	return model.Spec{Kind: e.Status.Model}.Uses(setting)
}

func isGaussian(e run.Entry) bool {
	return slices.ContainsFunc(strings.Split(e.Status.Encoding, "+"), func(name string) bool { // of blocks that differ
		k := posenc.Kinds.Find(name)
		return k != nil && k.Gaussian()
	})
}

// Lookup returns a lookup of runs that satisfy a need.
func (c *Console) Lookup(n Need) run.Lookup {
	l := run.Lookup{Root: c.Runs, Word: describedBy}
	if n.has != nil {
		l.Lacks = func(e run.Entry) string {
			if n.has(e) {
				return ""
			}
			return n.what
		}
	}
	return l
}

// describe interprets a word as an encoding, model, preset or group of presets. It returns a predicate for the runs of
// these and the flag of train that produces one, or nil and "".
func describe(word string) (describes func(run.Status) bool, flag string) {
	word = configs.Canonical("model.encoding", word)
	ofPreset := func(preset string) bool { return preset == word || strings.HasPrefix(preset, word+"/") }
	switch {
	case slices.Contains(posenc.Kinds.Names(), word):
		return func(s run.Status) bool { return s.Encoding == word }, "--encoding " + word
	case slices.Contains(model.Kinds.Names(), word):
		return func(s run.Status) bool { return s.Model == word }, "--model " + word
	case slices.ContainsFunc(configs.Presets(), ofPreset):
		return func(s run.Status) bool { return ofPreset(s.Preset) }, "--preset " + word
	}
	return nil, ""
}

func describedBy(word string) func(run.Status) bool {
	describes, _ := describe(word)
	return describes
}

// TrainFlag returns the flag of train that produces what a word describes, or "".
func TrainFlag(word string) string {
	_, flag := describe(word)
	return flag
}

// OpenRun opens the run that a reference stands for. If that is a word, a note names the run.
func (c *Console) OpenRun(ref string, n Need) (*run.Dir, error) {
	f, err := c.Lookup(n).Find(ref)
	if err != nil {
		return nil, err
	}
	c.tell([]run.Found{f}, n)
	return f.Open()
}

// FindRuns returns the runs that references stand for, each once. A word stands for the newest run and, unless alike is
// nil, for those that are alike.
func (c *Console) FindRuns(refs []string, n Need, alike func(a, b run.Entry) bool) ([]run.Found, error) {
	l := c.Lookup(n)
	l.Alike = alike
	return c.FindBy(l, n, refs)
}

// FindBy returns the runs that l finds. Notes name the runs that words stand for, and skipped files.
func (c *Console) FindBy(l run.Lookup, n Need, refs []string) ([]run.Found, error) {
	all, skipped, err := l.FindAll(refs)
	if errors.Is(err, path.ErrBadPattern) {
		return nil, Usagef("", "%s: not a pattern for runs", strings.Join(refs, " "))
	}
	if err != nil {
		return nil, err
	}
	for _, f := range all {
		if f.Err != nil {
			return nil, f.Err
		}
	}
	if len(skipped) > 0 {
		c.Note("skipped, not runs: %s", firstNames(skipped))
	}
	c.tell(all, n)
	return all, nil
}

// Checkpoint returns the checkpoint file that a reference stands for. If that is a word, a note names the run.
func (c *Console) Checkpoint(ref string, n Need) (string, error) {
	path, found, err := c.Lookup(n).FindCheckpoint(ref)
	if err != nil {
		return "", err
	}
	if ref == "" && found.Word == "" {
		c.Note("taking %s", path)
	}
	c.tell([]run.Found{found}, n)
	return path, nil
}

// tell notes which runs words stand for, and why newer ones were passed over.
func (c *Console) tell(all []run.Found, n Need) {
	for i, f := range all {
		if f.Word == "" || slices.ContainsFunc(all[:i], func(x run.Found) bool { return x.Word == f.Word }) {
			continue
		}
		var ids []string
		for _, x := range all {
			if x.Word == f.Word {
				ids = append(ids, c.Ref(x.Path, x.Status.ID))
			}
		}
		what := model.ShortName(f.Status.Model, f.Status.Encoding) + ", " + f.Status.Data
		why := "the newest of " + f.Word
		switch {
		case len(ids) > 1:
			c.Note("taking runs %s (%s): the seeds of the newest of %s", strings.Join(ids, " "), what, f.Word)
			continue
		case f.Word == "latest" && len(f.Passed) == 0:
			why = "the latest"
		case f.Word == "latest" && n.what != "":
			why = "the newest with " + n.what
		case f.Word == "latest":
			why = "the newest with a checkpoint"
		}
		c.Note("taking run %s (%s), %s", ids[0], what, why)
		if len(f.Passed) > 0 {
			c.Note("  %s", passedOver(f.Passed))
		}
	}
}

func passedOver(passed []run.Passed) string {
	p := passed[0]
	lacks := strings.TrimPrefix(p.Lacks, "a ")
	if p.Err != nil {
		return fmt.Sprintf("newer: %s has no %s", p.Name, lacks)
	}
	text := fmt.Sprintf("newer: %s (%s) has no %s", p.Status.ID, model.ShortName(p.Status.Model, p.Status.Encoding), lacks)
	if len(passed) > 1 {
		text += fmt.Sprintf("; %d more", len(passed)-1)
	}
	return text
}

// howToGet returns advice on how to train a missing run, or "".
func howToGet(none *run.NotFound) string {
	args := ""
	switch flag := TrainFlag(none.Ref); {
	case none.What != "run" && none.What != "preset or run":
		return ""
	case none.On != "":
		args = flag + " --data " + none.On
	case none.Ref != "":
		args = flag
	default:
		args = anyTraining
		for _, n := range needs {
			if strings.HasPrefix(none.With, n.what) {
				args = n.how
			}
		}
	}
	if args == "" {
		return ""
	}
	return "\n  train one: " + Program() + " train " + args
}

// anyTraining is the flag of train in advice for any run.
const anyTraining = "--encoding quadratic"

// Ref returns a reference to a run: its id if it is in the default folder of the runs, else its path.
func (c *Console) Ref(path, id string) string {
	usual := c.Runs == "runs" || c.Runs == c.Getenv("ATTNCONV_RUNS")
	if usual && filepath.Dir(path) == filepath.Clean(c.Runs) {
		return id
	}
	return path
}

// LoadModel reads the model that a reference stands for: a checkpoint file, or a run that satisfies the need.
func (c *Console) LoadModel(ref string, n Need) (*session.Model, error) {
	path, err := c.Checkpoint(ref, n)
	if err != nil {
		return nil, err
	}
	return session.Open(path)
}
