//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package disk

import "os"

func lock(*os.File) error       { return ErrNoLocks }
func lockShared(*os.File) error { return ErrNoLocks }
