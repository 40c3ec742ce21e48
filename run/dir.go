package run

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/attnconv/attnconv/internal/disk"
	"github.com/attnconv/attnconv/internal/shell"
)

// A Dir is a run's folder. It can be written after Create, CreateAt or Claim, and only read after Open. It is safe for
// concurrent use.
type Dir struct {
	Path   string
	Retain int // how many of the newest checkpoints Save keeps; below 1: two

	mu       sync.Mutex
	status   Status
	before   Status     // as it was when this process claimed the run
	lock     *disk.Lock // while this process trains the run; nil if it does not, or if there are no locks
	lastBeat time.Time  // with the monotonic clock
	metrics  *os.File   // open while this process trains the run
	epochs   *os.File
	logs     []*os.File
}

var unknown = math.NaN()

// ErrTaken is the error if another process has taken over the run that this one was training.
var ErrTaken = errors.New("another process has taken over this run")

// Status returns the status in run.json, with this process's changes since.
func (d *Dir) Status() Status {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.status
}

// folder is what all writing and deleting of the run's files goes through: the folder may come from another person.
func (d *Dir) folder() disk.Folder { return disk.Folder(d.Path) }

// replace is WriteFile for a file of the run.
func (d *Dir) replace(name string, b []byte) error {
	return wrap(d.folder().Replace(name, disk.Bytes(b)))
}

// Replace replaces a file of the run atomically by what write produces. name is relative to the run's folder, like
// figures/curves.svg; Replace makes the folders that are missing. The error is a *CorruptError if one of them is a
// link.
func (d *Dir) Replace(name string, write func(io.Writer) error) error {
	if err := d.folder().MkdirAll(filepath.Dir(name)); err != nil {
		return wrap(err)
	}
	return wrap(d.folder().Replace(name, write))
}

// Config returns config.yaml after checking its digest: settings missing from a truncated file would silently have
// their defaults. The error is a *NotFoundError if there is no config.yaml, a *CorruptError if it has changed.
func (d *Dir) Config() ([]byte, error) {
	path := filepath.Join(d.Path, configFile)
	b, err := readSmall(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &NotFoundError{What: configFile, Root: d.Path}
	}
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(b)) == 0 {
		return nil, &CorruptError{path, "the file is empty, as a power cut or a full disk leaves it; want the run's settings" + d.wayOut()}
	}
	s := d.Status()
	if s.ID == "" { // run.json has not been read yet
		if read, err := readStatus(d.Path); err == nil {
			s = *read
		}
	}
	sums := s.ConfigSHA256 // nil in runs of earlier versions
	if got := digest(b); sums != nil && !slices.Contains(sums, got) {
		return nil, &CorruptError{path, fmt.Sprintf("not what was written when the run began: cut short, or edited; want "+
			"SHA-256 %.8s…, "+
			"got %.8s…%s", sums[0], got, d.wayOut())}
	}
	return b, nil
}

// wayOut returns advice for a run whose settings are lost: its checkpoints also have them.
func (d *Dir) wayOut() string {
	if path, err := Checkpoint(d.Path); err == nil {
		return "\n  a new run with the settings and weights of its checkpoint: attnconv train --from " +
			shell.Line(path)
	}
	return ""
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Extend replaces config.yaml by that of a longer run, and marks the run as extended. This process must have claimed
// it.
func (d *Dir) Extend(config []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	before, after := d.status.ConfigSHA256, digest(config)
	d.status.Extended = true
	if before != nil {
		// both are valid until config.yaml is replaced
		d.status.ConfigSHA256 = append(before[:len(before):len(before)], after)
	}
	if err := d.save(); err != nil {
		return err
	}
	if err := d.replace(configFile, config); err != nil {
		return err
	}
	d.status.ConfigSHA256 = []string{after}
	return d.save()
}

// save writes run.json with a new heartbeat.
func (d *Dir) save() error {
	d.lastBeat = time.Now()
	d.status.Heartbeat = d.lastBeat.UTC().Truncate(time.Millisecond)
	return d.write(&d.status)
}

// write writes s as run.json.
func (d *Dir) write(s *Status) error {
	b, err := s.encode()
	if err != nil {
		return err
	}
	return d.replace(statusFile, b)
}

// heartbeat is the time between heartbeats.
const heartbeat = 5 * time.Second

// beatWhenDue writes run.json with a new heartbeat, at most every five seconds; it may be called every step. The error
// is ErrTaken if another process has taken over the run, after a long silence of this one (suspended, perhaps) without
// locks: this process must stop writing.
func (d *Dir) beatWhenDue() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	// metrics is nil after Close: others may have claimed the run
	if d.metrics == nil || time.Since(d.lastBeat) < heartbeat {
		return nil
	}
	return d.beat()
}

func (d *Dir) beat() error {
	switch s, err := readStatus(d.Path); {
	case errors.Is(err, fs.ErrNotExist):
		return err // somebody has deleted the folder
	case err == nil && s.Leg != d.status.Leg:
		return ErrTaken
	}
	return d.save()
}

// Keep writes a heartbeat to run.json every five seconds until ctx is done, so that a long evaluation does not look
// like a dead process. It returns at the first error, which is ErrTaken if another process has taken over the run.
func (d *Dir) Keep(ctx context.Context) error {
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			if err := d.beatWhenDue(); err != nil {
				return err
			}
		}
	}
}

// Close closes the run's files and releases its lock. A run without an End event then has the state stopped.
func (d *Dir) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var errs []error
	for _, f := range append(d.logs, d.metrics, d.epochs) {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	errs = append(errs, d.lock.Release())
	d.metrics, d.epochs, d.logs, d.lock = nil, nil, nil, nil
	return wrap(errors.Join(errs...))
}
