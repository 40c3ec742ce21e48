package doctor

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/attnconv/attnconv/report"
)

// checkProgram tells the versions of the program.
func checkProgram(context.Context, Options) (Status, string) {
	v := report.ReadVersion()
	detail := fmt.Sprintf("attnconv %s, %s %s/%s", v.Short(), v.Go, v.OS, v.Arch)
	for _, line := range v.Libraries() {
		detail += ", " + path.Base(strings.Fields(line)[0]) + " " + strings.Fields(line)[1]
	}
	return Pass, detail
}

// A Terminal is what messages are written to.
type Terminal struct {
	Columns int // 0: it is no terminal
	Colour  bool
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
	case t.Colour:
		return Pass, fmt.Sprintf("%d columns, colour", t.Columns)
	}
	return Pass, fmt.Sprintf("%d columns, no colour", o.Terminal.Columns)
}
