package cmd

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// stopped is why a command was told to stop.
type stopped struct{ signal syscall.Signal }

func (s stopped) Error() string { return "stopped by " + s.signal.String() }

// withSignals returns a context that ends with the first SIGINT or SIGTERM, whose cause is then of type stopped. The
// command finishes what it is at and returns. A second signal ends the program at once. Closed pipes are ignored: a
// write to one returns an error instead.
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
