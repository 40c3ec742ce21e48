package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

const (
	lastLink = "last.ckpt"
	bestLink = "best.ckpt"
)

// Checkpoint returns where the checkpoint of a step belongs: checkpoints/step-001061.ckpt. Saved follows when it is
// there.
func (d *Dir) Checkpoint(step int) string { return d.checkpoint(stepName(step)) }

// Snapshot returns where the weights after an epoch belong that are kept for good: checkpoints/epoch-010.ckpt.
func (d *Dir) Snapshot(epoch int) string { return d.checkpoint(fmt.Sprintf("epoch-%03d.ckpt", epoch)) }

func stepName(step int) string { return fmt.Sprintf("step-%06d.ckpt", step) }

func (d *Dir) checkpoint(name string) string { return filepath.Join(d.Path, checkpoints, name) }

// Saved tells the run that the checkpoint of step has been written whole: last.ckpt now stands for it and, if it is the
// best so far, best.ckpt too. RUN/run.ckpt stands for the best, or for the last while no best is known. Of the others,
// all but the newest (Retain) are removed; snapshots stay.
func (d *Dir) Saved(step int, best bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.metrics != nil {
		if err := d.metrics.Sync(); err != nil { // the curves must not lag behind the checkpoint after a power cut
			return wrap(err)
		}
	}
	if err := link(stepName(step), d.checkpoint(lastLink)); err != nil {
		return err
	}
	if best {
		if err := link(stepName(step), d.checkpoint(bestLink)); err != nil {
			return err
		}
	}
	if err := d.linkWeights(); err != nil {
		return err
	}
	return d.prune()
}

// linkWeights makes run.ckpt stand for the best checkpoint, or else the last.
func (d *Dir) linkWeights() error {
	for _, name := range []string{bestLink, lastLink} {
		if _, err := os.Stat(d.checkpoint(name)); err == nil {
			return link(filepath.Join(checkpoints, name), filepath.Join(d.Path, weightsLink))
		}
	}
	return nil
}

// prune removes checkpoints that are neither among the newest nor the best. Where links are copies, the best is one.
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
			if err := os.Remove(d.checkpoint(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return wrap(err)
			}
		}
	}
	return nil
}

// steps lists the steps that have a checkpoint, newest first.
func (d *Dir) steps() ([]int, error) {
	list, err := os.ReadDir(filepath.Join(d.Path, checkpoints))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, wrap(err)
	}
	var steps []int
	for _, e := range list {
		if n, ok := numbered(e.Name(), "step-", ".ckpt"); ok && e.Name() == stepName(n) {
			steps = append(steps, n)
		}
	}
	slices.Sort(steps)
	slices.Reverse(steps)
	return steps, nil
}

// LastGood returns the newest checkpoint that check takes, and a warning for each newer one that it refused. If it
// refuses all, the error holds what it said of the newest; a run without checkpoints gives a *NotFound.
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
		return "", warnings, fmt.Errorf("run: %s has no checkpoint that can be read: %w", d.Path, first)
	}
	return "", nil, &NotFound{What: "checkpoint", Root: d.Path}
}

// rewindCheckpoints moves checkpoints past step and snapshots past epoch aside. If the best is among them, the newest
// that is left takes its place.
func (d *Dir) rewindCheckpoints(step, epoch int) error {
	if err := d.aside(checkpoints, "step-", ".ckpt", func(n int) bool { return n > step }); err != nil {
		return err
	}
	if err := d.aside(checkpoints, "epoch-", ".ckpt", func(n int) bool { return n > epoch }); err != nil {
		return err
	}
	steps, err := d.steps()
	if err != nil {
		return err
	}
	for _, name := range []string{lastLink, bestLink} {
		path := d.checkpoint(name)
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if _, err := os.Stat(path); err == nil && name == bestLink {
			continue
		}
		if len(steps) == 0 {
			err = os.Remove(path)
		} else {
			err = link(stepName(steps[0]), path)
		}
		if err != nil {
			return wrap(err)
		}
	}
	return d.linkWeights()
}
