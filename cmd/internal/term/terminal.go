package term

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/attnconv/attnconv/internal/progress"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/internal/visible"
	"github.com/attnconv/attnconv/run/event"
)

const (
	red    = "31"
	yellow = "33"
)

// message writes a message with a colored label to standard error, folded on a terminal.
func (c *Console) message(word, color, text string) {
	text = fold(word+": "+text, c.ErrWidth())
	if !c.Colored() {
		fmt.Fprintln(c.Err, text)
		return
	}
	visible.Control(c.Err, "\x1b[1;"+color+"m")
	io.WriteString(c.Err, word+":")
	visible.Control(c.Err, "\x1b[0m")
	fmt.Fprintln(c.Err, strings.TrimPrefix(text, word+":"))
}

// Colored reports whether to use color: --color decides, then NO_COLOR and CLICOLOR, then whether Err is a terminal.
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

// Note prints information, folded on a terminal; -q suppresses it.
func (c *Console) Note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	c.note(text, fold(text, c.ErrWidth()))
}

// Path notes a path, or another text to copy, after a label such as "run". It is not folded.
func (c *Console) Path(label, path string) {
	text := fmt.Sprintf("%-*s%s", labelWidth, label, path)
	c.note(text, text)
}

// Wrote notes that a file was written.
func (c *Console) Wrote(path string) { c.note(WroteLine(path), WroteLine(path)) }

// Next notes commands to try next, not folded, and what each is for where the line has room.
func (c *Console) Next(list ...[2]string) {
	c.Note("\nnext:")
	longest := 0
	for _, l := range list {
		if table.Fits(adviceLine(l, 0), c.ErrWidth()) {
			longest = max(longest, visible.Columns(l[0]))
		}
	}
	for _, l := range list {
		line := adviceLine(l, longest)
		if !table.Fits(line, c.ErrWidth()) {
			line = "  " + l[0]
		}
		c.note(line, line)
	}
}

func adviceLine(l [2]string, width int) string {
	return "  " + l[0] + strings.Repeat(" ", max(0, width-visible.Columns(l[0]))) + "   # " + l[1]
}

// note prints information: text as an event, or shown.
func (c *Console) note(text, shown string) {
	switch {
	case c.Quiet:
	case !c.Streams():
		fmt.Fprintln(c.Err, shown)
	case strings.TrimSpace(text) != "": // empty lines are layout only
		c.event(event.Note{Message: strings.TrimSpace(text)})
	}
}

// Print prints a part of the result, whole lines, folded on a terminal.
func (c *Console) Print(format string, args ...any) error {
	return c.WriteText(fold(fmt.Sprintf(format, args...), c.OutWidth()))
}

// WriteText prints a result as it is.
func (c *Console) WriteText(text string) error {
	_, err := io.WriteString(c.Out, text)
	return err
}

// labelWidth is the width of a label and the spaces behind it.
const labelWidth = 7

// Labeled prints a note of several parts after a label such as "data". On a terminal, a part that does not fit begins a
// new line, indented like the first part, and long parts are wrapped.
func (c *Console) Labeled(label string, parts ...string) {
	line := fmt.Sprintf("%-*s", labelWidth, label)
	c.Note("%s", strings.Join(arrange(line, labelWidth, "   ", parts, c.ErrWidth()), "\n"))
}

// Warn reports what is probably not intended; -q suppresses it.
func (c *Console) Warn(text string) {
	switch {
	case c.Quiet:
	case c.Streams():
		c.event(event.Warn{Message: text})
	case c.JSON:
		c.object(c.Err, Warning{V: 1, Warning: text})
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
	if !c.Asks() {
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

// Asks reports whether there is a terminal on which Confirm can ask.
func (c *Console) Asks() bool { return c.ErrWidth() > 0 && progress.Terminal(c.In) && !c.Streams() }

// Progress returns where and how to show the progress of a long command, as --progress and -q select it.
func (c *Console) Progress() progress.Config {
	mode, out := c.ProgressMode, c.Err
	if c.Quiet {
		mode, out = "off", io.Discard
	}
	return progress.Config{Mode: mode, Out: out, Width: c.ErrWidth, Getenv: c.Getenv}
}

// Stages shows the stages of a long command in the same way.
func (c *Console) Stages() (*progress.Stages, error) { return progress.NewStages(c.Progress()) }

// Transfer shows how far the download of a file is, likewise.
func (c *Console) Transfer(name string) (*progress.Transfer, error) {
	return progress.NewTransfer(c.Progress(), name)
}

// Streams reports whether standard error is a stream of events, one JSON object per line as in metrics.jsonl: that is
// --progress json.
func (c *Console) Streams() bool { return c.ProgressMode == "json" }

// event writes an event to the stream.
func (c *Console) event(e event.Event) { c.line(event.Kind(e), e) }

// Stream writes a line that metrics.jsonl does not have; -q suppresses it.
func (c *Console) Stream(kind string, v any) {
	if !c.Quiet {
		c.line(kind, v)
	}
}

// line writes a line with the fields of v, even with --quiet.
func (c *Console) line(kind string, v any) {
	if b, err := event.Line(time.Now(), kind, v); err == nil {
		c.Err.Write(append(b, '\n'))
	}
}

// Fail writes an error to standard error: its text or, with --json or --progress json, one JSON object.
func (c *Console) Fail(f Failure, text string) {
	switch {
	case c.Streams():
		c.line("error", FailureLine{Error: f})
	case c.JSON:
		c.object(c.Err, Error{V: 1, Error: f})
	default:
		c.message("error", red, text)
	}
}
