package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const (
	lastLink = "last.ckpt"
	bestLink = "best.ckpt"
)

// Snapshot returns the path of the snapshot after an epoch, checkpoints/epoch-010.ckpt. Snapshots are never pruned.
func (d *Dir) Snapshot(epoch int) string { return d.checkpoint(fmt.Sprintf("epoch-%03d.ckpt", epoch)) }

// Snapshots lists the epochs that have a snapshot, in order.
func (d *Dir) Snapshots() ([]int, error) {
	epochs, err := d.numbers("epoch-", func(n int) string { return filepath.Base(d.Snapshot(n)) })
	slices.Sort(epochs)
	return epochs, err
}

func stepName(step int) string { return fmt.Sprintf("step-%06d.ckpt", step) }

func (d *Dir) checkpoint(name string) string { return filepath.Join(d.Path, checkpoints, name) }

// link links a name in the folder of checkpoints to another.
func (d *Dir) link(target, name string) error {
	return link(d.folder(), target, filepath.Join(checkpoints, name))
}

// Save calls write to make the checkpoint of a step, checkpoints/step-001061.ckpt, and links last.ckpt to it and, if
// best, best.ckpt. RUN/run.ckpt links to the best checkpoint, or to the last if none is known. Save then removes all
// but the best and the newest (Retain) checkpoints; snapshots stay.
func (d *Dir) Save(step int, best bool, write func(path string) error) error {
	if write == nil {
		return errors.New("the function that writes the checkpoint is nil")
	}
	if err := d.sync(); err != nil {
		return err
	}
	if err := d.folder().MkdirAll(checkpoints); err != nil { // it is there: not a link
		return wrap(err)
	}
	if err := write(d.checkpoint(stepName(step))); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.link(stepName(step), lastLink); err != nil {
		return err
	}
	if best {
		if err := d.link(stepName(step), bestLink); err != nil {
			return err
		}
	}
	if err := d.linkWeights(); err != nil {
		return err
	}
	return d.prune()
}

// sync syncs metrics.jsonl: after a power cut it must not be older than a checkpoint.
func (d *Dir) sync() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.metrics == nil {
		return nil
	}
	if err := d.metrics.Sync(); err != nil {
		return wrap(err)
	}
	return nil
}

// linkWeights links run.ckpt to the best checkpoint, or else to the last.
func (d *Dir) linkWeights() error {
	for _, name := range []string{bestLink, lastLink} {
		if _, err := os.Stat(d.checkpoint(name)); err == nil {
			return link(d.folder(), filepath.Join(checkpoints, name), weightsLink)
		}
	}
	return nil
}

// prune removes checkpoints that are neither the best nor among the newest. If links are copies, best.ckpt is a copy of
// the best.
func (d *Dir) prune() error {
	steps, err := d.steps()
	if err != nil {
		return err
	}
	keep := d.Retain
	if keep < 1 {
		keep = 2
	}
	best, _ := os.Readlink(d.checkpoint(bestLink))
	for _, step := range steps[min(keep, len(steps)):] {
		if name := stepName(step); name != best {
			if err := d.folder().Remove(filepath.Join(checkpoints, name)); err != nil &&
				!errors.Is(err, fs.ErrNotExist) {
				return wrap(err)
			}
		}
	}
	return nil
}

// steps lists the steps that have a checkpoint, newest first.
func (d *Dir) steps() ([]int, error) {
	steps, err := d.numbers("step-", stepName)
	slices.Sort(steps)
	slices.Reverse(steps)
	return steps, err
}

// numbers lists the numbers of the checkpoints whose names begin with prefix, as name makes them; none without the
// folder.
func (d *Dir) numbers(prefix string, name func(n int) string) ([]int, error) {
	return d.numbersIn(checkpoints, prefix, ".ckpt", name)
}

// numbersIn returns the numbers in the names of a folder's files.
func (d *Dir) numbersIn(folder, prefix, suffix string, name func(n int) string) (all []int, err error) {
	list, err := os.ReadDir(filepath.Join(d.Path, folder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, wrap(err)
	}
	for _, e := range list {
		if n, ok := numberOf(e.Name(), prefix, suffix); ok && e.Name() == name(n) {
			all = append(all, n)
		}
	}
	return all, nil
}

// numberOf returns the number in a name like step-001061.ckpt.
func numberOf(name, prefix, suffix string) (int, bool) {
	text, ok := strings.CutPrefix(name, prefix)
	text, ok2 := strings.CutSuffix(text, suffix)
	n, err := strconv.Atoi(text)
	return n, ok && ok2 && err == nil && n >= 0
}

// LastGood returns the newest checkpoint that check accepts, and a warning for each newer one. If check refuses all,
// the error wraps that of the newest; if there are none, it is a *NotFoundError.
func (d *Dir) LastGood(check func(path string) error) (path string, warnings []string, err error) {
	steps, err := d.steps()
	if err != nil {
		return "", nil, err
	}
	var first error
	for _, step := range steps {
		path := d.checkpoint(stepName(step))
		err := check(path)
		if err == nil {
			return path, warnings, nil
		}
		if first == nil {
			first = err
		}
		warnings = append(warnings, fmt.Sprintf("%v; falling back to the checkpoint before it", err))
	}
	if first != nil {
		return "", warnings, fmt.Errorf("%s has no checkpoint that can be read: %w", d.Path, first)
	}
	return "", nil, &NotFoundError{What: "checkpoint", Root: d.Path}
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

// dangling reports whether path is a link whose target does not exist.
func dangling(path string) bool {
	_, link := os.Lstat(path)
	_, target := os.Stat(path)
	return link == nil && target != nil
}
