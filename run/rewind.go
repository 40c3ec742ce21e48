package run

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// superseded ends the names of what Rewind moved aside.
const superseded = ".superseded"

// Rewind takes the run back to where it stood after step with so many epochs closed, to go on from that checkpoint:
// records, rows, heads and checkpoints past it are moved aside (metrics.jsonl.superseded, …), so that every curve stays
// single-valued. A checkpoint may lie between an epoch's last step and its evaluation: then the epoch is closed once
// more. The run must be this process's own. A line of metrics.jsonl that cannot be read goes aside too.
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
		if e, ok := r.Event.(Epoch); ok && e.Best {
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

// rewind forgets what happened past step.
func (s *Status) rewind(kept []Record, step int) {
	kernels := s.Kernels
	s.Epoch, s.BestEpoch, s.WallS = 0, 0, 0
	s.TrainLoss, s.ValLoss, s.ValAcc, s.TestAcc, s.ImgS = unknown, unknown, unknown, unknown, unknown
	for _, r := range kept {
		s.note(r.Event)
	}
	s.State, s.Step, s.Ended, s.Kernels = Running, step, time.Time{}, kernels
}

// rewindMetrics splits metrics.jsonl and returns the records that stay.
func (d *Dir) rewindMetrics(step, epoch int) ([]Record, error) {
	path := filepath.Join(d.Path, metricsFile)
	b, err := readFile(path, mostMetrics)
	if err != nil {
		return nil, err
	}
	lines := bytes.SplitAfter(b, []byte("\n"))
	records, errs := make([]Record, len(lines)), make([]error, len(lines))
	t := tape{step: step, epoch: epoch}
	for i, line := range lines {
		errs[i] = records[i].UnmarshalJSON(line)
	}
	var stay, gone []byte
	var kept []Record
	for i, line := range lines {
		later := errors.Is(errs[i], errKind) // a line of a later version: it goes where its neighbours go
		if errs[i] != nil && !later || t.past(records[i].Event) {
			gone = append(gone, line...)
			continue
		}
		stay = append(stay, line...)
		if !later {
			kept = append(kept, records[i])
		}
	}
	if len(gone) > 0 {
		d.metrics, err = split(d.metrics, path, stay, gone)
	}
	return kept, err
}

// A tape tells which events of a stream, seen one by one, happened after a step. Those without a step of their own
// happened when the one before them did.
type tape struct {
	step  int  // the last to keep
	epoch int  // the last that was closed by then
	after bool // the stream is past them
}

func (t *tape) past(e Event) bool {
	switch e := e.(type) {
	case Start:
		t.after = e.Step > t.step
	case Step:
		t.after = e.Step > t.step
	case Epoch:
		t.after = e.Step > t.step || e.Epoch > t.epoch
	case Eval:
		t.after = e.Step > t.step
	case End:
		t.after = e.Step > t.step
	case Heads: // the epoch counts: its last step may not have been written
		return e.Epoch > t.epoch || t.step == 0
	}
	return t.after
}

// rewindEpochs gives epochs.csv the rows of the records that stay: after a power cut it may lack some that the stream has.
func (d *Dir) rewindEpochs(kept []Record) error {
	path := filepath.Join(d.Path, epochsFile)
	b, err := readFile(path, mostMetrics)
	if err != nil {
		return err
	}
	stay, gone := []byte(epochsHeader), []byte(nil)
	for _, r := range kept {
		if e, ok := r.Event.(Epoch); ok {
			stay = append(stay, e.row()...)
		}
	}
	if bytes.Equal(b, stay) {
		return nil
	}
	for line := range bytes.Lines(b) {
		if !bytes.Contains(stay, line) {
			gone = append(gone, line...)
		}
	}
	d.epochs, err = split(d.epochs, path, stay, gone)
	return err
}

// split adds what goes to path.superseded, makes path hold what stays, and opens it anew in place of f.
func split(f *os.File, path string, stay, gone []byte) (*os.File, error) {
	if len(gone) > 0 {
		aside, err := appendTo(path+superseded, "")
		if err != nil {
			return f, err
		}
		_, err = aside.Write(gone)
		if err = errors.Join(err, aside.Sync(), aside.Close()); err != nil {
			return f, wrap(err)
		}
	}
	if err := f.Close(); err != nil { // before the rename: some systems refuse to replace an open file
		return nil, wrap(err)
	}
	if err := replace(path, stay); err != nil {
		return nil, err
	}
	return appendTo(path, "")
}

// rewindHeads moves the files of epochs past the given one aside, and from step 0 that of epoch 0.
func (d *Dir) rewindHeads(epoch, step int) error {
	return d.aside(headsFolder, "epoch-", ".json", func(n int) bool { return n > epoch || step == 0 })
}

// aside renames the numbered files of a folder for which past holds.
func (d *Dir) aside(folder, prefix, suffix string, past func(int) bool) error {
	dir := filepath.Join(d.Path, folder)
	list, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return wrap(err)
	}
	for _, e := range list {
		if n, ok := numbered(e.Name(), prefix, suffix); ok && past(n) {
			path := filepath.Join(dir, e.Name())
			if err := os.Rename(path, path+superseded); err != nil {
				return wrap(err)
			}
		}
	}
	return nil
}

// numbered returns the number in a name like step-001061.ckpt.
func numbered(name, prefix, suffix string) (int, bool) {
	text, ok := strings.CutPrefix(name, prefix)
	text, ok2 := strings.CutSuffix(text, suffix)
	n, err := strconv.Atoi(text)
	return n, ok && ok2 && err == nil && n >= 0
}
