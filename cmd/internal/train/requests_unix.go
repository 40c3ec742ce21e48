//go:build unix

package train

import (
	"os"
	"os/signal"
	"syscall"
)

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
		signal.Ignore(syscall.SIGUSR1) // which would end a command
		close(done)
	}
}
