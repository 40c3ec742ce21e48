package run

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/attnconv/attnconv/internal/foreign"
	"github.com/attnconv/attnconv/run/event"
)

// superseded is the suffix of files that Rewind has replaced.
const superseded = ".superseded"

// Rewind restores the state of the run after step, when epoch epochs were complete, to resume from that checkpoint. It
// moves later records, rows, heads and checkpoints to metrics.jsonl.superseded and so on, so that every curve remains
// single-valued. If the checkpoint was written between an epoch's last step and its evaluation, the epoch ends once
// more. Lines of metrics.jsonl that cannot be read are also moved. This process must have claimed the run.
func (d *Dir) Rewind(step, epoch int) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.metrics == nil {
		return wrap(fmt.Errorf("%s is not open for writing", d.Path))
	}
	kept, err := d.rewindMetrics(step, epoch)
	if err != nil {
		return err
	}
	if err := d.rewindEpochs(kept); err != nil {
		return err
	}
	best := 0
	for _, r := range kept {
		if e, ok := r.Event.(event.Epoch); ok && e.Best {
			best = e.Step
		}
	}
	if err := d.rewindHeads(epoch, step); err != nil {
		return err
	}
	if err := d.rewindCheckpoints(step, epoch, best); err != nil {
		return err
	}
	d.status.rewind(kept, step)
	return d.beat()
}

// rewind restores the status after step from the records up to it.
func (s *Status) rewind(kept []event.Record, step int) {
	kernels := s.Kernels
	s.Epoch, s.BestEpoch, s.WallS = 0, 0, 0
	s.ValN, s.TestN = 0, 0
	s.TrainLoss, s.ValLoss, s.ValAcc, s.TestAcc, s.ImgS = unknown, unknown, unknown, unknown, unknown
	for _, r := range kept {
		s.note(r.Event)
	}
	s.State, s.Step, s.Ended, s.Kernels = event.Running, step, time.Time{}, kernels
}

// rewindMetrics splits metrics.jsonl and returns the records that are kept.
func (d *Dir) rewindMetrics(step, epoch int) ([]event.Record, error) {
	b, err := d.readOwn(metricsFile)
	if err != nil {
		return nil, err
	}
	lines := bytes.SplitAfter(b, []byte("\n"))
	records, errs := make([]event.Record, len(lines)), make([]error, len(lines))
	c := cutoff{step: step, epoch: epoch}
	for i, line := range lines {
		errs[i] = records[i].UnmarshalJSON(line)
	}
	var keep, gone []byte
	var kept []event.Record
	for i, line := range lines {
		unknownKind := errors.Is(errs[i], event.ErrKind) // of a later version: kept if the event before it is
		if errs[i] != nil && !unknownKind || c.isAfter(records[i].Event) {
			gone = append(gone, line...)
			continue
		}
		keep = append(keep, line...)
		if !unknownKind {
			kept = append(kept, records[i])
		}
	}
	if len(gone) > 0 {
		d.metrics, err = d.split(d.metrics, metricsFile, keep, gone)
	}
	return kept, err
}

// A cutoff decides which events of a stream, given in order, happened after a step. An event without a step has that of
// the event before it.
type cutoff struct {
	step  int  // the last to keep
	epoch int  // the last that had ended by then
	after bool // the last event with a step was after the cutoff
}

func (c *cutoff) isAfter(e event.Event) bool {
	switch e := e.(type) {
	case event.Start:
		c.after = e.Step > c.step
	case event.Step:
		c.after = e.Step > c.step
	case event.Epoch:
		c.after = e.Step > c.step || e.Epoch > c.epoch
	case event.Eval:
		c.after = e.Step > c.step
	case event.End:
		c.after = e.Step > c.step
	case event.Surgery: // before the step that follows it
		c.after = e.Step >= c.step
	case event.Heads: // by its epoch: the Step event before it may be missing
		return e.Epoch > c.epoch || c.step == 0
	}
	return c.after
}

