package session

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/internal/shell"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/session/trained"
	"github.com/attnconv/attnconv/train"
)

// FinishedError is the error for resuming a run that is done, without Options.Extend.
type FinishedError struct {
	ID     string // of the run
	Ref    string // what a command may call it
	Epochs int
}

func (e *FinishedError) Error() string {
	return fmt.Sprintf("run %s is finished: %d epochs", e.ID, e.Epochs)
}

func (e *FinishedError) ExitCode() int { return fault.Usage }
func (e *FinishedError) Hint() string {
	return "To train longer: attnconv train --resume " + shell.Line(e.Ref) + " --extend-epochs N\n" +
		"  (this changes the learning rates of the remaining steps)"
}

// reopen reads the settings of the run to resume, and opens its data.
func (s *Session) reopen() error {
	for _, clash := range []struct {
		yes  bool
		name string
	}{
		{s.o.From != nil, "From"}, {s.o.Out != "", "Out"}, {s.o.Label != "", "Label"}, {s.o.Force, "Force"},
		{s.o.Tags != nil, "Tags"}, {s.o.Note != "", "Note"},
	} {
		if clash.yes {
			return fmt.Errorf("Options.Resume and Options.%s do not go together: a resumed run stays in its folder, "+
				"with its weights and labels", clash.name)
		}
	}
	dir, err := run.Open(s.o.Resume, s.o.Root)
	if err != nil {
		return err
	}
	config, err := configs.Of(dir)
	if err != nil {
		return err
	}
	status := dir.Status()
	if status.State == event.Done && s.o.Extend == 0 {
		return &FinishedError{status.ID, s.o.Resume, config.Train.Epochs}
	}
	if s.o.Extend > 0 && len(config.Train.Resolutions) > 0 {
		return (&configs.ResolvedRun{Run: config}).Explain(option.Errorf("train.resolutions",
			"%v: share the %d epochs that run %s has, which cannot have more\n"+
				"  a new run on whole images, from its weights: attnconv train --from %s --resolutions none",
			config.Train.Resolutions, config.Train.Epochs, status.ID, shell.Line(dir.Path)))
	}
	config.Train.Epochs += s.o.Extend
	s.config = configs.ResolvedRun{Run: config}
	s.resumed = dir
	return s.openAgain(trained.OriginOf(dir, config.Data, config.Model))
}

// openAgain opens the images of the resumed run, or takes those of Options.Set, which must be the same.
func (s *Session) openAgain(from trained.Origin) (err error) {
	if s.o.Set != nil {
		s.set, err = sets.With(s.o.Set, from.Data, s.o.DataDir)
	} else {
		s.set, err = from.Open("", s.o.DataDir)
	}
	if err != nil {
		return err
	}
	if other := from.Compare(s.set); other != nil {
		return other
	}
	if s.set.Name != from.Data.Name { // it was moved
		set := *s.set
		set.Name, s.set = from.Data.Name, &set
	}
	return nil
}

// resume claims the folder and restores the run.
func (s *Session) resume() error {
	dir := s.resumed
	note := func(text string) { s.o.Messages.Note("%s", text) }
	if err := dir.Claim(s.o.Typed, s.environment(), note); err != nil {
		return err
	}
	s.dir = dir
	s.dir.Retain = s.o.Keep
	if err := s.restore(); err != nil {
		if lost := dir.GiveBack(); lost != nil {
			s.o.Messages.Warn(lost.Error())
		}
		return err
	}
	if s.o.Extend == 0 {
		return nil
	}
	return dir.Extend(s.config.Run.YAML()) // after restore has verified the settings
}

// restore loads weights, solver and cursor from the run's last good checkpoint, and rewinds the records to it. A run
// that was killed before its first checkpoint starts again.
func (s *Session) restore() error {
	var file *ckpt.File
	var meta ckpt.Meta
	path, warnings, err := s.dir.LastGood(func(path string) (err error) {
		file, meta, err = ckpt.ReadWithMeta(path)
		return err
	})
	for _, w := range warnings {
		s.o.Messages.Warn(w)
	}
	if missing := (*run.NotFoundError)(nil); errors.As(err, &missing) {
		if err := cmp.Or(s.surgeryAhead(), s.placeAgain()); err != nil {
			return err
		}
		return s.dir.Rewind(0, 0)
	}
	if err != nil {
		return err
	}
	if err := s.sameSettings(path, meta.Config); err != nil {
		return err
	}
	if meta.DataDigest != s.set.Digest.Train {
		return trained.OtherPictures("run "+s.dir.Status().ID, s.config.Run.Data.Name, meta.DataDigest,
			s.set.Digest.Train)
	}
	if here := train.KernelsOf(s.o.Device); meta.Kernels != here {
		s.o.Messages.Warn(fmt.Sprintf("the run used the kernel set %s, this machine uses %s: from here on results "+
			"differ by rounding",
			meta.Kernels, here))
	}
	if err := s.net.SetWeights(file); err != nil {
		return &ckpt.CorruptError{Path: path, Reason: err.Error()}
	}
	if err := s.restoreSurgery(meta); err != nil {
		return &ckpt.CorruptError{Path: path, Reason: err.Error()}
	}
	if err := s.trainer.Restore(file, meta.Cursor); err != nil {
		return &ckpt.CorruptError{Path: path, Reason: err.Error()}
	}
	if err := s.surgeryAhead(); err != nil {
		return err
	}
	s.steps.Store(int64(s.trainer.Cursor.Step))
	return s.dir.Rewind(s.trainer.Cursor.Step, s.trainer.Cursor.Epoch)
}

// sameSettings refuses a run whose config.yaml differs from the configuration in its checkpoint, except in the number
// of epochs: a truncated file may still parse, with defaults for what is missing.
func (s *Session) sameSettings(path, text string) error {
	then, err := configs.Parse(path, []byte(text))
	if err != nil {
		return &ckpt.CorruptError{Path: path, Reason: "its settings cannot be read: " + err.Error()}
	}
	then.Train.Epochs = s.config.Run.Train.Epochs
	differ := s.config.Run.Unlike(then)
	if len(differ) == 0 {
		return nil
	}
	return &run.CorruptError{Path: filepath.Join(s.dir.Path, "config.yaml"), Reason: fmt.Sprintf(
		"%s is %s here, and not in %s: the file was truncated or edited\n"+
			"  for a new run with the settings and weights of its checkpoint: attnconv train --from %s",
		differ[0].Key, differ[0].Text, path, shell.Line(s.dir.Path))}
}
