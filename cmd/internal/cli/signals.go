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

// WithSignals returns a context that the first SIGINT, SIGTERM or SIGHUP cancels with a cause of type Stopped. The second
// SIGINT or SIGTERM ends the program at once. SIGHUP does not count, because a lost connection may send several: the shell
// sends one, and so does the kernel. It stays ignored where it was, as by nohup. SIGPIPE is ignored, so that writing to a
// closed pipe returns an error.
func WithSignals(parent context.Context) (ctx context.Context, release func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signal.Ignore(syscall.SIGPIPE)
	ignoreRequests()
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	done := make(chan struct{})
	go func() {
		for asked := false; ; {
			select {
			case <-done:
				return
			case s := <-signals:
				number := s.(syscall.Signal)
				if asked && number != syscall.SIGHUP {
					os.Exit(128 + int(number))
				}
				asked = asked || number != syscall.SIGHUP
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
