package disk

import "golang.org/x/sys/unix"

// exchange exchanges two names in the open folder dir.
func exchange(dir int, a, b string) error {
	return unix.Renameat2(dir, a, dir, b, unix.RENAME_EXCHANGE)
}
