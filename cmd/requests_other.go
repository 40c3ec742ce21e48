//go:build !unix

package cmd

// ignoreRequests does nothing: this system has no SIGUSR1.
func ignoreRequests() {}

// onRequest never calls save.
func onRequest(func()) (release func()) { return func() {} }
