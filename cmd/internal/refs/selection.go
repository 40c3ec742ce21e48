package refs

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/cmd/internal/listing"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
)

// states lists the values of --state.
var states = option.List[option.Word]{event.Running, event.Stopped, event.Done, event.Failed, event.Diverged}

// A Selection chooses runs by what they are, with flags that all commands on runs share.
type Selection struct {
	listing.Query
	where []string
}

// Flags adds the flags; what begins their help: "only runs", or "the runs".
func (s *Selection) Flags(f term.Flags, what string) {
	term.Choice(f, &s.State, "state", "", "STATE", what+" in this state", states)
	TagsFlag(f, &s.Tags, "tag", "WORD", what+" with this tag; may be repeated")
	f.Texts(&s.where, "where", "", "KEY=VALUE",
		what+" with this setting, such as model.encoding=learned; may be repeated")
}

// Given reports whether a flag was given.
func (s *Selection) Given() bool { return s.State != "" || len(s.Tags)+len(s.where) > 0 }

// Parse reads the conditions of --where.
func (s *Selection) Parse() error {
	for _, text := range s.where {
		w, err := listing.Condition("--where", text)
		if err != nil {
			return err
		}
		s.Where = append(s.Where, w)
	}
	return nil
}

// Select returns the paths of the runs in the folder of the runs that the flags choose, the oldest first. The error is
// a *run.NotFoundError if there are none.
func (s *Selection) Select(c *term.Console) (paths []string, err error) {
	if err := s.Parse(); err != nil {
		return nil, err
	}
	list, err := listing.List(c.Runs, s.Query)
	if err != nil {
		return nil, err
	}
	for _, l := range slices.Backward(list) {
		paths = append(paths, l.Path)
	}
	if paths == nil {
		return nil, &run.NotFoundError{What: "run", With: s.Conditions(), Root: c.Runs}
	}
	return paths, nil
}

// SelectIdle is Select without the runs that are in training, which a note names.
func (s *Selection) SelectIdle(c *term.Console) ([]string, error) {
	paths, err := s.Select(c)
	var busy []string
	paths = slices.DeleteFunc(paths, func(path string) bool {
		e := run.At(path)
		if e.Err == nil && e.State == event.Running {
			busy = append(busy, RunName(c, path, e.Status.ID))
			return true
		}
		return false
	})
	if len(busy) > 0 {
		c.Note("left out, in training: %s", firstNames(busy))
	}
	return paths, err
}

// NameOf returns a short name for a checkpoint of a run: its run's id, or else its file's name.
func NameOf(c *term.Console, checkpoint string) string {
	dir := filepath.Dir(checkpoint)
	if filepath.Base(dir) == "checkpoints" {
		dir = filepath.Dir(dir)
	}
	if e := run.At(dir); e.Err == nil {
		return filepath.Base(RunName(c, dir, e.Status.ID))
	}
	return strings.TrimSuffix(filepath.Base(checkpoint), filepath.Ext(checkpoint))
}

// TagsFlag adds a flag that may be repeated, with a tag each.
func TagsFlag(f term.Flags, p *[]string, name, meta, help string) {
	term.Each(f, p, name, meta, help, func(text string) (string, error) { return text, run.CheckTag(text) })
}
