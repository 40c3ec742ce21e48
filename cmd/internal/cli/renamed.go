package cli

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/shell"
	"github.com/spf13/pflag"
)

// Renamed keeps the old name of the flag that is called name now. Help does not show it. Its value goes to the flag, if
// accept, which may be nil, returns no error; TellRenamed notes the new name.
func (c *Console) Renamed(set *pflag.FlagSet, old, name string, accept func(text string) error) {
	set.Var(renamed{c, set.Lookup(name), old, accept}, old, "")
	set.MarkHidden(old)
}

// renamed is the old name of a flag.
type renamed struct {
	c      *Console
	to     *pflag.Flag
	old    string
	accept func(text string) error
}

func (r renamed) Type() string   { return r.to.Value.Type() }
func (r renamed) String() string { return "" }
func (r renamed) Set(text string) error {
	if r.accept != nil {
		if err := r.accept(text); err != nil {
			return err
		}
	}
	if err := r.to.Value.Set(text); err != nil {
		return err
	}
	r.to.Changed = true
	name := "--" + r.to.Name
	if r.to.Shorthand != "" {
		name = "-" + r.to.Shorthand
	}
	r.c.renamed = append(r.c.renamed, fmt.Sprintf("note   --%s is now %s %s", r.old, name, shell.Line(text)))
	return nil
}

// TellRenamed notes which flags were given by an old name. It comes once all flags are parsed, as -q may be the last.
func (c *Console) TellRenamed() {
	for _, note := range c.renamed {
		c.Note("%s", note)
	}
}
