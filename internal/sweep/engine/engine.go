// Package engine renders the job arrays of cluster schedulers and submits them: Slurm, Grid Engine, Kubernetes and
// HyperQueue. It schedules nothing itself. A [Job] says what to run; each engine is a file with its text, and a line of
// [Engines].
//
// Stable: nothing yet. The package is new.
package engine

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/internal/shell"
	"github.com/attnconv/attnconv/option"
)

// A Job is an array of tasks that run one command, which reads its index from the environment. What an engine renders
// makes the engine run a task again that ends with fault.Requeue.
type Job struct {
	Name    string   // at most 50 small letters, digits and dashes; see Name
	About   string   // one line for people, in a comment
	Command []string // the program and its arguments
	Dir     string   // where they run: an absolute path
	Logs    string   // folder of what the tasks say: an absolute path, which exists
	Tasks   int

	Time   time.Duration // wall-clock limit of a task, in whole minutes
	Memory int64         // bytes of a task, or of each of its ranks
	Cores  int           // likewise

	Options
}

// An Engine is a scheduler.
type Engine struct {
	Name    string
	Title   string
	Program string // submits
	Suffix  string // of the file: .sh
	Usual   int    // tasks of an array that the engine accepts by default; 0: any number
	Limit   string // the setting that says so
	// Site returns how many tasks of an array this site accepts; 0: unknown. May be nil.
	Site func() int

	// Render returns the text of a job that check has passed.
	Render func(j Job) []byte
	// Submit returns the arguments of Program that submit a file and print the job's id.
	Submit func(file string) []string
	// ID returns the id in what Program printed.
	ID func(printed string) string
	// After returns the arguments of Program that submit a Script that runs once job id has ended, however its tasks
	// did; nil: the engine has no such thing.
	After func(j Job, id, file string) []string
	// Watch is the command that shows the job.
	Watch func(id string) string
	// Takes names the Options that the engine knows, by the keys of their flags; Needs those that may not be empty.
	Takes, Needs []string
	// Refuses returns what the engine cannot express in a job that check has passed; may be nil.
	Refuses func(j Job) error
}

// Entry implements option.Named.
func (e Engine) Entry() (name, help string) { return e.Name, e.Title }

// Engines lists the engines. A new one is a file and a line here.
var Engines = option.List[Engine]{slurm, gridEngine, kubernetes, hyperQueue}

// Notice is how long before its limit a task is told to save, by SIGUSR1, where the engine can.
func Notice(limit time.Duration) time.Duration {
	return between(15*time.Second, limit/10, 2*time.Minute)
}

// MostReserve is the longest Reserve.
const MostReserve = 3 * time.Minute

// Reserve is how long before its limit a task saves by its own clock: a little before the engine's Notice, which may be
// a minute off. A step, a batch of an evaluation and a checkpoint must fit in it.
func Reserve(limit time.Duration) time.Duration { return between(20*time.Second, limit/6, MostReserve) }

func between(low, x, high time.Duration) time.Duration { return max(low, min(x, high)) }

// Text returns the job in the engine's language. The error is an *option.Error.
func (e Engine) Text(j Job) ([]byte, error) {
	if err := j.check(); err != nil {
		return nil, err
	}
	if err := j.known(e); err != nil {
		return nil, err
	}
	if e.Refuses != nil {
		if err := e.Refuses(j); err != nil {
			return nil, err
		}
	}
	return e.Render(j), nil
}

// TooMany returns why the engine refuses so many tasks or may do so, and how many it accepts; "", 0: it accepts them.
func (e Engine) TooMany(tasks int) (why string, most int) {
	unless := " unless its administrator raised " + e.Limit
	most = e.Usual
	if e.Site != nil {
		if n := e.Site(); n > 0 {
			most, unless = n, " here: "+e.Limit
		}
	}
	if most == 0 || tasks <= most {
		return "", 0
	}
	return fmt.Sprintf("%d tasks: %s accepts %d in an array%s", tasks, e.Title, most, unless), most
}

// MissingError is the error if an engine's program is not on this machine.
type MissingError struct{ Engine Engine }

func (e *MissingError) Error() string {
	return fmt.Sprintf("%s is not on this machine: nothing was submitted to %s", e.Engine.Program, e.Engine.Title)
}

func (e *MissingError) ExitCode() int { return fault.Missing }

