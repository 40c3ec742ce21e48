package doctor

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/attnconv/attnconv"
)

// checkProgram tells the versions of the program.
func checkProgram(context.Context, Options) (Status, string) {
	v := attnconv.ReadBuild()
	detail := fmt.Sprintf("attnconv %s, %s %s/%s", v.Short(), v.Go, v.OS, v.Arch)
	for _, line := range v.Libraries() {
		detail += ", " + path.Base(strings.Fields(line)[0]) + " " + strings.Fields(line)[1]
	}
	return Pass, detail
}

// A Terminal is what messages are written to.
type Terminal struct {
	Columns int // 0: it is not a terminal
	Color   bool
}

// checkTerminal tells what can be shown.
func checkTerminal(_ context.Context, o Options) (Status, string) {
	switch t := o.Terminal; {
	case t == nil:
		return "", ""
	case t.Columns == 0:
		return Pass, "standard error is no terminal: plain lines"
	case t.Columns < 80:
		return Warn, fmt.Sprintf("%d columns: tables need 80", t.Columns)
	case t.Color:
		return Pass, fmt.Sprintf("%d columns, color", t.Columns)
	}
	return Pass, fmt.Sprintf("%d columns, no color", o.Terminal.Columns)
}
