//go:build !linux && !darwin

package memory

// Total returns 0: it is not known here.
func Total() int64 { return 0 }

// limits lists what the limits on this process leave: none that is known here.
func limits() []TooLarge { return nil }
