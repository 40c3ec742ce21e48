package run

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/internal/shell"
)

// NotFoundError is the error if there is no such run or checkpoint.
type NotFoundError struct {
	What string // run, unfinished run or checkpoint
	Ref  string // the reference, as the user wrote it, or ""
	Root string // the folder of runs, or ""
	Near string // a similar name, or ""
	With string // what no run has, such as "heads", or ""
	On   string // the data set that has no such run, or ""
}

func (e *NotFoundError) Error() string {
	s := "no " + e.What
	if e.Ref != "" {
		s += fmt.Sprintf(" %q", e.Ref)
	}
	if e.With != "" {
		s += " with " + e.With
	}
	if e.On != "" {
		s += " on " + e.On
	}
	if e.Root != "" {
		s += " in " + e.Root
	}
	if e.Near != "" {
		s += fmt.Sprintf("\n  did you mean %q?", e.Near)
	}
	return s
}

func (e *NotFoundError) ExitCode() int { return fault.Missing }

func (e *NotFoundError) Hint() string {
	switch {
	case e.What == "sweep":
		return "plan one, with several values of a setting: attnconv sweep plan --lr 0.001,0.003"
	case e.What != "run" && e.What != "checkpoint", e.Ref == "":
		return ""
	case e.Root == "", e.Root == "runs":
		return "to list them: attnconv runs ls"
	}
	return "to list them: attnconv runs ls --runs " + shell.Line(e.Root)
}

// AmbiguousError is the error if a reference is a prefix of the names or ids of several runs.
type AmbiguousError struct {
	Ref   string
	Names []string
}

func (e *AmbiguousError) Error() string {
	const most = 8
	names, more := e.Names, ""
	if len(names) > most {
		names, more = names[:most], fmt.Sprintf("\n  … and %d more", len(e.Names)-most)
	}
	return fmt.Sprintf("%q could be any of\n  %s%s", e.Ref, strings.Join(names, "\n  "), more)
}

func (e *AmbiguousError) ExitCode() int { return fault.Usage }

// Open opens the run of a reference for reading; see Lookup.
func Open(ref, root string) (*Dir, error) {
	f, err := Lookup{Root: root}.Find(ref)
	if err != nil {
		return nil, err
	}
	return f.Open()
}

// Open opens the run for reading.
func (e Entry) Open() (*Dir, error) {
	if e.Err != nil {
		return nil, e.Err
	}
	return &Dir{Path: e.Path, status: e.Status}, nil
}

// isRun reports whether path is the folder of a run.
func isRun(path string) bool {
	st, err := os.Stat(filepath.Join(path, statusFile))
	return err == nil && st.Mode().IsRegular()
}

// latest returns the run that root/latest links to or, if that is gone, the last in root.
func latest(root string) (string, error) {
	path := filepath.Join(root, latestLink)
	target, err := os.Readlink(path)
	if err != nil {
		b, _ := readSmall(path) // a text file instead of a link
		target = filepath.FromSlash(strings.TrimSpace(string(b)))
	}
	if target != "" {
		if !filepath.IsAbs(target) {
			target = filepath.Join(root, target)
		}
		if isRun(target) {
			return target, nil
		}
	}
	all, err := names(root)
	if err != nil {
		return "", err
	}
	for _, name := range slices.Backward(all) {
		if dir := filepath.Join(root, name); isRun(dir) {
			return dir, nil
		}
	}
	return "", &NotFoundError{What: "run", Root: root}
}

// FindCheckpoint returns the path of a checkpoint: ref itself, or the best checkpoint of the run that Find finds among
// those that have one. "" is run.ckpt in the current folder, if that exists. found is the run, if ref is a run's.
func (l Lookup) FindCheckpoint(ref string) (path string, found Match, err error) {
	ext := filepath.Ext(ref)
	named := ext == ".ckpt" || ext == ".safetensors"
	st, err := os.Stat(cmp.Or(ref, weightsLink))
	if err == nil && (!st.IsDir() || named) && filepath.Base(ref) != latestLink {
		return cmp.Or(ref, weightsLink), found, nil // for a folder with such a name, reading it gives the error
	}
	if named && ref != weightsLink {
		return "", found, &NotFoundError{What: "checkpoint", Ref: ref, Near: nearFile(ref)}
	}
	lacks := l.lacks
	l.Missing = func(e Entry) string {
		what := lacks(e)
		if _, err := Checkpoint(e.Path); what == "" && err != nil {
			what = "a checkpoint"
		}
		return what
	}
	if found, err = l.Find(ref); err != nil {
		return "", found, err
	}
	path, err = Checkpoint(found.Path)
	return path, found, err
}

// Checkpoint returns the best checkpoint of the run in the folder dir, or else the last.
func Checkpoint(dir string) (string, error) {
	d := &Dir{Path: dir}
	for _, path := range []string{filepath.Join(dir, weightsLink), d.checkpoint(bestLink), d.checkpoint(lastLink)} {
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	steps, err := d.steps()
	if err != nil {
		return "", err
	}
	if len(steps) == 0 {
		return "", &NotFoundError{What: "checkpoint", Root: dir}
	}
	return d.checkpoint(stepName(steps[0])), nil
}
