package disk

import (
	"os"

	"golang.org/x/sys/windows"
)

// farOffset is the high half of the offset of the locked byte. Windows locks ranges of bytes, which no other process
// can then read: this range is beyond the end of every file.
const farOffset = 1 << 30

// lock takes an exclusive lock on f, lockShared a shared one.
func lock(f *os.File) error       { return lockAs(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }
func lockShared(f *os.File) error { return lockAs(f, 0) }

func lockAs(f *os.File, how uint32) error {
	at := &windows.Overlapped{OffsetHigh: farOffset}
	err := windows.LockFileEx(windows.Handle(f.Fd()), how|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
	switch err {
	case windows.ERROR_LOCK_VIOLATION, windows.ERROR_IO_PENDING:
		return ErrHeld
	case windows.ERROR_NOT_SUPPORTED, windows.ERROR_INVALID_FUNCTION, windows.ERROR_CALL_NOT_IMPLEMENTED:
		return ErrNoLocks
	}
	return err
}
