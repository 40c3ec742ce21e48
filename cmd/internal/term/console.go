// Package term is what a command shows and asks: the terminal, flags and their help, tables, errors, files, and the
// documents of --json. It knows no runs, networks or settings.
package term

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"syscall"

	"github.com/attnconv/attnconv/internal/mpi"
	"github.com/attnconv/attnconv/internal/progress"
	"github.com/attnconv/attnconv/internal/visible"
)

// A Console connects a command to its user: results go to Out, everything else to Err. It also holds the global flags.
// Out and Err escape control characters, since names, notes and settings may come from untrusted files. Colors go
// through visible.Control, binary files to Raw.
type Console struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer
	Globals

	Env      []string   // NAME=value
	ErrWidth func() int // columns of the terminal that Err writes to; 0: no terminal
	OutWidth func() int // likewise for Out

	World *mpi.World // of Join; nil: this process is the only one

	renamed []string // notes on flags that were given by an old name
	out     *pipe    // below Out
}

// Globals holds the flags of every command.
type Globals struct {
	JSON         bool
	Quiet        bool
	Verbose      int
	Color        string
	ProgressMode string
	Runs         string
	DataDir      string
	Threads      int
	Device       string // of the commands that have --device
	Yes          bool
	Debug        bool
}

// DeviceVariable is the environment variable that sets the default of --device.
const DeviceVariable = "ATTNCONV_DEVICE"

// NewConsole returns a console with these streams and variables, and flags at their defaults.
func NewConsole(stdin io.Reader, stdout, stderr io.Writer, env []string) *Console {
	out := &pipe{w: stdout}
	return &Console{In: stdin, Out: visible.NewWriter(out), Err: visible.NewWriter(&pipe{w: stderr}), Env: env,
		ErrWidth: progress.Width(stderr), OutWidth: progress.Width(stdout), out: out}
}

// Raw returns Out without the escapes.
func (c *Console) Raw() io.Writer { return visible.Underlying(c.Out) }

// Lost returns the first error of writing to standard output, as of a full disk, or nil.
func (c *Console) Lost() error { return c.out.err }

// Getenv returns the variable called name in Env, or "".
func (c *Console) Getenv(name string) string {
	for _, entry := range c.Env {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// A pipe is an output whose reader may close it early, as head does, without an error. It keeps the first error.
type pipe struct {
	w      io.Writer
	closed bool
	err    error
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
	if err != nil && p.err == nil {
		p.err = err
	}
	return n, err
}

// Result writes the JSON document of --json to standard output.
func (c *Console) Result(v any) error { return c.object(c.Out, v) }

// Show writes v as JSON with --json, and calls print without.
func (c *Console) Show(v any, print func(c *Console) error) error {
	if c.JSON {
		return c.Result(v)
	}
	return print(c)
}

// EachOf calls do for 0 to n-1. With --json, the documents that do writes become one, a Several.
func (c *Console) EachOf(n int, do func(c *Console, i int) error) error {
	all := Several{V: 1, Runs: []json.RawMessage{}}
	for i := range n {
		own, said := *c, bytes.Buffer{}
		if c.JSON {
			own.Out = &said
		}
		if err := do(&own, i); err != nil {
			return err
		}
		if said.Len() > 0 {
			all.Runs = append(all.Runs, bytes.TrimSpace(said.Bytes()))
		}
	}
	if c.JSON {
		return c.Result(all)
	}
	return nil
}

func (c *Console) object(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
