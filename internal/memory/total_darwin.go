package memory

import "golang.org/x/sys/unix"

// Total returns the bytes that the machine has; 0 where that is not known.
func Total() int64 {
	n, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0
	}
	return int64(n)
}
