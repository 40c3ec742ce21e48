package run

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/attnconv/attnconv/internal/disk"
	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/run/event"
)

// BusyError is the error for a run that another process is training.
type BusyError struct {
	Path      string
	PID       int           // 0: unknown
	Age       time.Duration // of the last heartbeat, by this machine's clock
	Elsewhere bool          // on another machine, or in another container
}

func (e *BusyError) Error() string {
	who := "another process"
	if e.PID > 0 {
		who = fmt.Sprintf("process %d", e.PID)
	}
	if e.Elsewhere {
		who += " on another machine or in another container"
	}
	if e.PID <= 0 {
		return fmt.Sprintf("%s is being trained by %s", e.Path, who)
	}
	return fmt.Sprintf("%s is being trained by %s (last heartbeat %s ago)", e.Path, who, short(e.Age))
}

func (e *BusyError) ExitCode() int { return fault.Usage }

func (s *Status) busy(path string) *BusyError {
	return &BusyError{path, s.PID, time.Since(s.Heartbeat).Abs(), !s.here()}
}

// here reports whether PID is in this process's PID namespace on this machine.
func (s *Status) here() bool { return s.Machine == machine() && s.Space == pidNamespace() }

// gone reports whether the run's process is known to have ended.
func (s *Status) gone() bool { return s.PID > 0 && s.here() && !alive(s.PID) }

// A life is what this machine knows for certain about the process of a running run.
type life int

const (
	unclear life = iota // neither the lock nor the PID is conclusive
	living
	dead
)

// life checks the lock and, if that is not conclusive, the PID. It uses no clock.
func (s *Status) life() life {
	if s.dir != "" {
		switch held, err := disk.Folder(s.dir).Held(lockFile); {
		case held:
			return living
		case err == nil && s.lockIsConclusive():
			return dead
		}
	}
	if s.gone() {
		return dead
	}
	return unclear
}

// Judge returns the current state of the run and, if it differs from s.State, why: a run whose process has ended
// without an End event is stopped. Judge goes by the lock of the run's folder. Only if that is not conclusive (a
// network file system without locks, another machine) does it compare the heartbeat with the clock. If the run has gone
// on or ended since s was read, Judge updates s.
func (s *Status) Judge(now time.Time) (state, why string) {
	if s.State != event.Running {
		return s.State, ""
	}
	switch s.life() {
	case living:
		return event.Running, ""
	case dead:
		current, err := readStatus(s.dir)
		// it has ended or been resumed since s was read
		if err == nil && (current.State != event.Running || current.Leg != s.Leg) {
			*s = *current
			return s.Judge(now)
		}
		return event.Stopped, "process ended"
	}
	// negative after the clock was set back
	if age := now.Sub(s.Heartbeat); age > heartbeatLimit || age < -heartbeatLimit {
		return event.Stopped, "no heartbeat " + short(age.Abs())
	}
	return event.Running, ""
}

// lockIsConclusive reports whether a lock that is free here is free everywhere: the run's process took one, on this
// machine or in a file system that no other machine sees.
func (s *Status) lockIsConclusive() bool {
	return s.Locked && (s.Machine == machine() || disk.Local(s.dir))
}

// silence is how long the process of a run must write no heartbeat before the run is taken over. It is measured by the
// monotonic clock of this process; clocks of different machines are never compared.
var silence = 4 * heartbeat

// take locks the run in the folder path, so that only this process changes it, and returns its status, or nil if there
// is no run.json. The error is a *BusyError if another process trains the run. The lock is nil if the file system has
// none. take calls say, if not nil, with the reason for a wait.
func take(path string, say func(string)) (lock *disk.Lock, s *Status, err error) {
	defer func() {
		if err != nil {
			lock.Release()
			lock = nil
		}
	}()
	_, missing := disk.Folder(path).Lstat(lockFile) // one that somebody removed says nothing about the run's process
	lock, lockErr := acquire(path)
	s, err = readStatus(path)
	switch bad := (*disk.FileTypeError)(nil); {
	case errors.As(lockErr, &bad):
		return lock, s, wrap(lockErr)
	case errors.Is(lockErr, disk.ErrHeld) && s == nil:
		return lock, s, &BusyError{Path: path}
	case errors.Is(lockErr, disk.ErrHeld):
		return lock, s, s.busy(path)
	case errors.Is(err, fs.ErrNotExist):
		return lock, nil, nil
	case err != nil || s.State != event.Running:
		return lock, s, err
	case lockErr == nil && missing == nil && s.lockIsConclusive() || s.gone():
		return lock, s, nil
	}
	return lock, s, s.awaitSilence(path, say)
}

