//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package disk

import (
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// flock belongs to the open file, not to the process as fcntl's locks do: two goroutines exclude each other, and
// closing another handle of the same file does not release it.
var flock = unix.Flock

// lock takes an exclusive lock on f, lockShared a shared one.
func lock(f *os.File) error       { return lockAs(f, unix.LOCK_EX) }
func lockShared(f *os.File) error { return lockAs(f, unix.LOCK_SH) }

// noLocks are the errors of file systems without locks.
var noLocks = []error{unix.ENOLCK, unix.ENOTSUP, unix.EOPNOTSUPP, unix.ENOSYS, unix.EINVAL}

func lockAs(f *os.File, how int) error {
	for {
		err := flock(int(f.Fd()), how|unix.LOCK_NB)
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.EWOULDBLOCK:
			return ErrHeld
		case slices.Contains(noLocks, err):
			return ErrNoLocks
		}
		return err
	}
}
