// Package session is the life of a run: from its settings to its summary.
//
// [Train] trains a run and writes its folder, as the command train does and with the same bytes. It draws no figures
// unless Options.Figures has some:
//
//	settings, err := session.Settings("data.name=shapes32", "preset=tiny", "model.encoding=quadratic")
//	…
//	summary, err := session.Train(ctx, session.Options{Settings: settings})
//
// [New] and [Session.Train] do it in two steps, with a look at the network, the data and the time in between. A run
// stops when its context is done, and saves; Options.Resume goes on with it, to the same bytes as without a stop.
// Package session/trained reads the network of a run. Nothing here writes to a terminal, reads the command line or
// handles signals; several sessions may run in one process.
//
// Stable: Settings and Train. The package is new, and other names may change.
package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync/atomic"
	"time"

	"github.com/attnconv/attnconv"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/model/heads"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/session/trained"
	"github.com/attnconv/attnconv/train"
)

// Options says what to train and where to write it. Only Settings is required, for a new run, or Resume.
type Options struct {
	Settings configs.Run // complete: see Settings, configs.Preset and configs.Default
	// who set each of them, for errors and for what may be adapted to the data; may be nil
	Origins map[string]configs.Origin
	DataDir string       // the folder of data sets; "": the default one
	Set     *data.Set    // the images, whose name becomes data.name; nil: opens Settings.Data
	Device  train.Device // nil: the CPU

	// Group is the ranks that train the run together, each with a session of its own; nil: there is one. All have the
	// same Options. Rank 0 has the run's folder and tells Observe; the others write nothing.
	Group train.Group

	// A run goes on, or begins with weights.
	Resume string         // the folder of a run that stopped: Settings are the run's
	Extend int            // epochs to add to that run, which may be done
	From   *trained.Model // whose weights a new run begins with; Settings without a kind of model are its

	// The run's folder.
	Root  string // gets a new folder for a new run; "": runs
	Out   string // the folder itself, instead of a new one in Root, whose link latest leads to it unless Root is ""
	Force bool   // to overwrite an earlier run in Out
	Label string // in the name of the folder, instead of encoding, data and seed
	Tags  []string
	Note  string
	Typed run.UserInput // what the user typed, for the record
	Host  bool          // to record the machine's name
	Code  bool          // to record the uncommitted changes of the current folder

	// What is written while it trains.
	Every   train.SaveInterval // how often to save within an epoch; zero: every 10 minutes
	Keep    int                // number of newest checkpoints to keep, besides the best one; 0: two
	Draw    int                // epochs between figures; 0: at most every 10 s
	Figures []Figure           // drawn while it trains and at the end; nil: none
	NoBoard bool               // no event files for TensorBoard

	Budget  time.Duration // to save and stop after; 0: none
	Until   int           // the epoch to stop after, saved; 0: the last
	Version string        // of the program, for the record; "": as built

	// Observe is told what happens, in order and before it is recorded. An error ends the run as failed, and is
	// returned.
	Observe  func(event.Event) error
	Messages Messages // nil: messages are dropped
}

// Resolved returns the settings with who set them.
func (o Options) Resolved() *configs.ResolvedRun {
	return &configs.ResolvedRun{Run: o.Settings, Origins: o.Origins}
}

// Messages are told what is worth knowing and is not an event of a run.
type Messages interface {
	Note(format string, args ...any) // formatted as by fmt.Sprintf
	Warn(text string)                // what is probably not intended
}

// silent drops messages.
type silent struct{}

func (silent) Note(string, ...any) {}
func (silent) Warn(string)         {}

// saveEvery is how often a run is saved within an epoch, by default.
const saveEvery = 10 * time.Minute

// Settings returns the settings that the command train would have with --set for each of set (train.lr=0.05,
// preset=tiny), and nothing else. data.name may also be any name that sets.New takes: New refuses a name that it cannot
// find, unless it is given the set. The error is a *configs.Error.
func Settings(set ...string) (configs.Run, error) {
	locate := configs.Locator(sets.Dir())
	r, err := configs.Resolve(configs.Sources{Set: set}, func(name string) (string, error) {
		found, err := locate(name)
		if o := (data.Options{Name: name, Protocol: data.Holdout}); err != nil && sets.Validate(o) == nil {
			return name, nil
		}
		return found, err
	})
	if err != nil {
		return configs.Run{}, err
	}
	return r.Run, nil
}

// Train trains a run to its end and returns its summary. When ctx is done or the budget is spent, it finishes the
// current step, saves, and returns train.ErrStopped. See New and Session.Train for other errors.
func Train(ctx context.Context, o Options) (run.Summary, error) {
	s, err := New(o)
	if err != nil {
		return run.Summary{}, err
	}
	defer s.Close()
	return s.Train(ctx)
}

