package disk

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// ErrHeld says that another process, or another part of this one, holds a lock.
var ErrHeld = errors.New("the lock is held")

// ErrNoLocks says that the file system, or the operating system, has no locks that the kernel releases.
var ErrNoLocks = errors.New("no locks here")

// A Lock is held until Release or the end of the process, whichever comes first.
type Lock struct{ f *os.File }

// Release ends the lock. It may be called twice, and of nil.
func (l *Lock) Release() error {
	if l == nil || l.f == nil {
		return nil
	}
	f := l.f
	l.f = nil
	return f.Close()
}

// patience is how long Hold waits for readers that look whether a lock is held: each takes microseconds.
const patience = 5 * time.Second

// Hold takes the lock on the file path, which it makes if need be. Of several that try at once one succeeds. The error is
// ErrHeld where another holds it, ErrNoLocks where there are none, or that of opening the file.
func Hold(path string) (*Lock, error) {
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
		case err == nil: // it was removed between opening and locking: the name is another file's now
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

// isAt says whether f is the file that path names now.
func isAt(f *os.File, path string) bool {
	a, errA := f.Stat()
	b, errB := os.Stat(path)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// Held says whether somebody holds the lock on the file path, without taking it from whoever wants it: readers do not
// exclude each other, and Hold waits for them. The error is fs.ErrNotExist where there is no such file, ErrNoLocks where
// there are no locks.
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
