package run

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A NotFound says that a run or checkpoint is not there.
type NotFound struct {
	What string // run, unfinished run or checkpoint
	Ref  string // as the user wrote it, or ""
	Root string // where it was looked for, or ""
	Near string // what may have been meant, or ""
	With string // what it was to have, or "": heads
	On   string // the data set that it was to be of, or ""
}

func (e *NotFound) Error() string {
	s := "run: no " + e.What
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

// An Ambiguous says that a reference begins the names or ids of several runs.
type Ambiguous struct {
	Ref   string
	Names []string
}

func (e *Ambiguous) Error() string {
	const most = 8
	names, more := e.Names, ""
	if len(names) > most {
		names, more = names[:most], fmt.Sprintf("\n  … and %d more", len(e.Names)-most)
	}
	return fmt.Sprintf("run: %q could be any of\n  %s%s", e.Ref, strings.Join(names, "\n  "), more)
}

// Open returns the run that ref means, to be read; see Lookup.
func Open(ref, root string) (*Dir, error) {
	f, err := Lookup{Root: root}.Find(ref)
	if err != nil {
		return nil, err
	}
	return f.Open()
}

// Open returns the run, to be read.
func (e Entry) Open() (*Dir, error) {
	if e.Err != nil {
		return nil, e.Err
	}
	return &Dir{Path: e.Path, status: e.Status}, nil
}

// isRun says whether path is the folder of a run.
func isRun(path string) bool {
	st, err := os.Stat(filepath.Join(path, statusFile))
	return err == nil && st.Mode().IsRegular()
}

// latest returns the run that root/latest stands for or, where that is gone, the last in root.
func latest(root string) (string, error) {
	path := filepath.Join(root, latestLink)
	target, err := os.Readlink(path)
	if err != nil {
		b, _ := readSmall(path) // a text file, or nothing
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
	return "", &NotFound{What: "run", Root: root}
}

// FindCheckpoint returns the file that ref means: a checkpoint's path, or the best checkpoint of the run that Find finds,
// of those that have one. Nothing means run.ckpt in the current folder, if it is there. found is the run, where ref was
// looked for among runs.
func (l Lookup) FindCheckpoint(ref string) (path string, found Found, err error) {
	ext := filepath.Ext(ref)
	named := ext == ".ckpt" || ext == ".safetensors"
	st, err := os.Stat(cmp.Or(ref, weightsLink))
	if err == nil && (!st.IsDir() || named) && filepath.Base(ref) != latestLink {
		return cmp.Or(ref, weightsLink), found, nil // of a folder that is called so, its reader says what it is
	}
	if named && ref != weightsLink {
		return "", found, &NotFound{What: "checkpoint", Ref: ref, Near: nearFile(ref)}
	}
	lacks := l.lacks
	l.Lacks = func(e Entry) string {
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

// Checkpoint returns the checkpoint that stands for the run in the folder dir: the best, or else the last.
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
		return "", &NotFound{What: "checkpoint", Root: dir}
	}
	return d.checkpoint(stepName(steps[0])), nil
}
