package memory

import "golang.org/x/sys/unix"

// Total returns the memory of the machine in bytes, or 0 if it is unknown.
func Total() int64 {
	n, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0
	}
	return int64(n)
}

// limits lists what the limits on this process leave; none is known here.
func limits() []TooLargeError { return nil }
