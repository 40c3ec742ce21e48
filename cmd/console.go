package cmd

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/attnconv/attnconv/internal/progress"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/internal/visible"
	"github.com/attnconv/attnconv/run"
)

// A console connects a command to its user: results go to Out, everything else to Err. It also holds the global flags.
// Out and Err escape control characters, since names, notes and settings may come from untrusted files. Colours go
// through visible.Control, binary files to visible.Below(c.Out).
type console struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer
	globals

	env      []string   // NAME=value
	errWidth func() int // columns of the terminal that Err writes to; 0: no terminal
	outWidth func() int // likewise for Out
}

func newConsole(stdin io.Reader, stdout, stderr io.Writer, env []string) *console {
	return &console{In: stdin, Out: visible.NewWriter(&pipe{w: stdout}), Err: visible.NewWriter(&pipe{w: stderr}), env: env,
		errWidth: progress.Width(stderr), outWidth: progress.Width(stdout)}
}

// getenv is os.Getenv for env.
func (c *console) getenv(name string) string {
	for _, entry := range c.env {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// A pipe is an output whose reader may close it early, as head does, without an error.
type pipe struct {
	w      io.Writer
	closed bool
}

func (p *pipe) Write(b []byte) (int, error) {
	if p.closed {
		return len(b), nil
	}
	n, err := p.w.Write(b)
	if errors.Is(err, syscall.EPIPE) {
		p.closed = true
		return len(b), nil
	}
	return n, err
}

const (
	red    = "31"
	yellow = "33"
)

// message writes a message with a coloured label to standard error. On a terminal its first line is wrapped; the others
// are not, since they may hold a command to copy.
func (c *console) message(word, color, text string) {
	first, rest, more := strings.Cut(text, "\n")
	lines := table.Wrap(word+": "+first, c.errWidth())
	if more {
		lines = append(lines, rest)
	}
	text = strings.Join(lines, "\n")
	if !c.colored() {
		fmt.Fprintln(c.Err, text)
		return
	}
	visible.Control(c.Err, "\x1b[1;"+color+"m")
	io.WriteString(c.Err, word+":")
	visible.Control(c.Err, "\x1b[0m")
	fmt.Fprintln(c.Err, strings.TrimPrefix(text, word+":"))
}

// colored reports whether to use colour: --color decides, then NO_COLOR and CLICOLOR, then whether Err is a terminal.
func (c *console) colored() bool {
	switch {
	case c.Color == "always":
		return true
	case c.Color == "never" || c.getenv("NO_COLOR") != "":
		return false
	case c.getenv("CLICOLOR_FORCE") != "" && c.getenv("CLICOLOR_FORCE") != "0":
		return true
	}
	return c.errWidth() > 0 && c.getenv("CLICOLOR") != "0" && c.getenv("TERM") != "dumb"
}

// note prints information; -q suppresses it.
func (c *console) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	switch {
	case c.Quiet:
	case !c.streams():
		fmt.Fprintln(c.Err, text)
	case strings.TrimSpace(text) != "": // empty lines are layout only
		c.event(run.Note{Message: strings.TrimSpace(text)})
	}
}

// labelled prints a note of several parts after a label such as "data". On a terminal, a part that does not fit begins a
// new line, indented like the first part, and long parts are wrapped.
func (c *console) labelled(label string, parts ...string) {
	const indent, gap = 7, "   "
	line, width := fmt.Sprintf("%-*s", indent, label), c.errWidth()
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
	c.note("%s", strings.Join(append(lines, line), "\n"))
}

// warn reports what is probably not intended; -q suppresses it.
func (c *console) warn(text string) {
	switch {
	case c.Quiet:
	case c.streams():
		c.event(run.Warn{Message: text})
	case c.JSON:
		c.object(c.Err, struct {
			V       int    `json:"v"`
			Warning string `json:"warning"`
		}{1, text})
	default:
		c.message("warning", yellow, text)
	}
}

// result writes the JSON document of --json to standard output.
func (c *console) result(v any) error { return c.object(c.Out, v) }

// show writes v as JSON with --json, and calls print without.
func (c *console) show(v any, print func(c *console) error) error {
	if c.JSON {
		return c.result(v)
	}
	return print(c)
}

func (c *console) object(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// confirm asks the user, and returns an error unless the answer is yes. Any other answer ends a command with exit code
// 2: refused says what was not done, hint what to do instead. Without a terminal only --yes confirms. Ctrl-C cancels.
func (c *console) confirm(ctx context.Context, question, refused, hint string) error {
	if c.Yes {
		return nil
	}
	if c.errWidth() == 0 || !progress.Terminal(c.In) || c.streams() {
		return usagef("-y answers yes", "nothing was changed: there is no terminal to ask on")
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
			return usagef(hint, "%s", refused)
		}
		return nil
	case <-ctx.Done():
		fmt.Fprintln(c.Err)
		return ctx.Err()
	}
}

// progress returns the display of a long command, as --progress and -q select it.
func (c *console) progress() (*progress.Progress, error) {
	mode, out := c.Progress, c.Err
	if c.Quiet {
		mode, out = "off", io.Discard
	}
	return progress.New(progress.Config{Mode: mode, Out: out, Width: c.errWidth, Getenv: c.getenv})
}
