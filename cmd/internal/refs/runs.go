package refs

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
)

// OpenRun opens the run that a reference stands for. If that is a word, a note names the run.
func OpenRun(c *term.Console, ref string, n Need) (*run.Dir, error) {
	f, err := n.Lookup(c.Runs).Find(ref)
	if err != nil {
		return nil, err
	}
	tell(c, []run.Match{f}, n)
	return f.Open()
}

// FindRuns returns the runs that references stand for, each once. A word stands for the latest run and, unless alike is
// nil, for those that are alike.
func FindRuns(c *term.Console, refs []string, n Need, alike func(a, b run.Entry) bool) ([]run.Match, error) {
	l := n.Lookup(c.Runs)
	l.Alike = alike
	return FindBy(c, l, n, refs)
}

// FindBy returns the runs that l finds. Notes name the runs that words stand for, and skipped files.
func FindBy(c *term.Console, l run.Lookup, n Need, refs []string) ([]run.Match, error) {
	all, skipped, err := l.FindAll(refs)
	if errors.Is(err, path.ErrBadPattern) {
		return nil, term.Usagef("", "%s: not a pattern for runs", strings.Join(refs, " "))
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
	tell(c, all, n)
	return all, nil
}

// Checkpoint returns the checkpoint file that a reference stands for. If that is a word, a note names the run.
func Checkpoint(c *term.Console, ref string, n Need) (string, error) {
	path, found, err := n.Lookup(c.Runs).FindCheckpoint(ref)
	if err != nil {
		return "", err
	}
	if ref == "" && found.Word == "" {
		c.Note("taking %s", path)
	}
	tell(c, []run.Match{found}, n)
	if how := progressNote(found.Entry); how != "" && found.Word == "" {
		c.Note("run %s%s", RunName(c, found.Path, found.Status.ID), how)
	}
	return path, nil
}

// Checkpoints returns the checkpoint files that references stand for: an unknown one is an error before any work.
func Checkpoints(c *term.Console, refs []string, n Need) (paths []string, err error) {
	for _, ref := range refs {
		path, err := Checkpoint(c, ref, n)
		if err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// progressNote says how far a run is that is not done, to be read after its name, or "".
func progressNote(e run.Entry) string {
	verb := map[string]string{event.Running: "is still training, at", event.Stopped: "stopped at",
		event.Failed:   "failed at",
		event.Diverged: "diverged at"}[e.State]
	if verb == "" || e.Err != nil {
		return ""
	}
	return fmt.Sprintf(" %s step %s of %s", verb, table.Thousands(e.Status.Step), table.Thousands(e.Status.Steps))
}

// tell notes which runs words stand for, and why newer ones were passed over.
func tell(c *term.Console, all []run.Match, n Need) {
	for i, f := range all {
		if f.Word == "" || slices.ContainsFunc(all[:i], func(x run.Match) bool { return x.Word == f.Word }) {
			continue
		}
		var ids []string
		for _, x := range all {
			if x.Word == f.Word {
				ids = append(ids, RunName(c, x.Path, x.Status.ID))
			}
		}
		what := model.ShortName(f.Status.Model, f.Status.Encoding) + ", " + f.Status.Data
		why := "the latest of " + f.Word
		switch {
		case len(ids) > 1:
			c.Note("taking runs %s (%s): the seeds of the latest of %s", strings.Join(ids, " "), what, f.Word)
			continue
		case f.Word == "latest" && len(f.Skipped) == 0:
			why = "the latest"
		case f.Word == "latest" && n.What != "":
			why = "the latest with " + n.What
		case f.Word == "latest":
			why = "the latest with a checkpoint"
		}
		if how := progressNote(f.Entry); how != "" {
			why += ";" + how
		}
		c.Note("taking run %s (%s), %s", ids[0], what, why)
		if len(f.Skipped) > 0 {
			c.Note("  %s", skippedNote(f.Skipped))
		}
	}
}

func skippedNote(passed []run.Skip) string {
	p := passed[0]
	lacks := strings.TrimPrefix(p.Missing, "a ")
	if p.Err != nil {
		return fmt.Sprintf("newer: %s has no %s", p.Name, lacks)
	}
	text := fmt.Sprintf("newer: %s (%s) has no %s", p.Status.ID, model.ShortName(p.Status.Model, p.Status.Encoding),
		lacks)
	if len(passed) > 1 {
		text += fmt.Sprintf("; %d more", len(passed)-1)
	}
	return text
}

// Ref returns a reference to a run: its id if it is in the default folder of the runs, else its path.
func RunName(c *term.Console, path, id string) string {
	usual := c.Runs == "runs" || c.Runs == c.Getenv("ATTNCONV_RUNS")
	if usual && filepath.Dir(path) == filepath.Clean(c.Runs) {
		return id
	}
	return path
}

// firstNames joins up to three names, and counts the rest.
func firstNames(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
