package disk

import (
	"errors"
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

// Acquire takes the lock on the file name, which it creates if it does not exist. Of several concurrent calls exactly
// one succeeds. The error is ErrHeld if another holds the lock, ErrNoLocks if there are none, or that of OpenFile.
func (f Folder) Acquire(name string) (*Lock, error) {
	for begin := time.Now(); ; time.Sleep(time.Millisecond) {
		file, err := f.OpenFile(name, os.O_RDWR|os.O_CREATE)
		if err != nil {
			return nil, err
		}
		err = lock(file)
		if err == nil && f.isAt(file, name) {
			return &Lock{file}, nil
		}
		file.Close()
		switch {
		case err == nil: // removed between opening and locking: name is another file now
		case !errors.Is(err, ErrHeld):
			return nil, err
		default:
			held, _ := f.Held(name)
			if held {
				return nil, ErrHeld
			}
		}
		if time.Since(begin) > patience {
			return nil, ErrHeld
		}
	}
}

// isAt reports whether name still is the file.
func (f Folder) isAt(file *os.File, name string) bool {
	a, errA := file.Stat()
	b, errB := f.Lstat(name)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// Held reports whether the lock on the file name is held. It does not make a concurrent Acquire fail: it takes a shared
// lock for a moment, which Acquire waits for. The error is fs.ErrNotExist if there is no such file, ErrNoLocks if there
// are no locks, or that of OpenFile.
func (f Folder) Held(name string) (bool, error) {
	file, err := f.OpenFile(name, os.O_RDONLY)
	if err != nil {
		return false, err
	}
	defer file.Close() // releases it
	err = lockShared(file)
	if errors.Is(err, ErrHeld) {
		return true, nil
	}
	return false, err
}
