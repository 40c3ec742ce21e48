package run

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// A Dir is a run's folder. Create, CreateAt and Claim make it one that can be written; one from Open can be read.
// Its methods may be called from several goroutines.
type Dir struct {
	Path   string
	Retain int // how many of the newest checkpoints Save keeps; below 1: two

	mu      sync.Mutex
	status  Status
	metrics *os.File // open while this process works on the run
	epochs  *os.File
	logs    []*os.File
}

var unknown = math.NaN()

// A Busy says that another process is working on a run.
type Busy struct {
	Path string
	PID  int
	Age  time.Duration // of its last sign of life
}

func (e *Busy) Error() string {
	return fmt.Sprintf("run: %s is being trained by process %d (last heartbeat %s ago)", e.Path, e.PID, short(e.Age))
}

// ErrTaken says that another process has taken over a run that this one was working on.
var ErrTaken = errors.New("run: another process has taken over this run")

// busy returns a *Busy where a living process works on the run in path.
func (s *Status) busy(path string) error {
	now := time.Now()
	if state, _ := s.Judge(now); state == Running {
		return &Busy{path, s.PID, now.Sub(s.Heartbeat).Abs()}
	}
	return nil
}

// Status returns what run.json says, and what this process has since added.
func (d *Dir) Status() Status {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.status
}

// Config returns config.yaml. The error is a *NotFound where there is none.
func (d *Dir) Config() ([]byte, error) {
	b, err := readFile(filepath.Join(d.Path, configFile), mostState)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &NotFound{What: configFile, Root: d.Path}
	}
	return b, wrap(err)
}

// Extend replaces config.yaml by that of a longer run. The claimed run says from now on that it was extended.
func (d *Dir) Extend(config []byte) error {
	d.mu.Lock()
	d.status.Extended = true
	err := d.save()
	d.mu.Unlock()
	if err != nil {
		return err
	}
	return replace(filepath.Join(d.Path, configFile), config)
}

// Claim makes this process the one that works on a run, to resume it: what was typed now is added to overrides.txt, the
// machine is described in a further environment-N.json. A run that is alive elsewhere gives a *Busy.
func (d *Dir) Claim(typed Typed, env Environment) error {
	s, err := readStatus(d.Path)
	if err != nil {
		return err
	}
	if err := s.busy(d.Path); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.status = *s
	d.status.State, d.status.Ended = Running, time.Time{}
	for _, folder := range []string{"", checkpoints, headsFolder, figuresFolder} {
		if err := sweep(filepath.Join(d.Path, folder)); err != nil {
			return err
		}
	}
	return d.open(typed, env)
}

// sweep removes what writers that were killed left in dir, if there is one.
func sweep(dir string) error {
	list, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return wrap(err)
	}
	for _, e := range list {
		if strings.HasPrefix(e.Name(), ".") && strings.HasSuffix(e.Name(), ".tmp") {
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				return wrap(err)
			}
		}
	}
	return nil
}

// open starts this process's leg of the run. The caller holds d.mu, or is alone.
func (d *Dir) open(typed Typed, env Environment) (err error) {
	var leg [8]byte
	rand.Read(leg[:]) // never fails: crypto/rand
	d.status.Leg, d.status.PID, d.status.Machine = hex.EncodeToString(leg[:]), os.Getpid(), machine()
	if err := d.save(); err != nil {
		return err
	}
	if err := d.describe(typed, env); err != nil {
		return err
	}
	if d.metrics, err = appendTo(filepath.Join(d.Path, metricsFile), ""); err != nil {
		return err
	}
	d.epochs, err = appendTo(filepath.Join(d.Path, epochsFile), epochsHeader)
	return err
}

// save writes run.json with a new heartbeat.
func (d *Dir) save() error {
	d.status.Heartbeat = time.Now().UTC().Truncate(time.Millisecond)
	b, err := d.status.encode()
	if err != nil {
		return err
	}
	return replace(filepath.Join(d.Path, statusFile), b)
}

// pulse is the time between heartbeats.
const pulse = 5 * time.Second

// Beat gives a sign of life: it brings run.json up to date, at most every five seconds, and may be called every step.
// ErrTaken says that another process took over the run, after this one had been silent for over a minute (suspended,
// perhaps): this one must stop writing.
func (d *Dir) Beat() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if time.Since(d.status.Heartbeat) < pulse {
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

// Close closes the run's files. A run that had no End event will show as stopped once this process has ended.
func (d *Dir) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var errs []error
	for _, f := range append(d.logs, d.metrics, d.epochs) {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	d.metrics, d.epochs, d.logs = nil, nil, nil
	return wrap(errors.Join(errs...))
}
