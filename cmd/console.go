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

	"github.com/attnconv/attnconv/internal/progress"
	"github.com/attnconv/attnconv/internal/visible"
)

// A console is what a command talks to: results go to Out, everything else to Err. It also holds the global flags. Both
// show control characters as escapes, since names, notes and settings may be of others; colours and the like go through
// visible.Control, and files of bytes to visible.Below(c.Out).
type console struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer
	globals

	env      []string   // NAME=value
	errWidth func() int // columns of the terminal behind Err; 0: none
	outWidth func() int // likewise behind Out
}

// globals are the flags of every command.
type globals struct {
	JSON     bool
	Quiet    bool
	Verbose  int
	Color    string
	Progress string
	Runs     string
	DataDir  string
	Threads  int
	Device   string // of the commands that have --device
	Yes      bool
	Debug    bool
}

func newConsole(stdin io.Reader, stdout, stderr io.Writer, env []string) *console {
	return &console{In: stdin, Out: visible.NewWriter(&pipe{w: stdout}), Err: visible.NewWriter(&pipe{w: stderr}), env: env,
		errWidth: progress.Width(stderr), outWidth: progress.Width(stdout)}
}

// getenv is os.Getenv on the console's own environment.
func (c *console) getenv(name string) string {
	for _, entry := range c.env {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// A pipe is an output that may be closed early by its reader, as head does: that is no error.
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

// say writes a line that begins with a coloured word to standard error.
func (c *console) say(word, color, text string) {
	if !c.colored() {
		fmt.Fprintln(c.Err, word+":", text)
		return
	}
	visible.Control(c.Err, "\x1b[1;"+color+"m")
	io.WriteString(c.Err, word+":")
	visible.Control(c.Err, "\x1b[0m")
	fmt.Fprintln(c.Err, "", text)
}

// colored settles --color: the flag first, then NO_COLOR and CLICOLOR, and colour only where a terminal shows it.
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

// note tells the user something; -q keeps it back.
func (c *console) note(format string, args ...any) {
	if !c.Quiet {
		fmt.Fprintf(c.Err, format+"\n", args...)
	}
}

// warn tells the user about something that is probably not as intended; -q keeps it back.
func (c *console) warn(text string) {
	switch {
	case c.Quiet:
	case c.JSON:
		c.object(c.Err, struct {
			V       int    `json:"v"`
			Warning string `json:"warning"`
		}{1, text})
	default:
		c.say("warning", yellow, text)
	}
}

// result writes the one JSON document of --json to standard output.
func (c *console) result(v any) error { return c.object(c.Out, v) }

// show writes v as the command's document, or, without --json, what print writes.
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

// confirm asks for leave to do something. Without a terminal to ask on, only --yes gives it; Ctrl-C is an answer, too.
func (c *console) confirm(ctx context.Context, question string) (bool, error) {
	if c.Yes {
		return true, nil
	}
	if c.errWidth() == 0 || !progress.Terminal(c.In) {
		return false, usagef("to go on without being asked, add -y", "nothing was changed: there is no terminal to ask on")
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
		return a == "y" || a == "yes", nil
	case <-ctx.Done():
		fmt.Fprintln(c.Err)
		return false, ctx.Err()
	}
}

// progress is how a long command shows how far it is, as --progress and -q say.
func (c *console) progress() (*progress.Progress, error) {
	mode, out := c.Progress, c.Err
	if c.Quiet {
		mode, out = "off", io.Discard
	}
	return progress.New(progress.Config{Mode: mode, Out: out, Width: c.errWidth, Getenv: c.getenv})
}
