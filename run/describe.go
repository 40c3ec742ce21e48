package run

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"strings"
	"time"

	"github.com/attnconv/attnconv/internal/shell"
	"github.com/attnconv/attnconv/internal/visible"
)

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