// A Session is a run in this process, ready to train. Its methods are for one goroutine, except Save and Step.
type Session struct {
	o       Options
	config  configs.ResolvedRun
	set     *data.Set
	images  *run.Images // of set
	net     *model.Network
	trainer *train.Trainer
	test    data.Split
	val     int      // validation images
	batch   int      // the preset's batch, if the data are too few for it; else 0
	resumed *run.Dir // the run to resume; nil: a new one
	dir     *run.Dir // nil until the run has begun, and on ranks that do not lead
	begun   bool
	records records
	steps   atomic.Int64    // taken so far
	asked   atomic.Bool     // to save after this step
	drawn   time.Time       // time of the last figures
	tested  bool            // the network has the best weights, which have been tested
	surgery []event.Surgery // operations on heads so far
	// of the heads of model.heads_init from:FILE, once they are read
	donor struct{ digest, note string }
}

// New builds the network, the loaders and the graphs of a run, and writes nothing. Bad settings are a
// *option.Error or a *configs.Error, missing images a *data.MissingError, a graph that is too large for the
// memory an error that says so. Weights of Options.From that do not fit are a *trained.MisfitError, a folder to resume
// that is not a run is a *run.NotFoundError, a run that is done is a *FinishedError.
func New(o Options) (s *Session, err error) {
	s = &Session{o: o}
	defer func() {
		if err != nil {
			s.Close()
			s = nil
		}
	}()
	s.o.DataDir = cmp.Or(o.DataDir, sets.Dir())
	if o.Out == "" {
		s.o.Root = cmp.Or(o.Root, "runs")
	}
	s.o.Every, s.o.Version = cmp.Or(o.Every, train.SaveInterval{Time: saveEvery}), cmp.Or(o.Version, attnconv.Built())
	if o.Messages == nil {
		s.o.Messages = silent{}
	}
	s.config = *o.Resolved()
	if err = train.ShareError(o.Group, s.prepare()); err == nil {
		err = s.agree()
	}
	return s, err
}

// Begin makes the folder of a new run or, with Options.Resume, claims that run and restores it from its last good
// checkpoint. Train calls it unless the caller has. The error is a *run.BusyError if another process trains the run, a
// *run.NotEmptyError if the folder is taken, and wraps an *fs.PathError if it cannot be made.
func (s *Session) Begin() (err error) {
	if s.begun {
		return nil
	}
	switch {
	case !s.leads():
	case s.resumed != nil:
		err = s.resume()
	default:
		err = s.create()
	}
	err = train.ShareError(s.o.Group, err)
	s.begun = err == nil
	return err
}

// leads reports whether this is the rank that writes the run's folder.
func (s *Session) leads() bool { return s.o.Group == nil || s.o.Group.Rank() == 0 }

// ranks is the number of ranks that train the run.
func (s *Session) ranks() int {
	if s.o.Group == nil {
		return 1
	}
	return s.o.Group.Size()
}

// prepare reads the settings and opens the data, then builds the network and the graphs.
func (s *Session) prepare() (err error) {
	if s.o.Resume != "" {
		err = s.reopen()
	} else {
		err = s.settle()
	}
	if err != nil {
		return err
	}
	return s.build()
}

// settle completes and checks the settings of a new run, and opens its data.
func (s *Session) settle() (err error) {
	if s.o.Extend > 0 {
		return errors.New("the option Extend adds epochs to a run that Resume names")
	}
	if s.o.From != nil && s.config.Run.Model.Kind == "" {
		s.config = configs.ResolvedRun{Run: s.o.From.Config}
	}
	if s.config.Run.Model.Kind == "" {
		return errors.New("Options.Settings is empty: want those of session.Settings, configs.Preset or configs.Default")
	}
	if err := s.config.Explain(s.config.Run.Validate()); err != nil {
		return err
	}
	if s.set = s.o.Set; s.set == nil {
		if s.set, err = sets.Open(s.config.Run.Data, s.o.DataDir); err != nil {
			return s.config.Explain(err)
		}
	}
	s.config.Run.Data.Name = cmp.Or(s.set.Name, s.config.Run.Data.Name) // images of sets.Recognize may have no name
	return nil
}

