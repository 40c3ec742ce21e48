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
)

// A Dir is a run's folder. Create, CreateAt and Claim make it one that can be written; one from Open can be read.
// Its methods may be called from several goroutines.
type Dir struct {
	Path   string
	Retain int // how many of the newest checkpoints Save keeps; below 1: two

	mu      sync.Mutex
	status  Status
	lock    *disk.Lock // held while this process works on the run; nil: it does not, or there are no locks here
	beaten  time.Time  // by the clock that nobody sets
	metrics *os.File   // open while this process works on the run
	epochs  *os.File
	logs    []*os.File
}

var unknown = math.NaN()

// Status returns what run.json says, and what this process has since added.
func (d *Dir) Status() Status {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.status
}

// Config returns config.yaml, if it is what was written there: settings that a power cut or a full disk cut short would
// silently be the defaults. The error is a *NotFound where there is none, a *Corrupt where it is something else.
func (d *Dir) Config() ([]byte, error) {
	path := filepath.Join(d.Path, configFile)
	b, err := readSmall(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &NotFound{What: configFile, Root: d.Path}
	}
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(b)) == 0 {
		return nil, &Corrupt{path, "the file is empty, as a power cut or a full disk leaves it; want the run's settings" + d.wayOut()}
	}
	s := d.Status()
	if s.ID == "" { // run.json was not read
		if read, err := readStatus(d.Path); err == nil {
			s = *read
		}
	}
	sums := s.ConfigSHA256 // nil: of an earlier version
	if got := digest(b); sums != nil && !slices.Contains(sums, got) {
		return nil, &Corrupt{path, fmt.Sprintf("not what was written when the run began: cut short, or edited; want SHA-256 %.8s…, "+
			"got %.8s…%s", sums[0], got, d.wayOut())}
	}
	return b, nil
}

// wayOut says what can still be done with a run whose settings are lost: its checkpoints hold them, too.
func (d *Dir) wayOut() string {
	if path, err := Checkpoint(d.Path); err == nil {
		return "\n  a new run with the settings and weights of its checkpoint: attnconv train --from " + path
	}
	return ""
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Extend replaces config.yaml by that of a longer run. The claimed run says from now on that it was extended.
func (d *Dir) Extend(config []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	before, after := d.status.ConfigSHA256, digest(config)
	d.status.Extended = true
	if before != nil {
		d.status.ConfigSHA256 = append(before[:len(before):len(before)], after) // either, if this process ends in between
	}
	if err := d.save(); err != nil {
		return err
	}
	if err := replace(filepath.Join(d.Path, configFile), config); err != nil {
		return err
	}
	d.status.ConfigSHA256 = []string{after}
	return d.save()
}

// Claim makes this process the one that works on a run, to resume it: what was typed now is added to overrides.txt, the
// machine is described in a further environment-N.json. A run that is alive elsewhere gives a *Busy. say, if not nil, is
// told why it takes long.
func (d *Dir) Claim(typed Typed, env Environment, say func(string)) error {
	lock, s, err := takeRun(d.Path, say)
	if err != nil {
		return err
	}
	if err := d.begin(lock, s, typed, env); err != nil {
		d.Close() // others may try
		return err
	}
	return nil
}

// begin makes the run that s describes, and whose lock this process has taken, its own.
func (d *Dir) begin(lock *disk.Lock, s *Status, typed Typed, env Environment) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lock, d.status = lock, *s
	d.status.State, d.status.Ended = Running, time.Time{}
	err := d.claimed(s, func() error {
		d.sign()
		return d.save()
	})
	if err != nil {
		return err
	}
	for _, folder := range append([]string{""}, ownFolders...) {
		if err := d.sweep(folder); err != nil {
			return err
		}
	}
	if err := d.describe(typed, env); err != nil {
		return err
	}
	return d.openCurves()
}

// sweep removes what writers of the run that were killed left in one of its folders, if that is there.
func (d *Dir) sweep(folder string) error {
	list, err := os.ReadDir(filepath.Join(d.Path, folder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return wrap(err)
	}
	for _, e := range list {
		rel := filepath.Join(folder, e.Name())
		if _, temporary := disk.TempOf(e.Name()); temporary && isOwn(rel) {
			if err := os.Remove(filepath.Join(d.Path, rel)); err != nil {
				return wrap(err)
			}
		}
	}
	return nil
}

// sign makes the run this process's own. The caller holds d.mu, or is alone.
func (d *Dir) sign() {
	var leg [8]byte
	rand.Read(leg[:]) // never fails: crypto/rand
	d.status.Leg, d.status.PID = hex.EncodeToString(leg[:]), os.Getpid()
	d.status.Machine, d.status.Space, d.status.Locked = machine(), space(), d.lock != nil
}

// openCurves opens the files to which records are added.
func (d *Dir) openCurves() (err error) {
	if d.metrics, err = appendTo(filepath.Join(d.Path, metricsFile), ""); err != nil {
		return err
	}
	d.epochs, err = appendTo(filepath.Join(d.Path, epochsFile), epochsHeader)
	return err
}

// save writes run.json with a new heartbeat.
func (d *Dir) save() error {
	d.beaten = time.Now()
	d.status.Heartbeat = d.beaten.UTC().Truncate(time.Millisecond)
	b, err := d.status.encode()
	if err != nil {
		return err
	}
	return replace(filepath.Join(d.Path, statusFile), b)
}

// pulse is the time between heartbeats.
const pulse = 5 * time.Second

// Beat gives a sign of life: it brings run.json up to date, at most every five seconds, and may be called every step.
// ErrTaken says that another process took over the run, where there are no locks and this one had been silent for long
// (suspended, perhaps): this one must stop writing.
func (d *Dir) Beat() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.metrics == nil || time.Since(d.beaten) < pulse { // closed: the run may be another process's by now
		return nil
	}
	return d.beat()
}

func (d *Dir) beat() error {
	switch s, err := readStatus(d.Path); {
	case errors.Is(err, fs.ErrNotExist):
		return err // the folder was deleted
	case err == nil && s.Leg != d.status.Leg:
		return ErrTaken
	}
	return d.save()
}

// Keep calls Beat until ctx is done, so that a long evaluation does not look like a dead process. It returns the first
// error, or nil.
func (d *Dir) Keep(ctx context.Context) error {
	tick := time.NewTicker(pulse)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			if err := d.Beat(); err != nil {
				return err
			}
		}
	}
}

// Close closes the run's files and lets go of the run. One that had no End event shows as stopped from then on.
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
