package data

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/fault"
)

// MissingError says that a data set is not there.
type MissingError struct {
	Name string // of the set, or a path
	Dir  string // where it was looked for
	Text string // of the error, and how to get the set; "": only what Name and Dir say
}

func (e *MissingError) Error() string {
	switch {
	case e.Text != "":
		return e.Text
	case e.Name == e.Dir:
		return fmt.Sprintf("%s is not there", e.Dir)
	}
	return fmt.Sprintf("data set %q is not in %s", e.Name, e.Dir)
}

func (e *MissingError) ExitCode() int { return fault.Missing }

// CorruptError says that a file is not what it should be.
type CorruptError struct {
	Path   string // of the file; inside an archive, ARCHIVE: ENTRY
	Reason string // what was wanted and what came
	Err    error  // the cause, may be nil
}

func (e *CorruptError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Path, e.Reason, e.Err)
	}
	return fmt.Sprintf("%s: %s", e.Path, e.Reason)
}

func (e *CorruptError) ExitCode() int { return fault.Corrupt }

func (e *CorruptError) Unwrap() error { return e.Err }
