//go:build !unix

package cli

// ignoreRequests does nothing: this system has no SIGUSR1.
func ignoreRequests() {}
