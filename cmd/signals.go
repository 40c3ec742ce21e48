package cmd

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// stopped is the cause of a context that a signal cancelled.
type stopped struct{ signal syscall.Signal }

func (s stopped) Error() string { return "stopped by " + s.signal.String() }

// withSignals returns a context that the first SIGINT or SIGTERM cancels with a cause of type stopped. A second signal
// ends the program at once. SIGPIPE is ignored, so that writing to a closed pipe returns an error.
func withSignals(parent context.Context) (ctx context.Context, release func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signal.Ignore(syscall.SIGPIPE)
	ignoreRequests()
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		for first := true; ; first = false {
			select {
			case <-done:
				return
			case s := <-signals:
				number := s.(syscall.Signal)
				if !first {
					os.Exit(128 + int(number))
				}
				cancel(stopped{number})
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel(nil)
	}
}
