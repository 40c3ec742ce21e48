package sweep

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/attnconv/attnconv/run"
)

// Processes train trials, each in a child process that runs the command train: attnconv, or a program whose main calls
// cmd.Main. What a child says goes to the file Log as well.
type Processes struct {
	Plan    *Plan
	Program string    // path
	Args    []string  // of train, besides those that name the trial: --device cpu
	Env     []string  // NAME=value; nil: that of this process
	Stderr  io.Writer // gets the children's standard error; nil: nobody

	// Terminal is what a child has as its standard error, instead of Stderr and Log, to draw its progress on; nil: none.
	Terminal *os.File
}

// A ChildError is the end of a child process.
type ChildError struct {
	Line string // the first line of its error message, if it has one
	Err  error
}

func (e *ChildError) Error() string { return cmp.Or(e.Line, e.Err.Error()) }

// Unwrap returns the error of os/exec.
func (e *ChildError) Unwrap() error { return e.Err }

// Train is Worker.Train. When ctx is done, the child is told to save and stop. The error is a *ChildError, or a *run.Busy.
func (p *Processes) Train(ctx context.Context, i int, resume bool) error {
	if p.Plan == nil || i < 0 || i >= len(p.Plan.Trials) {
		return fmt.Errorf("sweep: no trial %d: want the number of one of the plan's", i)
	}
	said, err := p.run(ctx, i, resume)
	if err == nil {
		return nil
	}
	exit := (*exec.ExitError)(nil)
	if state, _ := p.Plan.State(i); errors.As(err, &exit) && state == run.Running {
		return fmt.Errorf("%w: %w", &run.Busy{}, err) // another process was first
	}
	line := ""
	for text := range strings.Lines(said) {
		if rest, ok := strings.CutPrefix(text, "error: "); ok {
			line = strings.TrimSpace(rest)
			break
		}
	}
	return &ChildError{line, err}
}

// run returns the standard error of the child process.
func (p *Processes) run(ctx context.Context, i int, resume bool) (string, error) {
	args := append([]string{"train", "--part", "--runs", p.Plan.Runs()}, p.Args...)
	if resume {
		args = append(args, "--resume", p.Plan.Dir(i))
	} else {
		args = append(args, "-c", p.Plan.Config(i), "--out", p.Plan.Dir(i))
	}
	log, err := os.OpenFile(p.Plan.Log(i), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return "", err
	}
	defer log.Close()
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, p.Program, args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = p.Env, log, io.MultiWriter(log, &said)
	switch {
	case p.Terminal != nil:
		cmd.Stderr = p.Terminal
	case p.Stderr != nil:
		cmd.Stderr = io.MultiWriter(log, &said, p.Stderr)
	}
	shield(cmd)
	cmd.Cancel = func() error { return interrupt(cmd.Process) }
	err = cmd.Run()
	return said.String(), err
}

// Log returns the path of the file with what the processes of trial i have said.
func (p *Plan) Log(i int) string { return filepath.Join(p.Path, p.Trials[i].Name+".log") }
