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

// Snapshot returns where the weights after an epoch belong that are kept for good: checkpoints/epoch-010.ckpt.
func (d *Dir) Snapshot(epoch int) string { return d.checkpoint(fmt.Sprintf("epoch-%03d.ckpt", epoch)) }

func stepName(step int) string { return fmt.Sprintf("step-%06d.ckpt", step) }

func (d *Dir) checkpoint(name string) string { return filepath.Join(d.Path, checkpoints, name) }

// Save has write make the checkpoint of a step, checkpoints/step-001061.ckpt. From then on last.ckpt stands for it and, if
// it is the best so far, best.ckpt too. RUN/run.ckpt stands for the best, or for the last while no best is known. Of the
// others, all but the newest (Retain) are removed; snapshots stay.
func (d *Dir) Save(step int, best bool, write func(path string) error) error {
	if err := d.sync(); err != nil {
		return err
	}
	if err := write(d.checkpoint(stepName(step))); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
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

// sync brings the curves to disk: they must not lag behind a checkpoint after a power cut.
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

// rewindCheckpoints moves checkpoints past step and snapshots past epoch aside, and links what is left: the process may
// have ended between a checkpoint and its links. best is the step of the best epoch, 0 if none is known; without its
// checkpoint the newest takes its place.
func (d *Dir) rewindCheckpoints(step, epoch, best int) error {
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
	if len(steps) == 0 {
		for _, name := range []string{lastLink, bestLink} {
			if err := os.Remove(d.checkpoint(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return wrap(err)
			}
		}
		return d.linkWeights()
	}
	if err := link(stepName(steps[0]), d.checkpoint(lastLink)); err != nil {
		return err
	}
	switch {
	case slices.Contains(steps, best):
		err = link(stepName(best), d.checkpoint(bestLink))
	case dangling(d.checkpoint(bestLink)):
		err = link(stepName(steps[0]), d.checkpoint(bestLink))
	}
	if err != nil {
		return err
	}
	return d.linkWeights()
}

// dangling reports whether path is a link to what is not there.
func dangling(path string) bool {
	_, link := os.Lstat(path)
	_, target := os.Stat(path)
	return link == nil && target != nil
}
