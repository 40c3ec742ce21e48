package term

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"

	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/option"
)

// A UsageError is a wrong command line, with a line of advice.
type UsageError struct{ msg, hint string }

func (e *UsageError) Error() string {
	if e.hint == "" {
		return e.msg
	}
	return e.msg + "\n  " + e.hint
}

func (e *UsageError) ExitCode() int { return fault.Usage }

// Usagef returns a UsageError.
func Usagef(hint, format string, args ...any) error {
	return &UsageError{fmt.Sprintf(format, args...), hint}
}

// Unmetf returns the error for a check that failed.
func Unmetf(format string, args ...any) error {
	return &fault.UnmetError{What: fmt.Sprintf(format, args...)}
}

// A RequeueError is the end of a task that has saved before its time limit, and that its engine is to run again.
type RequeueError struct{ What string }

func (e *RequeueError) Error() string { return e.What }
func (e *RequeueError) ExitCode() int { return fault.Requeue }

// NameFlag names the option that err is about, if it is about one, as the flag of that name.
func NameFlag(err error) error {
	wrong := (*option.Error)(nil)
	if !errors.As(err, &wrong) || strings.HasPrefix(wrong.Key, "-") || strings.Contains(wrong.Key, ".") {
		return err
	}
	flag := *wrong
	flag.Key = "--" + wrong.Key
	return &flag
}

// Is reports whether an error of type E is in the chain of err.
func Is[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

// temporary matches the name under which a file is written before it is renamed.
var temporary = regexp.MustCompile(`\.([^/\\]+)\.\d+-[0-9a-f]{8}\.tmp`)

// ShortMessage is UserMessage without advice: the text of err, with a file system error in it as "FILE: message",
// without the system call.
func ShortMessage(err error) string {
	var path *fs.PathError
	var link *os.LinkError
	text := err.Error()
	switch {
	case errors.As(err, &path):
		name := temporary.ReplaceAllString(path.Path, "$1")
		text = strings.Replace(text, path.Error(), name+": "+path.Err.Error(), 1)
		text = strings.Replace(text, name+": "+name+": ", name+": ", 1) // the wrapping error may name it, too
	case errors.As(err, &link):
		text = strings.Replace(text, link.Error(), temporary.ReplaceAllString(link.New, "$1")+": "+link.Err.Error(), 1)
	}
	return text
}
