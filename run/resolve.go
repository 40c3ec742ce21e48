package run

import (
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
}

func (e *NotFound) Error() string {
	s := "run: no " + e.What
	if e.Ref != "" {
		s += fmt.Sprintf(" %q", e.Ref)
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

// Open returns the run that ref means, to be read; see Resolve.
func Open(ref, root string) (*Dir, error) {
	path, err := Resolve(ref, root)
	if err != nil {
		return nil, err
	}
	s, err := readStatus(path)
	if err != nil {
		return nil, err
	}
	return &Dir{Path: path, status: *s}, nil
}

// Resolve returns the folder of the run that ref means: a run's folder, a run's name or id in root, the beginning of
// one if no other begins so, latest (or nothing) for the run that started last, or a checkpoint in a run's folder. The
// error is a *NotFound or an *Ambiguous.
func Resolve(ref, root string) (string, error) {
	switch {
	case ref == "" || ref == latestLink && !isRun(ref):
		return latest(root)
	case filepath.Ext(ref) == ".ckpt":
		for _, dir := range []string{filepath.Dir(ref), filepath.Dir(filepath.Dir(ref))} {
			if isRun(dir) {
				return dir, nil
			}
		}
		return "", &NotFound{What: "run", Ref: ref}
	case isRun(ref):
		return filepath.Clean(ref), nil
	case filepath.Base(ref) == latestLink: // runs/latest, as a text file
		return latest(filepath.Dir(ref))
	}
	all, err := names(root)
	if err != nil {
		return "", err
	}
	all = slices.DeleteFunc(all, func(name string) bool {
		return !matches(name, ref) || !isRun(filepath.Join(root, name))
	})
	exact := slices.IndexFunc(all, func(name string) bool { return name == ref || idOf(name) == ref })
	switch {
	case exact >= 0:
		return filepath.Join(root, all[exact]), nil
	case len(all) == 1:
		return filepath.Join(root, all[0]), nil
	case len(all) > 1:
		return "", &Ambiguous{ref, all}
	}
	return "", &NotFound{"run", ref, root, near(ref, root)}
}

func matches(name, ref string) bool {
	return strings.HasPrefix(name, ref) || strings.HasPrefix(idOf(name), ref)
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

// ResolveCheckpoint returns the file that ref means: a checkpoint's path, or the best checkpoint of a run (see
// Resolve). Nothing, or a bare run.ckpt that is not in the current folder, means the latest run's; then note says so,
// for the user to read.
func ResolveCheckpoint(ref, root string) (path, note string, err error) {
	ext := filepath.Ext(ref)
	named := ext == ".ckpt" || ext == ".safetensors"
	if st, err := os.Stat(ref); err == nil && (!st.IsDir() || named) && filepath.Base(ref) != latestLink {
		return ref, "", nil // of a folder that is called so, its reader says what it is
	}
	bare := ref == "" || ref == weightsLink
	if !bare && named {
		return "", "", &NotFound{What: "checkpoint", Ref: ref, Near: nearFile(ref)}
	}
	if bare {
		ref = latestLink
	}
	dir, err := Resolve(ref, root)
	if err != nil {
		return "", "", err
	}
	if path, err = weights(dir); err == nil && bare {
		note = "taking the latest run's checkpoint, " + path
	}
	return path, note, err
}

// weights returns the checkpoint that stands for a run: the best, or else the last.
func weights(dir string) (string, error) {
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
