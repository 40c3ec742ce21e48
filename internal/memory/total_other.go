//go:build !linux && !darwin

package memory

// Total returns 0: the size of the memory is unknown here.
func Total() int64 { return 0 }

// limits lists what the limits on this process leave; none is known here.
func limits() []TooLargeError { return nil }