// build makes network, loaders and graphs.
func (s *Session) build() (err error) {
	r := &s.config.Run
	if s.set, err = sets.With(s.set, r.Data, s.o.DataDir); err != nil {
		return s.config.Explain(err)
	}
	s.images = trained.ImagesOf(s.set)
	s.batch, err = Fit(&s.config, s.set)
	if err != nil {
		return err
	}
	s.shard()
	trainSplit, val, test, err := s.split()
	if err != nil {
		return s.config.Explain(err)
	}
	if test.Len() == 0 && !s.Overfits() {
		return fmt.Errorf("%s has no test images, and a run ends with a test: want one or more", s.set.Name)
	}
	if s.net, err = model.New(r.Model, r.Seed); err != nil {
		return s.config.Explain(err)
	}
	if err := s.net.WhitenOn(trainSplit, r.Train.EvalBatch); err != nil {
		return s.config.Explain(err)
	}
	if err := heads.Freeze(s.net, r.Train.Freeze); err != nil {
		return s.config.Explain(err)
	}
	if r.Train.Device = s.o.Device; s.o.Device == nil {
		if err := train.OnCPU(r.Train.Precision); err != nil {
			return s.config.Explain(err)
		}
	}
	s.test, s.val = test, val.Len()
	batches, err := s.trainLoader(trainSplit)
	if err != nil {
		return s.config.Explain(option.Errorf("train.batch", "%d: want 1 to %d, the number of training images of %s",
			r.Train.Batch, trainSplit.Len(), s.set.Name))
	}
	heldOut, err := s.evalLoader(val)
	if err != nil {
		return err
	}
	s.trainer = &train.Trainer{
		Options: r.Train, Net: s.net, Params: s.net.Params, Train: batches, Val: heldOut, Shape: [3]int(r.Model.Image),
		Every:   s.o.Every,
		SaveNow: func() bool { return s.asked.Swap(false) }, Group: s.o.Group, Until: s.o.Until,
	}
	if s.leads() {
		s.trainer.Observe, s.trainer.Save = s.observe, s.save
	}
	if err := s.prepareSurgery(trainSplit); err != nil {
		return s.config.Explain(err)
	}
	if err := s.trainer.Prepare(); err != nil {
		return s.config.Explain(err)
	}
	return s.begin()
}

// begin puts weights and heads of other networks over the initial ones of a new run. Other ranks get those of rank 0.
func (s *Session) begin() error {
	switch {
	case s.o.From != nil:
		if err := s.net.SetWeights(&ckpt.File{Tensors: s.o.From.Net.Tensors()}); err != nil {
			return &trained.MisfitError{Path: s.o.From.Path, Err: err}
		}
	case s.resumed == nil && s.leads():
		return s.place()
	}
	return nil
}

// create makes the folder of a new run.
func (s *Session) create() (err error) {
	o, r := s.o, s.config.Run
	images, folder := trained.PlaceOf(s.set, r.Data.Name, o.DataDir)
	info := run.Info{
		Preset: r.Preset, Model: r.Model.Kind, Encoding: r.Model.EncodingName(), Data: r.Data.Name, Seed: r.Seed,
		Epochs: r.Train.Epochs, Steps: s.trainer.Steps(), Val: s.val, Test: s.test.Len(),
		DataDir: folder, DataPath: images, Images: s.images, Tags: o.Tags, Note: o.Note, Label: o.Label,
		Version: o.Version, Config: r.YAML(), Typed: o.Typed, Environment: s.environment(),
	}
	if info.Donor = s.donor.digest; o.From != nil {
		info.From = o.From.ID()
	}
	if o.Out != "" {
		s.dir, err = run.CreateAt(o.Out, info, o.Force)
	} else {
		s.dir, err = run.Create(o.Root, info)
	}
	if errors.As(err, new(*fs.PathError)) {
		return fault.WithHint(err, "another folder: --runs DIR for all runs, --out DIR for this one")
	}
	if err != nil {
		return err
	}
	s.dir.Retain = o.Keep
	if o.Out != "" && o.Root != "" {
		return s.dir.LinkLatest(o.Root)
	}
	return nil
}

func (s *Session) environment() run.Environment {
	e := run.Describe(s.o.Typed.Args, s.set.Digest.Train, s.o.Host)
	e.Device = train.DeviceName(s.o.Device)
	if s.o.Code {
		var err error
		if e.Patch, err = run.Uncommitted(); err != nil {
			s.o.Messages.Warn("the uncommitted changes are not recorded: " + err.Error())
		}
	}
	return e
}

// Close releases the run's folder and the graphs.
func (s *Session) Close() {
	if s.trainer != nil {
		s.trainer.Close()
	}
	s.records.close()
	if s.dir != nil {
		s.dir.Close()
	}
}

// Save asks for a checkpoint after the current step. Training goes on.
func (s *Session) Save() { s.asked.Store(true) }

// Step returns the number of steps taken so far.
func (s *Session) Step() int { return int(s.steps.Load()) }

// Dir is the run's folder, once the run has begun; nil on ranks other than the first.
func (s *Session) Dir() *run.Dir { return s.dir }

// Net is the network, with its weights as they are now.
func (s *Session) Net() *model.Network { return s.net }

// Set is the data set.
func (s *Session) Set() *data.Set { return s.set }

// Settings returns the settings, completed by the data: image size, number of classes, batch.
func (s *Session) Settings() configs.Run { return s.config.Run }

// Cursor says how far the run has come.
func (s *Session) Cursor() train.Cursor { return s.trainer.Cursor }
