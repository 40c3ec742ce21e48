package disk

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// ErrHeld is the error for a lock that another process, or another part of this one, holds.
var ErrHeld = errors.New("the lock is held")

// ErrNoLocks is the error where the file system, or the operating system, has no locks that the kernel releases.
var ErrNoLocks = errors.New("no locks here")

// A Lock is held until Release or the end of the process, whichever comes first.
type Lock struct{ f *os.File }

// Release releases the lock. Releasing it twice, or a nil lock, has no effect.
func (l *Lock) Release() error {
	if l == nil || l.f == nil {
		return nil
	}
	f := l.f
	l.f = nil
	return f.Close()
}

// patience is how long Acquire waits for calls of Held, each of which takes microseconds.
const patience = 5 * time.Second

// Acquire takes the lock on the file path, which it creates if it does not exist. Of several concurrent calls exactly one
// succeeds. The error is ErrHeld if another holds the lock, ErrNoLocks if there are none, or that of opening the file.
func Acquire(path string) (*Lock, error) {
	for begin := time.Now(); ; time.Sleep(time.Millisecond) {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, err
		}
		err = lock(f)
		if err == nil && isAt(f, path) {
			return &Lock{f}, nil
		}
		f.Close()
		switch {
		case err == nil: // removed between opening and locking: path names another file now
		case !errors.Is(err, ErrHeld):
			return nil, err
		default:
			held, _ := Held(path)
			if held {
				return nil, ErrHeld
			}
		}
		if time.Since(begin) > patience {
			return nil, ErrHeld
		}
	}
}

// isAt reports whether path still names the file f.
func isAt(f *os.File, path string) bool {
	a, errA := f.Stat()
	b, errB := os.Stat(path)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// Held reports whether the lock on the file path is held. It does not make a concurrent Acquire fail: it takes a shared
// lock for a moment, which Acquire waits for. The error is fs.ErrNotExist if there is no such file, ErrNoLocks if there
// are no locks.
func Held(path string) (bool, error) {
	info, err := os.Stat(path)
	if err != nil {
		return false, err
	}
	if !info.Mode().IsRegular() {
		return false, &fs.PathError{Op: "lock", Path: path, Err: ErrNoLocks}
	}
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close() // releases it
	err = lockShared(f)
	if errors.Is(err, ErrHeld) {
		return true, nil
	}
	return false, err
}
