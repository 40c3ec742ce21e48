package refs

import (
	"errors"
	"io/fs"
	"regexp"
	"strings"
	"syscall"

	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/run"
)

// UserMessage returns the message of an error for the user: its text and, unless that has lines of advice, what to do.
func UserMessage(err error) string {
	text := term.ShortMessage(err)
	if advice := advice(err); advice != "" && !strings.Contains(text, "\n") {
		text += "\n  " + advice
	}
	if line, below, more := strings.Cut(text, "\n"); more {
		text = line + "\n" + ownCommand.ReplaceAllString(below, "${1}"+term.Program()+" ")
	}
	return text
}

// ownCommand matches this program in a command to try.
var ownCommand = regexp.MustCompile(`(^|[^/\w])attnconv `)

// advice returns what to do about an error, or "".
func advice(err error) string {
	if none := (*run.NotFoundError)(nil); errors.As(err, &none) && TrainArgs(none) != "" {
		hint := "train one: attnconv train " + TrainArgs(none)
		if none.Ref == "" && none.With == "" && none.On == "" { // there are no runs at all
			hint += "\n  or explore trained ones: attnconv runs examples"
		}
		return hint
	}
	if hint := fault.Hint(err); hint != "" {
		return hint
	}
	for _, a := range []struct {
		is   error
		what string
	}{
		{syscall.ENOSPC, "the disk is full: make room there, or name a folder on another one"},
		{syscall.EDQUOT, "your share of the disk is used up: make room there, or name a folder on another one"},
		{syscall.EROFS, "that disk can only be read: name a folder on another one"},
		{syscall.ENOTDIR, "a part of that path is a file: name another one"},
		{syscall.EISDIR, "that is a folder: name a file"},
		{fs.ErrPermission, "this user lacks permission: grant it, or name another place"},
	} {
		if errors.Is(err, a.is) {
			return a.what
		}
	}
	return ""
}
