//go:build !linux && !darwin

package disk

import "runtime"

// Local says whether a lock in dir is known to everybody who can see dir. Windows asks the server for each.
func Local(string) bool { return runtime.GOOS == "windows" }
