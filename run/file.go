package run

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/attnconv/attnconv/internal/disk"
	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/internal/shell"
)

// The files of a run's folder.
const (
	statusFile      = "run.json"
	configFile      = "config.yaml"
	overridesFile   = "overrides.txt"
	environmentFile = "environment.json"
	metricsFile     = "metrics.jsonl"
	epochsFile      = "epochs.csv"
	summaryFile     = "summary.json"
	logFile         = "log.jsonl"
	textFile        = "train.log"
	checkpoints     = "checkpoints"
	headsFolder     = "heads"
	figuresFolder   = "figures"
	weightsLink     = "run.ckpt"
	latestLink      = "latest"
)

// lockFile is the file that the process that trains a run holds a lock on. The kernel releases it when the process
// ends, however it ends.
const lockFile = ".attnconv.lock"

// claimFile replaces the lock while a process claims a run, if the file system has no locks: only one process can
// create it.
const claimFile = ".attnconv.claim"

// removalFile excludes others while a process removes the claimFile of a killed one.
const removalFile = claimFile + ".removal"

// CorruptError is the error for a file of a run that can be read but is invalid.
type CorruptError struct {
	Path   string
	Reason string
}

func (e *CorruptError) Error() string { return e.Path + ": " + e.Reason }
func (e *CorruptError) ExitCode() int { return fault.Corrupt }

// NotFoundError is the error if there is no such run or checkpoint.
type NotFoundError struct {
	What string // run, unfinished run or checkpoint
	Ref  string // the reference, as the user wrote it, or ""
	Root string // the folder of runs, or ""
	Near string // a similar name, or ""
	With string // what no run has, such as "heads", or ""
	On   string // the data set that has no such run, or ""
}

func (e *NotFoundError) Error() string {
	s := "no " + e.What
	if e.Ref != "" {
		s += fmt.Sprintf(" %q", e.Ref)
	}
	if e.With != "" {
		s += " with " + e.With
	}
	if e.On != "" {
		s += " on " + e.On
	}
	if e.Root != "" {
		s += " in " + e.Root
	}
	if e.Near != "" {
		s += fmt.Sprintf("\n  did you mean %q?", e.Near)
	}
	return s
}

func (e *NotFoundError) ExitCode() int { return fault.Missing }

func (e *NotFoundError) Hint() string {
	switch {
	case e.What == "sweep":
		return "plan one, with several values of a setting: attnconv sweep plan --lr 0.001,0.003"
	case e.What != "run" && e.What != "checkpoint", e.Ref == "":
		return ""
	case e.Root == "", e.Root == "runs":
		return "to list them: attnconv runs ls"
	}
	return "to list them: attnconv runs ls --runs " + shell.Line(e.Root)
}

// wrap makes a *CorruptError of the error about a file that is a link, say.
func wrap(err error) error {
	if bad := (*disk.FileTypeError)(nil); errors.As(err, &bad) {
		return &CorruptError{bad.Path, bad.Reason}
	}
	return err
}

// WriteFile replaces the file path atomically by b: readers see the old contents or the new ones.
func WriteFile(path string, b []byte) error { return wrap(disk.WriteFile(path, b)) }

// A way links a name in a folder to a target, which is relative to the name's folder.
type way func(in disk.Folder, target, name string) error

// ways are the ways to link, in order of preference.
var ways = []way{
	func(in disk.Folder, target, name string) error { return in.Symlink(target, name) },
	func(in disk.Folder, target, name string) error { return in.Link(end(in, target, name), name) },
	copyFile,
}

// link atomically links name to target, which is relative to name's folder, by the first way that works.
func link(in disk.Folder, target, name string) error { return linkBy(ways, in, target, name) }

func linkBy(ways []way, in disk.Folder, target, name string) error {
	tmp := disk.Temp(name)
	var errs []error
	for _, way := range ways {
		err := way(in, target, tmp)
		if err == nil {
			errs = []error{in.Rename(tmp, name)}
			break
		}
		errs = append(errs, err)
	}
	in.Remove(tmp) // a rename between two hard links of one file has no effect and leaves both
	return wrap(errors.Join(errs...))
}

// end returns the file that a link from name to target ends at: best.ckpt is itself a link.
func end(in disk.Folder, target, name string) string {
	at := filepath.Join(filepath.Dir(name), target)
	if next, err := in.Readlink(at); err == nil {
		return filepath.Join(filepath.Dir(at), next)
	}
	return at
}

func copyFile(in disk.Folder, target, name string) error {
	from, err := in.OpenFile(end(in, target, name), os.O_RDONLY)
	if err != nil {
		return err
	}
	defer from.Close()
	return in.Create(name, func(w io.Writer) error {
		_, err := io.Copy(w, from)
		return err
	})
}
