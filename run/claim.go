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
)

// lockFile is held by the process that works on a run: the kernel lets go of it when the process ends, however it ends.
const lockFile = ".attnconv.lock"

// A Busy says that another process is working on a run.
type Busy struct {
	Path      string
	PID       int           // 0: not known
	Age       time.Duration // of its last sign of life, by this machine's clock
	Elsewhere bool          // on another machine, or in another container
}

func (e *Busy) Error() string {
	who := "another process"
	if e.PID > 0 {
		who = fmt.Sprintf("process %d", e.PID)
	}
	if e.Elsewhere {
		who += " on another machine or in another container"
	}
	if e.PID <= 0 {
		return fmt.Sprintf("run: %s is in the hands of %s", e.Path, who)
	}
	return fmt.Sprintf("run: %s is being trained by %s (last heartbeat %s ago)", e.Path, who, short(e.Age))
}

// ErrTaken says that another process has taken over a run that this one was working on.
var ErrTaken = errors.New("run: another process has taken over this run")

func (s *Status) busy(path string) *Busy {
	return &Busy{path, s.PID, time.Since(s.Heartbeat).Abs(), !s.here()}
}

// here says whether PID means a process that this one could see.
func (s *Status) here() bool { return s.Machine == machine() && s.Space == space() }

// gone says whether the run's process is known to have ended, whatever the lock says.
func (s *Status) gone() bool { return s.PID > 0 && s.here() && !alive(s.PID) }

// A life is what this machine knows for certain of the process that says it works on a run.
type life int

const (
	unclear life = iota // no lock that tells, and no process that could be asked
	living
	dead
)

// life looks at the lock and, where there is none that tells, for the process. It trusts no clock.
func (s *Status) life() life {
	if s.dir != "" {
		switch held, err := disk.Held(filepath.Join(s.dir, lockFile)); {
		case held:
			return living
		case err == nil && s.lockTells():
			return dead
		}
	}
	if s.gone() {
		return dead
	}
	return unclear
}

// lockTells says whether a lock that is free here is free everywhere: the run's process took one, on this machine or in a
// file system that no other machine sees.
func (s *Status) lockTells() bool { return s.Locked && (s.Machine == machine() || disk.Local(s.dir)) }

// watch is how long a process that may live gives no sign of life before its run is taken over: four heartbeats. It is
// measured by this process's clock alone, which nobody sets: what another machine holds for the time is not compared.
var watch = 4 * pulse

// take makes this process the only one that changes the run in the folder path, and returns what run.json says: nil where
// there is none. The error is a *Busy where another process works on the run. Where the file system has no locks, the
// lock is nil. say, if not nil, is told why it takes long.
func take(path string, say func(string)) (lock *disk.Lock, s *Status, err error) {
	defer func() {
		if err != nil {
			lock.Release()
			lock = nil
		}
	}()
	file := filepath.Join(path, lockFile)
	_, missing := os.Stat(file) // then nobody holds it, and a process may yet be at the run: someone removed the file
	lock, lockErr := hold(file)
	s, err = readStatus(path)
	switch {
	case errors.Is(lockErr, disk.ErrHeld) && s == nil:
		return lock, s, &Busy{Path: path}
	case errors.Is(lockErr, disk.ErrHeld):
		return lock, s, s.busy(path)
	case errors.Is(err, fs.ErrNotExist):
		return lock, nil, nil
	case err != nil || s.State != Running:
		return lock, s, err
	case lockErr == nil && missing == nil && s.lockTells() || s.gone():
		return lock, s, nil
	}
	return lock, s, s.quiet(path, say)
}

// takeRun is take of a folder that holds a run. The error is a *NotFound where it holds none.
func takeRun(path string, say func(string)) (*disk.Lock, *Status, error) {
	if !isRun(path) { // in a folder of something else, no lock is made
		return nil, nil, &NotFound{What: "run", Ref: path}
	}
	lock, s, err := take(path, say)
	if err == nil && s == nil {
		lock.Release()
		return nil, nil, &NotFound{What: "run", Ref: path}
	}
	return lock, s, err
}

// quiet waits until a run has shown no sign of life for so long that its process must be gone.
func (s *Status) quiet(path string, say func(string)) error {
	if say != nil {
		say(fmt.Sprintf("%s may be trained by another process: looking for its heartbeat for %s", path, short(watch)))
	}
	for begin := time.Now(); time.Since(begin) < watch; time.Sleep(watch / 40) {
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

// hold is a variable for tests of file systems without locks.
var hold = disk.Acquire

// claimFile is there for the moment in which a process claims a run where there are no locks: making it is the claim.
const claimFile = ".attnconv.claim"

// abandoned is how old a claimFile may become before whoever made it must have been killed in that moment.
var abandoned = 10 * time.Second

// claimed calls sign, which makes a run this process's own, unless another process has done so since s was read. Where
// there are no locks, claimFile keeps others away meanwhile.
func (d *Dir) claimed(s *Status, sign func() error) error {
	if d.lock != nil {
		return sign()
	}
	file := filepath.Join(d.Path, claimFile)
	var seen time.Time // when whoever is claiming the run began
	for begin := time.Now(); ; time.Sleep(abandoned / 1000) {
		f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			f.Close()
			break
		}
		if !errors.Is(err, fs.ErrExist) {
			return wrap(err)
		}
		info, err := os.Stat(file)
		switch {
		case err == nil && !info.ModTime().Equal(seen): // another one than before
			begin, seen = time.Now(), info.ModTime()
		case err == nil && time.Since(begin) > abandoned:
			os.Remove(file)
		}
	}
	defer os.Remove(file)
	now, err := readStatus(d.Path)
	if err != nil {
		return err
	}
	if now.Leg != s.Leg {
		return now.busy(d.Path)
	}
	return sign()
}

// machine returns a digest that tells this machine, since it was started, from others without naming it: of what the
// kernel calls its start and, where it does not, of the machine's name.
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

// alive says whether this machine has a process called pid that has not ended. One that has ended, but whose parent has
// not asked how (a zombie), has.
func alive(pid int) bool {
	if pid <= 0 {
		return false // to a signal, 0 and below mean groups
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer p.Release()
	if runtime.GOOS == "windows" {
		return true // there, FindProcess finds only what exists
	}
	err = p.Signal(syscall.Signal(0))
	return (err == nil || errors.Is(err, fs.ErrPermission)) && !zombie(pid)
}
