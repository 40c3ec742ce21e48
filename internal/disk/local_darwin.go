package disk

import "golang.org/x/sys/unix"

// Local reports whether dir is on a file system that no other machine can see.
func Local(dir string) bool {
	var s unix.Statfs_t
	return unix.Statfs(dir, &s) == nil && s.Flags&unix.MNT_LOCAL != 0
}
