//go:build !purego

package kernel

import "golang.org/x/sys/unix"

// grantsTiles asks the system for the tiles of AMX, for all threads of this process. Linux has them since 5.16, and
// grants them to whoever asks.
func grantsTiles() bool {
	const (
		request  = 0x1023 // ARCH_REQ_XCOMP_PERM
		tileData = 18     // XFEATURE_XTILEDATA
	)
	_, _, err := unix.RawSyscall(unix.SYS_ARCH_PRCTL, request, tileData, 0)
	return err == 0
}
