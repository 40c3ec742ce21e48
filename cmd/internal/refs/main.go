// Package refs is what the words on a command line refer to: commands, flags, settings, runs, models, data sets, ranks
// and devices. It also runs the program and reports its error.
package refs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/internal/accelerator"
	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/train"
)

// Main runs the command that args name, without the program's own name, and returns the exit code.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, commands Commands) int {
	ctx, release := term.WithSignals(ctx)
	defer release()
	c := term.NewConsole(stdin, stdout, stderr, os.Environ())
	if err := configs.CheckKinds(); err != nil {
		Report(ctx, c, err)
		return fault.Failed
	}
	return execute(ctx, args, c, commands)
}

// execute runs one of the commands, and reports its error.
func execute(ctx context.Context, args []string, c *term.Console, commands Commands) (code int) {
	var err error
	defer func() {
		if p := recover(); p != nil {
			err = panicError(p, c.Debug)
			Report(ctx, c, err)
			code = fault.Failed
		}
		leave(ctx, c, code, err)
	}()
	root, err := NewRoot(c, commands)
	if err != nil {
		Report(ctx, c, err)
		return fault.Failed
	}
	root.SetArgs(args)
	c.JSON, c.Debug = hasFlag(args, "--json"), hasFlag(args, "--debug") // for errors in parsing the flags
	if i := slices.Index(args, "--progress"); slices.Contains(args, "--progress=json") || i >= 0 &&
		slices.Contains(args[i:], "json") {
		c.ProgressMode = "json"
	}
	if err = root.ExecuteContext(ctx); err == nil {
		err = c.Lost()
	}
	if err != nil {
		Report(ctx, c, err)
	}
	return exitCode(ctx, err)
}

// hasFlag reports whether args set a boolean flag.
func hasFlag(args []string, flag string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return slices.Contains(args, flag) || slices.Contains(args, flag+"=true")
}

// panicError returns the error for a panic.
func panicError(p any, stack bool) error {
	s := fmt.Sprintf("internal error: %v\n  This is a bug in attnconv.", p)
	if stack {
		return errors.New(s + "\n\n" + string(debug.Stack()))
	}
	return errors.New(s + "\n  Please report it with the output of `attnconv version` and of the same command with " +
		"--debug.")
}

// ChildEnv removes the program's variables from an environment, except those of the kernels and of the GPU.
func ChildEnv(env []string) (kept []string) {
	for _, entry := range env {
		if !strings.HasPrefix(entry, "ATTNCONV_") || strings.HasPrefix(entry, kernel.Variable+"=") ||
			strings.HasPrefix(entry, accelerator.Variable+"=") {
			kept = append(kept, entry)
		}
	}
	return kept
}

// exitCode is the code for what a command returned. A command that a signal stopped returns train.ErrStopped or the
// context's error.
func exitCode(ctx context.Context, err error) int {
	if sig, ok := signalOf(ctx, err); ok {
		return 128 + int(sig)
	}
	return fault.ExitCode(err)
}

// signalOf returns the signal that made a command return err.
func signalOf(ctx context.Context, err error) (syscall.Signal, bool) {
	var s term.SignalError
	if errors.As(context.Cause(ctx), &s) && (errors.Is(err, train.ErrStopped) || errors.Is(err, context.Canceled) ||
		term.Is[term.SignalError](err)) {
		return s.Signal, true
	}
	return 0, false
}

// Report writes an error to standard error. A command that was stopped by a signal has reported that itself.
func Report(ctx context.Context, c *term.Console, err error) {
	if _, ok := signalOf(ctx, err); ok || reportedElsewhere(c, err) {
		return
	}
	text := UserMessage(err)
	if c.World != nil && c.World.Rank() > 0 {
		text = fmt.Sprintf("rank %d: %s", c.World.Rank(), text)
	}
	if term.Is[*term.RequeueError](err) {
		c.Note("%s", text)
		return
	}
	message, hint, _ := strings.Cut(text, "\n")
	c.Fail(term.Failure{Code: exitCode(ctx, err), Message: message, Hint: strings.TrimSpace(hint)}, text)
}

// Ranks returns the ranks that Join has joined; nil: this is the only one.
func Ranks(c *term.Console) train.Group {
	if c.World == nil {
		return nil
	}
	return c.World
}

// onAllRanks reports whether all ranks end with an error of this kind, each by itself.
func onAllRanks(err error) bool {
	return err == nil || errors.Is(err, train.ErrStopped) || term.Is[*train.SharedError](err) ||
		term.Is[*train.DisagreementError](err) || term.Is[*train.DivergenceError](err) ||
		fault.ExitCode(err) == fault.Check
}

// leave ends what Join began, after a command has returned err and that was reported: it waits for the other ranks
// where they also end, and ends them where only this rank failed.
func leave(ctx context.Context, c *term.Console, code int, err error) {
	switch {
	case c.World == nil:
	case code == fault.Done || err != nil && onAllRanks(err):
		if err := c.World.Close(); err != nil {
			Report(ctx, c, err)
		}
	default:
		c.World.Abort(code)
	}
}

// reportedElsewhere reports whether another rank tells the user of this error.
func reportedElsewhere(c *term.Console, err error) bool {
	if c.World == nil || c.World.Rank() == 0 {
		return false
	}
	joint := (*train.SharedError)(nil)
	return errors.As(err, &joint) && joint.ReportedElsewhere || term.Is[*train.DisagreementError](err) ||
		term.Is[*train.DivergenceError](err)
}
