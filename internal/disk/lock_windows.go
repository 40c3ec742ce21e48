package disk

import (
	"os"

	"golang.org/x/sys/windows"
)

// Windows locks are on bytes, and nobody else may read those: this one lies where no file has any.
const faraway = 1 << 30

// lock takes the lock on f alone; lockShared beside others that only look.
func lock(f *os.File) error       { return lockAs(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }
func lockShared(f *os.File) error { return lockAs(f, 0) }

func lockAs(f *os.File, how uint32) error {
	at := &windows.Overlapped{OffsetHigh: faraway}
	err := windows.LockFileEx(windows.Handle(f.Fd()), how|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
	switch err {
	case windows.ERROR_LOCK_VIOLATION, windows.ERROR_IO_PENDING:
		return ErrHeld
	case windows.ERROR_NOT_SUPPORTED, windows.ERROR_INVALID_FUNCTION, windows.ERROR_CALL_NOT_IMPLEMENTED:
		return ErrNoLocks
	}
	return err
}