// rewindEpochs rewrites epochs.csv from the records that are kept: after a power cut it may lack some of their rows.
func (d *Dir) rewindEpochs(kept []event.Record) error {
	b, err := d.readOwn(epochsFile)
	if err != nil {
		return err
	}
	keep, gone := []byte(epochsHeader), []byte(nil)
	for _, r := range kept {
		if e, ok := r.Event.(event.Epoch); ok {
			keep = append(keep, row(e)...)
		}
	}
	if bytes.Equal(b, keep) {
		return nil
	}
	for line := range bytes.Lines(b) {
		if !bytes.Contains(keep, line) {
			gone = append(gone, line...)
		}
	}
	d.epochs, err = d.split(d.epochs, epochsFile, keep, gone)
	return err
}

// readOwn reads a file with a line per step, to rewrite it: a link in its place would bring another file's content
// here.
func (d *Dir) readOwn(name string) ([]byte, error) {
	f, err := d.folder().OpenFile(name, os.O_RDONLY)
	if err != nil {
		return nil, wrap(err)
	}
	defer f.Close()
	b, err := foreign.ReadAll(f.Name(), f, maxMetrics)
	return b, refused(err)
}

// split appends gone to name.superseded, replaces the contents of name by keep, and opens it anew instead of f.
func (d *Dir) split(f *os.File, name string, keep, gone []byte) (*os.File, error) {
	if len(gone) > 0 {
		old, err := d.appendTo(name+superseded, "")
		if err != nil {
			return f, err
		}
		_, err = old.Write(gone)
		if err = errors.Join(err, old.Sync(), old.Close()); err != nil {
			return f, wrap(err)
		}
	}
	if err := f.Close(); err != nil { // before the rename: Windows cannot replace an open file
		return nil, wrap(err)
	}
	if err := d.replace(name, keep); err != nil {
		return nil, err
	}
	return d.appendTo(name, "")
}

// rewindHeads supersedes the files of later epochs, and at step 0 also that of epoch 0.
func (d *Dir) rewindHeads(epoch, step int) error {
	return d.supersede(headsFolder, "epoch-", ".json", func(n int) bool { return n > epoch || step == 0 })
}

// supersede adds the suffix superseded to the numbered files of a folder for which isAfter holds.
func (d *Dir) supersede(folder, prefix, suffix string, isAfter func(int) bool) error {
	list, err := d.folder().ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return wrap(err)
	}
	for _, e := range list {
		if n, ok := numberOf(e.Name(), prefix, suffix); ok && isAfter(n) {
			name := filepath.Join(folder, e.Name())
			if err := d.folder().Rename(name, name+superseded); err != nil {
				return wrap(err)
			}
		}
	}
	return nil
}

// rewindCheckpoints marks checkpoints after step and snapshots after epoch as superseded, and links the others anew:
// the process may have ended between writing a checkpoint and its links. best is the step of the best epoch, 0 if none
// is known; if its checkpoint is gone, best.ckpt links to the newest.
func (d *Dir) rewindCheckpoints(step, epoch, best int) error {
	if err := d.supersede(checkpoints, "step-", ".ckpt", func(n int) bool { return n > step }); err != nil {
		return err
	}
	if err := d.supersede(checkpoints, "epoch-", ".ckpt", func(n int) bool { return n > epoch }); err != nil {
		return err
	}
	steps, err := d.steps()
	if err != nil {
		return err
	}
	if len(steps) == 0 {
		for _, name := range []string{lastLink, bestLink} {
			if err := d.folder().Remove(filepath.Join(checkpoints, name)); err != nil &&
				!errors.Is(err, fs.ErrNotExist) {
				return wrap(err)
			}
		}
		return d.linkWeights()
	}
	if err := d.link(stepName(steps[0]), lastLink); err != nil {
		return err
	}
	switch {
	case slices.Contains(steps, best):
		err = d.link(stepName(best), bestLink)
	case dangling(d.checkpoint(bestLink)):
		err = d.link(stepName(steps[0]), bestLink)
	}
	if err != nil {
		return err
	}
	return d.linkWeights()
}