// takeRun is take for a folder that must be a run's; else the error is a *NotFoundError.
func takeRun(path string, say func(string)) (*disk.Lock, *Status, error) {
	if !isRun(path) { // create no lock in another folder
		return nil, nil, &NotFoundError{What: "run", Ref: path}
	}
	lock, s, err := take(path, say)
	if err == nil && s == nil {
		lock.Release()
		return nil, nil, &NotFoundError{What: "run", Ref: path}
	}
	return lock, s, err
}

// awaitSilence returns nil once the run has written no heartbeat for so long that its process must be gone, and a
// *BusyError as soon as it writes one.
func (s *Status) awaitSilence(path string, say func(string)) error {
	if say != nil {
		say(fmt.Sprintf("%s may be trained by another process: looking for its heartbeat for %s", path, short(silence)))
	}
	for begin := time.Now(); time.Since(begin) < silence; time.Sleep(silence / 40) {
		now, err := readStatus(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err == nil && (now.Leg != s.Leg || !now.Heartbeat.Equal(s.Heartbeat)) {
			return now.busy(path)
		}
	}
	return nil
}

// acquire is a variable for tests of file systems without locks.
var acquire = func(path string) (*disk.Lock, error) { return disk.Folder(path).Acquire(lockFile) }

// abandoned is the age at which a claimFile must be that of a killed process. If a process of this machine has the PID
// that created it, the age is abandonedByLiving times as high: a slow disk can make a claim last so long.
var abandoned = 10 * time.Second

const abandonedByLiving = 30

// claimed calls sign, which writes this process into run.json, unless another process has claimed the run since s was
// read. Without locks, claimFile excludes other processes meanwhile.
func (d *Dir) claimed(s *Status, sign func() error) error {
	if d.lock != nil {
		return sign()
	}
	var seen time.Time // when the other process created its claimFile
	for begin := time.Now(); ; time.Sleep(abandoned / 1000) {
		err := d.createOwn(claimFile)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrExist) {
			return wrap(err)
		}
		info, err := d.folder().Lstat(claimFile)
		switch {
		case err == nil && !info.ModTime().Equal(seen): // of another process than before
			begin, seen = time.Now(), info.ModTime()
		case err == nil && d.isAbandoned(claimFile, time.Since(begin)):
			d.removeClaim(seen, time.Since(begin)-abandoned)
		}
	}
	defer d.folder().Remove(claimFile)
	now, err := readStatus(d.Path)
	if err != nil {
		return err
	}
	if now.Leg != s.Leg {
		return now.busy(d.Path)
	}
	return sign()
}

// createOwn creates the file name, as only one process can, and writes into it which process that is.
func (d *Dir) createOwn(name string) error {
	f, err := d.folder().OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	fmt.Fprintln(f, os.Getpid(), machine(), pidNamespace()) // without it, only the age counts
	return f.Close()
}

// isAbandoned reports whether the file name, which createOwn created age ago, must be that of a killed process.
func (d *Dir) isAbandoned(name string, age time.Duration) bool {
	if age <= abandoned {
		return false
	}
	var owner Status
	b, _ := readSmall(filepath.Join(d.Path, name))
	fmt.Sscanln(string(b), &owner.PID, &owner.Machine, &owner.Space)
	return !owner.here() || !alive(owner.PID) || age > abandonedByLiving*abandoned
}

// removeClaim removes the claimFile that a killed process created at the time seen, and that has been abandoned for the
// duration since. Several processes may find it abandoned at once: removalFile keeps all but one away, so that none
// removes the claimFile that the next process creates.
func (d *Dir) removeClaim(seen time.Time, since time.Duration) {
	if d.isAbandoned(removalFile, since) { // the process that removes was killed, too
		d.folder().Remove(removalFile)
	}
	if d.createOwn(removalFile) != nil {
		return
	}
	defer d.folder().Remove(removalFile)
	if info, err := d.folder().Lstat(claimFile); err == nil && info.ModTime().Equal(seen) {
		d.folder().Remove(claimFile)
	}
}

// machine returns a digest that identifies this boot of this machine without naming it: of the boot identifier or, if
// there is none, of the host name.
var machine = sync.OnceValue(func() string {
	name := bootID()
	if name == "" {
		name, _ = os.Hostname()
	}
	if name == "" {
		return ""
	}
	sum := sha256.Sum256([]byte("attnconv " + name))
	return hex.EncodeToString(sum[:6])
})

// alive reports whether this machine has a process pid that has not ended. A zombie has ended.
func alive(pid int) bool {
	if pid <= 0 {
		return false // for kill, 0 and below are process groups
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer p.Release()
	if runtime.GOOS == "windows" {
		return true // FindProcess fails there if the process does not exist
	}
	err = p.Signal(syscall.Signal(0))
	return (err == nil || errors.Is(err, fs.ErrPermission)) && !zombie(pid)
}
