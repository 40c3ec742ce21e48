package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/internal/accelerator"
	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/internal/kernel"
)

// Commands makes the commands of a program.
type Commands func(*Console) []*cobra.Command

// Main runs the command that args name, without the program's own name, and returns the exit code.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, commands Commands) int {
	ctx, release := WithSignals(ctx)
	defer release()
	c := NewConsole(stdin, stdout, stderr, os.Environ())
	if err := configs.CheckKinds(); err != nil {
		c.Report(ctx, err)
		return fault.Failed
	}
	return execute(ctx, args, c, commands)
}

// execute runs one of the commands, and reports its error.
func execute(ctx context.Context, args []string, c *Console, commands Commands) (code int) {
	var err error
	defer func() {
		if p := recover(); p != nil {
			err = panicError(p, c.Debug)
			c.Report(ctx, err)
			code = fault.Failed
		}
		c.Leave(ctx, code, err)
	}()
	root, err := NewRoot(c, commands)
	if err != nil {
		c.Report(ctx, err)
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
		c.Report(ctx, err)
	}
	return ExitCode(ctx, err)
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

// Self returns the path of this program, to start it as a child process.
func Self() (string, error) {
	if path, err := exec.LookPath(os.Args[0]); err == nil {
		return path, nil
	}
	return os.Executable()
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
