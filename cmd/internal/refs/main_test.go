package refs

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/train"
)

// calling returns the command eval, which calls run.
func calling(run func() error) Commands {
	return func(*term.Console) []*cobra.Command {
		return []*cobra.Command{{Use: "eval", RunE: func(*cobra.Command, []string) error { return run() }}}
	}
}

func TestExitCodes(t *testing.T) {
	interrupted, cancel := context.WithCancelCause(t.Context())
	cancel(term.SignalError{Signal: syscall.SIGINT})
	terminated, cancel := context.WithCancelCause(t.Context())
	cancel(term.SignalError{Signal: syscall.SIGTERM})
	for _, tt := range []struct {
		name string
		ctx  context.Context
		err  error
		code int
	}{
		{"done", t.Context(), nil, 0},
		{"a full disk", t.Context(), fs.ErrPermission, 1},
		{"usage", t.Context(), term.Usagef("", "no"), 2},
		{"setting", t.Context(), &configs.Error{Msg: "no"}, 2},
		{"invalid value", t.Context(), option.Errorf("model.heads", "no"), 2},
		{"two runs", t.Context(), &run.AmbiguousError{}, 2},
		{"busy run", t.Context(), &run.BusyError{}, 2},
		{"folder in use", t.Context(), &run.NotEmptyError{Path: "here"}, 2},
		{"no data", t.Context(), &data.MissingError{}, 3},
		{"no run", t.Context(), &run.NotFoundError{}, 3},
		{"corrupt checkpoint", t.Context(), &ckpt.CorruptError{}, 4},
		{"corrupt data", t.Context(), &data.CorruptError{}, 4},
		{"corrupt run", t.Context(), &run.CorruptError{}, 4},
		{"check", t.Context(), &fault.UnmetError{What: "no"}, 5},
		{"diverged", t.Context(), &train.DivergenceError{}, 6},
		{"stopped on its own", t.Context(), train.ErrStopped, 1},
		{"Ctrl-C in training", interrupted, train.ErrStopped, 130},
		{"Ctrl-C elsewhere", interrupted, context.Canceled, 130},
		{"another error after Ctrl-C", interrupted, fs.ErrPermission, 1},
		{"done in spite of Ctrl-C", interrupted, nil, 0},
		{"terminated", terminated, train.ErrStopped, 143},
		{"the cause", terminated, term.SignalError{Signal: syscall.SIGTERM}, 143},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.err
			if err != nil {
				err = fmt.Errorf("somewhere: %w", err)
			}
			var said bytes.Buffer
			c := term.NewConsole(strings.NewReader(""), io.Discard, &said, nil)
			code := execute(tt.ctx, []string{"eval"}, c, calling(func() error { return err }))
			if code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			if silent := said.Len() == 0; silent != (tt.code == 0 || tt.code > 128) {
				t.Errorf("said %q", said.String())
			}
		})
	}
}

func TestPanicIsOneParagraph(t *testing.T) {
	crash := func(args ...string) string {
		var out, errs bytes.Buffer
		c := term.NewConsole(strings.NewReader(""), &out, &errs, nil)
		code := execute(t.Context(), append([]string{"eval"}, args...), c, calling(func() error { panic("boom") }))
		if code != 1 {
			t.Errorf("exit code %d", code)
		}
		return errs.String()
	}
	want := "error: internal error: boom\n  This is a bug in attnconv.\n" +
		"  Please report it with the output of `attnconv version` and of the same command with --debug.\n"
	if diff := cmp.Diff(want, crash()); diff != "" {
		t.Error(diff)
	}
	if s := crash("--debug"); !strings.Contains(s, "main_test.go") {
		t.Errorf("--debug shows no trace: %s", s)
	}
}

// brokenPipe is the standard output of "attnconv … | head -0".
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}
}

func TestClosedPipeIsNoError(t *testing.T) {
	var errs bytes.Buffer
	c := term.NewConsole(strings.NewReader(""), brokenPipe{}, &errs, nil)
	if code := execute(t.Context(), []string{"version"}, c,
		func(c *term.Console) []*cobra.Command { return []*cobra.Command{NewVersion(c)} }); code != 0 ||
		errs.Len() > 0 {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
}

// fullDisk is the standard output of "attnconv … >/dev/full".
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}
}

// A result that could not be written is an error, also of commands that do not look at each write.
func TestFullDiskIsAnError(t *testing.T) {
	for _, args := range [][]string{{"help"}, {"version", "--help"}, {"version"}} {
		var errs bytes.Buffer
		c := term.NewConsole(strings.NewReader(""), fullDisk{}, &errs, nil)
		code := execute(t.Context(), args, c,
			func(c *term.Console) []*cobra.Command { return []*cobra.Command{NewVersion(c)} })
		if code != fault.Failed || strings.Count(errs.String(), "no space left") != 1 {
			t.Errorf("%v: exit code %d: %s", args, code, errs.String())
		}
	}
}
