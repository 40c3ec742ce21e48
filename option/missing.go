package option

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/fault"
)

// A MissingError says that a run or a checkpoint needs a kind that another program has registered, and this one has
// not.
type MissingError struct {
	Key  string // of the setting that chooses it: model.encoding
	Name string // of the kind
	By   string // the function that registers one: posenc.Register
	Near string // a kind that this program has, of almost the same name; or ""
}

func (e *MissingError) Error() string {
	text := fmt.Sprintf("it needs %s %q, a registered kind that this program does not have\n"+
		"  use the program that made it, or one that calls %s", e.Key, e.Name, e.By)
	if e.Near != "" {
		text += fmt.Sprintf("; or did you mean %q?", e.Near)
	}
	return text
}

func (e *MissingError) ExitCode() int { return fault.Missing }
