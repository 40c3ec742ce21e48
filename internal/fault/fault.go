// Package fault is what an error may tell a command besides its text: the code that the program exits with, and what
// the user can do. In addition to Error, its type may have the methods
//
//	ExitCode() int
//	Hint() string
//
// The text of an error says what is wrong and where: it does not name the package that it comes from. Lines below the
// first are advice. A hint is advice that names commands or flags; it is shown below a text that has no advice.
package fault

import (
	"errors"
	"fmt"
	"os/exec"
)

// The exit codes.
const (
	Done = iota
	Failed
	Usage
	Missing
	Corrupt
	Check
	Diverged

	Requeue = 75 // a task has saved before its time limit and has to run again: EX_TEMPFAIL of sysexits.h
)

// ExitCode returns the lowest exit code that err, or an error in it, has; Failed without one, and Done for nil.
func ExitCode(err error) int {
	if err == nil {
		return Done
	}
	if code, ok := lowest(err); ok {
		return code
	}
	return Failed
}

func lowest(err error) (code int, ok bool) {
	if _, other := err.(*exec.ExitError); other { // its method returns the code of another program
		return 0, false
	}
	if e, has := err.(interface{ ExitCode() int }); has {
		code, ok = e.ExitCode(), true
	}
	var inner []error
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		inner = []error{e.Unwrap()}
	case interface{ Unwrap() []error }:
		inner = e.Unwrap()
	}
	for _, e := range inner {
		if c, has := lowest(e); has && (!ok || c < code) {
			code, ok = c, true
		}
	}
	return code, ok
}

// Errorf is fmt.Errorf for an error with an exit code.
func Errorf(code int, format string, args ...any) error {
	return coded{fmt.Errorf(format, args...), code}
}

// Usagef is Errorf for the exit code Usage.
func Usagef(format string, args ...any) error { return Errorf(Usage, format, args...) }

type coded struct {
	error
	code int
}

func (e coded) ExitCode() int { return e.code }
func (e coded) Unwrap() error { return e.error }

// WithHint returns err with a hint.
func WithHint(err error, hint string) error { return hinted{err, hint} }

type hinted struct {
	error
	hint string
}

func (e hinted) Hint() string  { return e.hint }
func (e hinted) Unwrap() error { return e.error }

// An UnmetError is a check that failed.
type UnmetError struct{ What string }

func (e *UnmetError) Error() string { return e.What }

// ExitCode is the exit code of a failed check.
func (e *UnmetError) ExitCode() int { return Check }

// Hint returns the first hint in err, or "".
func Hint(err error) string {
	var e interface{ Hint() string }
	if errors.As(err, &e) {
		return e.Hint()
	}
	return ""
}
