// Package cmd is the command line: flags, words and calls. What a command does is in the packages below.
package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
)

// Main runs the command that args name, without the program's own name, and returns the exit code.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, release := withSignals(ctx)
	defer release()
	c := newConsole(stdin, stdout, stderr, os.Environ())
	return execute(ctx, args, c, bodies{train: runTrain, eval: runEval, compare: runCompare})
}

// bodies are what the commands do once their flags are read. Tests replace them.
type bodies struct {
	train func(context.Context, *console, trainOptions) error
	eval  func(context.Context, *console, evalOptions) error

	compare func(context.Context, *console, compareOptions) error
}

// execute runs one command and reports its error.
func execute(ctx context.Context, args []string, c *console, b bodies) (code int) {
	defer func() {
		if p := recover(); p != nil {
			c.report(ctx, panicked(p, c.Debug))
			code = exitFailed
		}
	}()
	root := newRoot(c, b)
	root.SetArgs(args)
	c.JSON, c.Debug = typed(args, "--json"), typed(args, "--debug") // an error of reading the flags obeys them, too
	if i := slices.Index(args, "--progress"); slices.Contains(args, "--progress=json") || i >= 0 && slices.Contains(args[i:], "json") {
		c.Progress = "json"
	}
	err := root.ExecuteContext(ctx)
	if err != nil {
		c.report(ctx, err)
	}
	return exitCode(ctx, err)
}

// typed reports whether args switch a flag on.
func typed(args []string, flag string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return slices.Contains(args, flag) || slices.Contains(args, flag+"=true")
}

// panicked words a fault of the program itself.
func panicked(p any, stack bool) error {
	s := fmt.Sprintf("internal error: %v\n  This is a fault in attnconv, not in what you typed.", p)
	if stack {
		return errors.New(s + "\n\n" + string(debug.Stack()))
	}
	return errors.New(s + "\n  The same command with --debug shows where it is; a report should hold that and " +
		"`attnconv version`.")
}
