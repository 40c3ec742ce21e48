package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/attnconv/attnconv/internal/progress"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/internal/visible"
	"github.com/attnconv/attnconv/report"
	"github.com/attnconv/attnconv/run"
)

// A Terminal is what code that knows no flags may need of the user. *Console implements it. A function that needs less
// asks for less.
type Terminal interface {
	// Note prints information, formatted as by fmt.Sprintf.
	Note(format string, args ...any)
	// Warn reports what is probably not intended. Its first line is wrapped; the others may hold a command to copy.
	Warn(text string)
	// Progress returns where and how to show the progress of a long call.
	Progress() progress.Config
	// Confirm asks a question, and returns an error unless the answer is yes: refused says what was not done, hint what
	// to do instead.
	Confirm(ctx context.Context, question, refused, hint string) error
}

var _ Terminal = (*Console)(nil)

const (
	red    = "31"
	yellow = "33"
)

// message writes a message with a coloured label to standard error. On a terminal its first line is wrapped; the others
// are not, since they may hold a command to copy.
func (c *Console) message(word, color, text string) {
	first, rest, more := strings.Cut(text, "\n")
	lines := table.Wrap(word+": "+first, c.ErrWidth())
	if more {
		lines = append(lines, rest)
	}
	text = strings.Join(lines, "\n")
	if !c.Colored() {
		fmt.Fprintln(c.Err, text)
		return
	}
	visible.Control(c.Err, "\x1b[1;"+color+"m")
	io.WriteString(c.Err, word+":")
	visible.Control(c.Err, "\x1b[0m")
	fmt.Fprintln(c.Err, strings.TrimPrefix(text, word+":"))
}

// Colored reports whether to use colour: --color decides, then NO_COLOR and CLICOLOR, then whether Err is a terminal.
func (c *Console) Colored() bool {
	switch {
	case c.Color == "always":
		return true
	case c.Color == "never" || c.Getenv("NO_COLOR") != "":
		return false
	case c.Getenv("CLICOLOR_FORCE") != "" && c.Getenv("CLICOLOR_FORCE") != "0":
		return true
	}
	return c.ErrWidth() > 0 && c.Getenv("CLICOLOR") != "0" && c.Getenv("TERM") != "dumb"
}

// Note prints information; -q suppresses it.
func (c *Console) Note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	switch {
	case c.Quiet:
	case !c.Streams():
		fmt.Fprintln(c.Err, text)
	case strings.TrimSpace(text) != "": // empty lines are layout only
		c.event(run.Note{Message: strings.TrimSpace(text)})
	}
}

// Labelled prints a note of several parts after a label such as "data". On a terminal, a part that does not fit begins a
// new line, indented like the first part, and long parts are wrapped.
func (c *Console) Labelled(label string, parts ...string) {
	const indent, gap = 7, "   "
	line, width := fmt.Sprintf("%-*s", indent, label), c.ErrWidth()
	var lines []string
	for _, part := range parts {
		switch n := utf8.RuneCountInString(line); {
		case n <= indent:
			line += part
		case width == 0 || n+utf8.RuneCountInString(gap+part) <= width:
			line += gap + part
		default:
			lines, line = append(lines, line), strings.Repeat(" ", indent)+part
		}
		wrapped := table.Wrap(line, width)
		last := len(wrapped) - 1
		lines, line = append(lines, wrapped[:last]...), wrapped[last]
	}
	c.Note("%s", strings.Join(append(lines, line), "\n"))
}

// Warn reports what is probably not intended; -q suppresses it.
func (c *Console) Warn(text string) {
	switch {
	case c.Quiet:
	case c.Streams():
		c.event(run.Warn{Message: text})
	case c.JSON:
		c.object(c.Err, report.Warning{V: 1, Warning: text})
	default:
		c.message("warning", yellow, text)
	}
}

// Confirm asks the user, and returns an error unless the answer is yes. Any other answer ends a command with exit code
// 2: refused says what was not done, hint what to do instead. Without a terminal only --yes confirms. Ctrl-C cancels.
func (c *Console) Confirm(ctx context.Context, question, refused, hint string) error {
	if c.Yes {
		return nil
	}
	if c.ErrWidth() == 0 || !progress.Terminal(c.In) || c.Streams() {
		return Usagef("-y answers yes", "nothing was changed: there is no terminal to ask on")
	}
	fmt.Fprintf(c.Err, "%s [y/N] ", question)
	answer := make(chan string, 1)
	go func() {
		line, err := bufio.NewReader(c.In).ReadString('\n')
		if err != nil {
			fmt.Fprintln(c.Err) // Ctrl-D leaves the line open
		}
		answer <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case a := <-answer:
		if a != "y" && a != "yes" {
			return Usagef(hint, "%s", refused)
		}
		return nil
	case <-ctx.Done():
		fmt.Fprintln(c.Err)
		return ctx.Err()
	}
}

// Progress returns where and how to show the progress of a long command, as --progress and -q select it.
func (c *Console) Progress() progress.Config {
	mode, out := c.ProgressMode, c.Err
	if c.Quiet {
		mode, out = "off", io.Discard
	}
	return progress.Config{Mode: mode, Out: out, Width: c.ErrWidth, Getenv: c.Getenv}
}

// Streams reports whether standard error is a stream of events, one JSON object per line as in metrics.jsonl: that is
// --progress json.
func (c *Console) Streams() bool { return c.ProgressMode == "json" }

// event writes an event to the stream.
func (c *Console) event(e run.Event) { c.line(run.Kind(e), e) }

// Stream writes a line that metrics.jsonl does not have; -q suppresses it.
func (c *Console) Stream(kind string, v any) {
	if !c.Quiet {
		c.line(kind, v)
	}
}

// line writes a line with the fields of v, even with --quiet.
func (c *Console) line(kind string, v any) {
	if b, err := run.Line(time.Now(), kind, v); err == nil {
		c.Err.Write(append(b, '\n'))
	}
}
