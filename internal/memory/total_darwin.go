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

// limits lists what the limits on this process leave: none that is known here.
func limits() []TooLarge { return nil }
