package doctor

import (
	"io"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/doctor"
)

// The width and the colours of a terminal are told.
func TestTerminal(t *testing.T) {
	for width, want := range map[int]struct {
		status doctor.Status
		says   string
	}{0: {doctor.Pass, "no terminal"}, 60: {doctor.Warn, "60 columns"}, 80: {doctor.Pass, "80 columns, colour"}} {
		c := &cli.Console{Err: io.Discard, ErrWidth: func() int { return width }}
		if status, detail := terminal(c); status != want.status || !strings.Contains(detail, want.says) {
			t.Errorf("%d columns: %s %s; want %s … %s …", width, status, detail, want.status, want.says)
		}
	}
}
