//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// ignoreRequests ignores SIGUSR1, which would end a command that has nothing to save.
func ignoreRequests() { signal.Ignore(syscall.SIGUSR1) }

// OnRequest calls save for each SIGUSR1, until release is called.
func OnRequest(save func()) (release func()) {
	requests, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(requests, syscall.SIGUSR1)
	go func() {
		for {
			select {
			case <-requests:
				save()
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(requests)
		ignoreRequests()
		close(done)
	}
}
