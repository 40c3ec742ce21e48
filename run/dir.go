package run

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/attnconv/attnconv/internal/disk"
	"github.com/attnconv/attnconv/internal/shell"
	"github.com/attnconv/attnconv/run/event"
)

// A Dir is a run's folder. It can be written after Create, CreateAt or Claim, and only read after Open. It is safe for
// concurrent use.
type Dir struct {
	Path   string
	Retain int // how many of the newest checkpoints Save keeps; below 1: two

	mu       sync.Mutex
	status   Status
	lock     *disk.Lock // while this process trains the run; nil if it does not, or if there are no locks
	lastBeat time.Time  // with the monotonic clock
	metrics  *os.File   // open while this process trains the run
	epochs   *os.File
	logs     []*os.File
}

var unknown = math.NaN()

// Status returns the status in run.json, with this process's changes since.
func (d *Dir) Status() Status {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.status
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

// Claim takes the lock of a run in order to resume it. It appends the user's input to overrides.txt and writes another
// environment-N.json. The error is a *BusyError if another process trains the run. Claim calls say, if not nil, with
// the reason for a wait.
func (d *Dir) Claim(typed UserInput, env Environment, say func(string)) error {
	lock, s, err := takeRun(d.Path, say)
	if err != nil {
		return err
	}
	if err := d.begin(lock, s, typed, env); err != nil {
		d.Close() // releases the lock
		return err
	}
	return nil
}

// begin writes this process into the run.json of the run with status s, whose lock it has taken, and opens the run's
// files.
func (d *Dir) begin(lock *disk.Lock, s *Status, typed UserInput, env Environment) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lock, d.status = lock, *s
	if err := d.check(); err != nil {
		return err
	}
	d.status.State, d.status.Ended = event.Running, time.Time{}
	err := d.claimed(s, func() error {
		d.sign()
		return d.save()
	})
	if err != nil {
		return err
	}
	for _, folder := range append([]string{"."}, ownFolders...) {
		if err := d.sweep(folder); err != nil {
			return err
		}
	}
	if err := d.describe(typed, env); err != nil {
		return err
	}
	return d.openCurves()
}

// check returns an error if a file that is appended to or a folder that is written into is a link or anything else: it
// says so before the run is changed.
func (d *Dir) check() error {
	for _, name := range []string{overridesFile, metricsFile, epochsFile, logFile, textFile} {
		if err := d.folder().Check(name); err != nil {
			return wrap(err)
		}
	}
	for _, name := range ownFolders {
		if _, err := d.folder().ReadDir(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return wrap(err)
		}
	}
	return nil
}

// sweep removes the temporary files of killed writers in a folder of the run, if the folder exists.
func (d *Dir) sweep(folder string) error {
	list, err := d.folder().ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return wrap(err)
	}
	for _, e := range list {
		rel := filepath.Join(folder, e.Name())
		if _, temporary := disk.TempOf(e.Name()); temporary && isOwn(rel) {
			if err := d.folder().Remove(rel); err != nil {
				return wrap(err)
			}
		}
	}
	return nil
}

// sign writes this process into d.status. The caller must hold d.mu or have the only reference to d.
func (d *Dir) sign() {
	var leg [8]byte
	rand.Read(leg[:]) // crypto/rand never fails
	d.status.Leg, d.status.PID = hex.EncodeToString(leg[:]), os.Getpid()
	d.status.Machine, d.status.Space, d.status.Locked = machine(), pidNamespace(), d.lock != nil
}

// openCurves opens metrics.jsonl and epochs.csv for appending.
func (d *Dir) openCurves() (err error) {
	if d.metrics, err = d.appendTo(metricsFile, ""); err != nil {
		return err
	}
	d.epochs, err = d.appendTo(epochsFile, epochsHeader)
	return err
}

// save writes run.json with a new heartbeat.
func (d *Dir) save() error {
	d.lastBeat = time.Now()
	d.status.Heartbeat = d.lastBeat.UTC().Truncate(time.Millisecond)
	b, err := d.status.encode()
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
