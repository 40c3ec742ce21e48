//go:build !linux && !darwin

package disk

import "runtime"

// Local reports whether a lock in dir excludes every machine that can see dir. Windows takes locks on the server.
func Local(string) bool { return runtime.GOOS == "windows" }
