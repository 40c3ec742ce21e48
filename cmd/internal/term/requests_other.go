//go:build !unix

package term

// ignoreRequests does nothing: this system has no SIGUSR1.
func ignoreRequests() {}
