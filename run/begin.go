package run

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/attnconv/attnconv/internal/disk"
	"github.com/attnconv/attnconv/internal/shell"
	"github.com/attnconv/attnconv/internal/visible"
	"github.com/attnconv/attnconv/run/event"
)

// UserInput is the user's input: overrides.txt.
type UserInput struct {
	Args  []string // the command line
	Files []string // configuration files, in order
	Env   []string // NAME=value of the variables that had an effect
}

// Claim takes the lock of a run in order to resume it. It appends the user's input to overrides.txt and writes another
// environment-N.json. The error is a *BusyError if another process trains the run. Claim calls say, if not nil, with
// the reason for a wait.
func (d *Dir) Claim(typed UserInput, env Environment, say func(string)) error {
	lock, s, err := takeRun(d.Path, say)
	if err != nil {
		return err
	}
	if err := d.begin(lock, s, typed, env); err != nil {
		d.Close() // releases the lock
		return err
	}
	return nil
}

// GiveBack ends a claim that came to nothing: run.json says again what it said before, and the lock is released.
func (d *Dir) GiveBack() error {
	d.mu.Lock()
	d.status = d.before
	err := d.write(&d.status)
	d.mu.Unlock()
	return errors.Join(err, d.Close())
}

// begin writes this process into the run.json of the run with status s, whose lock it has taken, and opens the run's
// files.
func (d *Dir) begin(lock *disk.Lock, s *Status, typed UserInput, env Environment) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lock, d.status, d.before = lock, *s, *s
	if err := d.check(); err != nil {
		return err
	}
	d.status.State, d.status.Ended = event.Running, time.Time{}
	err := d.claimed(s, func() error {
		d.sign()
		return d.save()
	})
	if err != nil {
		return err
	}
	for _, folder := range append([]string{"."}, ownFolders...) {
		if err := d.sweep(folder); err != nil {
			return err
		}
	}
	if err := d.describe(typed, env); err != nil {
		return err
	}
	return d.openCurves()
}

// check returns an error if a file that is appended to or a folder that is written into is a link or anything else: it
// says so before the run is changed.
func (d *Dir) check() error {
	for _, name := range []string{overridesFile, metricsFile, epochsFile, logFile, textFile} {
		if err := d.folder().Check(name); err != nil {
			return wrap(err)
		}
	}
	for _, name := range ownFolders {
		if _, err := d.folder().ReadDir(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return wrap(err)
		}
	}
	return nil
}

// sweep removes the temporary files of killed writers in a folder of the run, if the folder exists.
func (d *Dir) sweep(folder string) error {
	list, err := d.folder().ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return wrap(err)
	}
	for _, e := range list {
		rel := filepath.Join(folder, e.Name())
		if _, temporary := disk.TempOf(e.Name()); temporary && isOwn(rel) {
			if err := d.folder().Remove(rel); err != nil {
				return wrap(err)
			}
		}
	}
	return nil
}

// sign writes this process into d.status. The caller must hold d.mu or have the only reference to d.
func (d *Dir) sign() {
	var leg [8]byte
	rand.Read(leg[:]) // crypto/rand never fails
	d.status.Leg, d.status.PID = hex.EncodeToString(leg[:]), os.Getpid()
	d.status.Machine, d.status.Space, d.status.Locked = machine(), pidNamespace(), d.lock != nil
}

// describe appends the user's input to overrides.txt, and writes environment.json or, if the run is resumed, the next
// environment-N.json.
func (d *Dir) describe(typed UserInput, env Environment) error {
	f, err := d.appendTo(overridesFile, "")
	if err != nil {
		return err
	}
	_, err = f.WriteString(typed.text(time.Now()))
	if err = errors.Join(err, f.Close()); err != nil {
		return wrap(err)
	}
	b, err := indentJSON(env)
	if err != nil {
		return err
	}
	name := environmentFile
	for n := 2; ; n++ {
		if _, err := d.folder().Lstat(name); errors.Is(err, fs.ErrNotExist) {
			if len(env.Patch) > 0 {
				patch := strings.NewReplacer("environment", "uncommitted", ".json", ".patch").Replace(name)
				if err := d.replace(patch, env.Patch); err != nil {
					return err
				}
			}
			return d.replace(name, b)
		}
		name = fmt.Sprintf("environment-%d.json", n)
	}
}

// text returns a paragraph of overrides.txt: the time, and a line for each input.
func (t UserInput) text(now time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", now.UTC().Format(time.RFC3339))
	fmt.Fprintf(&b, "argv: %s\n", shell.Command(t.Args...))
	for _, f := range t.Files {
		fmt.Fprintf(&b, "file: %s\n", shell.Line(f))
	}
	for _, e := range t.Env {
		fmt.Fprintf(&b, "env: %s\n", shell.Line(e))
	}
	return b.String()
}

// Logger returns a logger that writes records of at least level to log.jsonl. Close closes it.
func (d *Dir) Logger(level slog.Leveler) (*slog.Logger, error) {
	f, err := d.log(logFile)
	if err != nil {
		return nil, err
	}
	return slog.New(slog.NewJSONHandler(f, &slog.HandlerOptions{Level: level})), nil
}

// Text returns a writer that appends to train.log, the log for people. Close closes it.
func (d *Dir) Text() (io.Writer, error) { return d.log(textFile) }

// log opens a log file of the run. It escapes control characters, as people read logs in a terminal.
func (d *Dir) log(name string) (io.Writer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f, err := d.appendTo(name, "")
	if err != nil {
		return nil, err
	}
	d.logs = append(d.logs, f)
	return visible.NewWriter(f), nil
}
