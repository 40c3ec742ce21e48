package term

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// SignalError is the cause of a context that a signal canceled.
type SignalError struct{ Signal syscall.Signal }

func (s SignalError) Error() string { return "stopped by " + s.Signal.String() }

// grace is how long a command that saves nothing may go on after the first signal, in loops that do not ask its
// context.
const grace = time.Second

type savingKey struct{}

// Saving says that the command of ctx has something to save or to undo when a signal stops it: it ends when it is
// ready, or at the second signal. Any other command is ended a second after the first, as all files are written as a
// whole or not at all.
func Saving(ctx context.Context) {
	if saving, ok := ctx.Value(savingKey{}).(*atomic.Bool); ok {
		saving.Store(true)
	}
}

// WithSignals returns a context that the first SIGINT, SIGTERM or SIGHUP cancels with a cause of type *SignalError. The
// second SIGINT or SIGTERM ends the program at once, and so does the first after a while, unless Saving was called.
// SIGHUP does not count, because a lost connection may send several: the shell sends one, and so does the kernel. It
// stays ignored where it was, as by nohup. SIGPIPE is ignored, so that writing to a closed pipe returns an error.
func WithSignals(parent context.Context) (ctx context.Context, release func()) {
	saving := new(atomic.Bool)
	ctx, cancel := context.WithCancelCause(context.WithValue(parent, savingKey{}, saving))
	signal.Ignore(syscall.SIGPIPE)
	ignoreRequests()
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	done := make(chan struct{})
	go func() {
		var first syscall.Signal
		var late <-chan time.Time
		for asked := false; ; {
			select {
			case <-done:
				return
			case <-late:
				if !saving.Load() {
					os.Exit(128 + int(first))
				}
			case s := <-signals:
				number := s.(syscall.Signal)
				if asked && number != syscall.SIGHUP {
					os.Exit(128 + int(number))
				}
				asked = asked || number != syscall.SIGHUP
				if cancel(SignalError{number}); late == nil {
					first, late = number, time.After(grace)
				}
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel(nil)
	}
}
