package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Stopped is the cause of a context that a signal cancelled.
type Stopped struct{ Signal syscall.Signal }

func (s Stopped) Error() string { return "stopped by " + s.Signal.String() }

// WithSignals returns a context that the first SIGINT or SIGTERM cancels with a cause of type Stopped. A second signal
// ends the program at once. SIGPIPE is ignored, so that writing to a closed pipe returns an error.
func WithSignals(parent context.Context) (ctx context.Context, release func()) {
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
				cancel(Stopped{number})
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel(nil)
	}
}
