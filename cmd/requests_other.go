//go:build !unix

package cmd

// ignoreRequests does nothing: there is no SIGUSR1 here.
func ignoreRequests() {}

// onRequest calls save never.
func onRequest(func()) (release func()) { return func() {} }
