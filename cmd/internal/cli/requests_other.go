//go:build !unix

package cli

// ignoreRequests does nothing: this system has no SIGUSR1.
func ignoreRequests() {}

// OnRequest never calls save.
func OnRequest(func()) (release func()) { return func() {} }
