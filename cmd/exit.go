package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/attnconv/attnconv/ckpt"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/fetch"
	"github.com/attnconv/attnconv/internal/invalid"
	"github.com/attnconv/attnconv/internal/pjrt"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/train"
)

// The exit codes. Signals add their number to 128.
const (
	exitDone = iota
	exitFailed
	exitUsage
	exitMissing
	exitCorrupt
	exitCheck
	exitDiverged
)

// exitCodes says what each code means, for help exit-codes.
var exitCodes = []struct{ code, meaning string }{
	{"0", "done"},
	{"1", "failed while running (a disk, the network, an internal error)"},
	{"2", "a wrong flag, key or value; nothing was started"},
	{"3", "something required is missing: a data set, a run, a checkpoint, a GPU"},
	{"4", "a file is corrupt or has another version: a checkpoint, data, a plugin"},
	{"5", "a check failed"},
	{"6", "training diverged (NaN or infinity); the last good checkpoint is kept"},
	{"130", "stopped by SIGINT (Ctrl-C); saved, the run can be resumed"},
	{"143", "stopped by SIGTERM, likewise"},
}

// A usageError is a wrong command line, with a line of advice.
type usageError struct{ msg, hint string }

func (e *usageError) Error() string {
	if e.hint == "" {
		return e.msg
	}
	return e.msg + "\n  " + e.hint
}

func usagef(hint, format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...), hint}
}

// An unmetError is a check or requirement that failed.
type unmetError struct{ what string }

func (e *unmetError) Error() string { return e.what }

func unmetf(format string, args ...any) error { return &unmetError{fmt.Sprintf(format, args...)} }

// kinds maps errors to exit codes. Any other error is exitFailed.
var kinds = []struct {
	code int
	is   func(error) bool
}{
	{exitUsage, is[*usageError]},
	{exitUsage, is[*configs.Error]},
	{exitUsage, is[*invalid.Error]},
	{exitUsage, is[*run.Ambiguous]},
	{exitUsage, is[*run.NotEmpty]},
	{exitUsage, is[*run.Busy]},
	{exitUsage, is[*data.Present]},
	{exitMissing, is[*data.Missing]},
	{exitMissing, is[*run.NotFound]},
	{exitMissing, is[*pjrt.Missing]},
	{exitCorrupt, is[*data.Corrupt]},
	{exitCorrupt, is[*fetch.Corrupt]},
	{exitCorrupt, is[*ckpt.Corrupt]},
	{exitCorrupt, is[*run.Corrupt]},
	{exitCorrupt, is[*pjrt.Unfit]},
	{exitCheck, is[*unmetError]},
	{exitDiverged, is[*train.Diverged]},
}

func is[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

// exitCode is the code for what a command returned. A command that a signal stopped returns train.ErrStopped or the
// context's error.
func exitCode(ctx context.Context, err error) int {
	if err == nil {
		return exitDone
	}
	if sig, ok := stoppedBy(ctx, err); ok {
		return 128 + int(sig)
	}
	for _, k := range kinds {
		if k.is(err) {
			return k.code
		}
	}
	return exitFailed
}

// stoppedBy returns the signal that made a command return err.
func stoppedBy(ctx context.Context, err error) (syscall.Signal, bool) {
	var s stopped
	if errors.As(context.Cause(ctx), &s) && (errors.Is(err, train.ErrStopped) || errors.Is(err, context.Canceled)) {
		return s.signal, true
	}
	return 0, false
}

// report writes an error to standard error, as text or, with --json or --progress json, as one JSON object. A command
// that was stopped by a signal has reported that itself.
func (c *console) report(ctx context.Context, err error) {
	if _, ok := stoppedBy(ctx, err); ok {
		return
	}
	text := userMessage(err)
	message, hint, _ := strings.Cut(text, "\n")
	object := jsonError{exitCode(ctx, err), message, strings.TrimSpace(hint)}
	switch {
	case c.streams():
		c.line("error", struct {
			Error jsonError `json:"error"`
		}{object})
	case c.JSON:
		c.object(c.Err, struct {
			V     int       `json:"v"`
			Error jsonError `json:"error"`
		}{1, object})
	default:
		c.message("error", red, text)
	}
}

type jsonError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}