// Here returns an *MissingError unless the engine's program is on this machine.
func (e Engine) Here() error {
	if _, err := exec.LookPath(e.Program); err != nil {
		return &MissingError{e}
	}
	return nil
}

// A SubmitError is the refusal of an engine, in its own words.
type SubmitError struct {
	Command string
	Said    string
	Err     error
}

func (e *SubmitError) Error() string {
	if e.Said == "" {
		return e.Command + ": " + e.Err.Error()
	}
	return e.Command + ": " + e.Said
}

// Unwrap returns the error of os/exec.
func (e *SubmitError) Unwrap() error { return e.Err }

// Call runs the engine's program and returns the id that it printed. The error is a *SubmitError.
func (e Engine) Call(args []string) (id string, err error) {
	cmd := exec.Command(e.Program, args...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err == nil {
		if id = e.ID(strings.TrimSpace(string(out))); id != "" {
			return id, nil
		}
		err = fmt.Errorf("it printed %q, which has no job's id", out)
	}
	return "", &SubmitError{e.Program + " " + strings.Join(args, " "), strings.TrimSpace(said.String()), err}
}

// check refuses what no engine could run, and text that would leave its line.
func (j Job) check() error {
	for _, wrong := range []struct {
		yes     bool
		key, is string
	}{
		{!isName(j.Name), "name", fmt.Sprintf("%q: want at most 50 small letters, digits and dashes, the first a letter", j.Name)},
		{len(j.Command) == 0, "command", "want a program"},
		{j.Tasks < 1, "tasks", fmt.Sprintf("%d: want at least 1", j.Tasks)},
		{j.Ranks < 0 || j.Ranks > mostRanks, "ranks", fmt.Sprintf("%d: want 0 to %d", j.Ranks, mostRanks)},
		{j.AtMost < 0 || j.AtMost > mostAtOnce, "at-most", fmt.Sprintf("%d: want 0 to %d", j.AtMost, mostAtOnce)},
		{j.Time < time.Minute || j.Time > MostTime || j.Time%time.Minute != 0, "time",
			fmt.Sprintf("%v: want whole minutes, from one to %v", j.Time, MostTime)},
		{j.Memory < 1<<20 || j.Memory > MostMemory, "memory", fmt.Sprintf("%d bytes: want 1 MiB to 1 PiB", j.Memory)},
		{j.Cores < 1 || j.Cores > threads.Most, "cores", fmt.Sprintf("%d: want 1 to %d", j.Cores, threads.Most)},
		{!filepath.IsAbs(j.Dir), "folder", fmt.Sprintf("%q: want an absolute path", j.Dir)},
		{!filepath.IsAbs(j.Logs), "logs", fmt.Sprintf("%q: want an absolute path", j.Logs)},
	} {
		if wrong.yes {
			return option.Errorf(wrong.key, "%s", wrong.is)
		}
	}
	for _, of := range []struct {
		key   string
		texts []string
	}{
		{"about", []string{j.About}}, {"arg", j.Extra}, {"image", []string{j.Image}},
		{"folder", []string{j.Dir, j.Logs}},
		{"command", j.Command},
	} {
		if err := checkLine(of.key, of.texts...); err != nil {
			return err
		}
	}
	for _, of := range []struct{ key, name string }{{"queue", j.Queue}, {"account", j.Account}, {"claim", j.Claim}} {
		if of.name != "" && shell.Word(of.name) != of.name {
			return option.Errorf(of.key, "%q: want a name without spaces and quotes", of.name)
		}
	}
	return nil
}

// The most that a job may ask for. These bounds catch typing errors, and nothing overflows below them.
const (
	MostTime   = 10_000 * time.Hour
	MostMemory = 1 << 50 // bytes
	mostRanks  = 10_000
	mostAtOnce = 1_000_000 // tasks
)

// longest is the number of letters of a job's name: Kubernetes appends an index to it, and allows 63.
const longest = 50

func isName(s string) bool { return s != "" && Name(s) == s }

// Name returns s as the name of a job: other characters become dashes.
func Name(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9' && b.Len() > 0:
			b.WriteRune(r)
		case 'A' <= r && r <= 'Z':
			b.WriteRune(r - 'A' + 'a')
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	name := b.String()
	return strings.TrimRight(name[:min(len(name), longest)], "-")
}
