package train

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/internal/pjrt"
	"github.com/attnconv/attnconv/internal/progress"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/session"
	"github.com/attnconv/attnconv/study"
	"github.com/attnconv/attnconv/train"
)

// Run is the command, once its flags are parsed.
func Run(ctx context.Context, c *cli.Console, o Options) error {
	j, err := Start(c, o)
	if err != nil {
		return err
	}
	defer j.Close()
	if o.DryRun {
		return j.dryRun(ctx)
	}
	cli.Saving(ctx)
	j.banner()
	if err := j.showForecast(ctx); err != nil {
		return err
	}
	c.Note("")
	summary, err := j.Train(ctx)
	if o.group != nil && o.group.Rank() > 0 { // rank 0 reports
		if errors.Is(err, train.ErrStopped) && ctx.Err() == nil {
			return nil
		}
		return err
	}
	return j.reportEnd(ctx, summary, err)
}

// A Job is one training run of the command line.
type Job struct {
	*session.Session
	c      *cli.Console
	o      Options
	device *pjrt.Device
	show   *progress.Progress

	training bool
	test     run.Eval // the last evaluation
}

// Start returns the job that o describes, with a new folder or that of the resumed run. A dry run has none.
func Start(c *cli.Console, o Options) (j *Job, err error) {
	j = &Job{c: c, o: o}
	defer func() {
		if err != nil {
			j.Close()
			j = nil
		}
	}()
	if err = train.Together(o.group, j.prepare()); err != nil {
		return j, err
	}
	if j.show, err = progress.New(c.Progress()); err != nil {
		return j, err
	}
	j.Session, err = session.New(j.options())
	return j, j.o.advise(err)
}

// prepare finds the earlier run that this one goes on with, and the device.
func (j *Job) prepare() (err error) {
	o, c := &j.o, j.c
	switch {
	case o.Resume:
		err = o.resumed(c)
	case o.From != "":
		err = o.branch(c)
	}
	if err != nil {
		return err
	}
	if err := o.testless(); err != nil {
		return err
	}
	if j.device, err = c.OpenDevice(o.Config.Run.Train.Precision); err != nil {
		return o.Config.Explain(err)
	}
	if j.device.GPU() && o.group != nil {
		return cli.Usagef("for several GPUs: "+cli.Program()+" sweep, with a run on each", "%d ranks train on the CPU: --device cpu", o.group.Size())
	}
	return nil
}

// options says what session trains.
func (j *Job) options() session.Options {
	o := j.o
	s := session.Options{
		Settings: o.Config.Run, Origins: o.Config.Origins, DataDir: j.c.DataDir, Set: o.Set, Extend: o.Extend, From: o.weights,
		Root: j.c.Runs, Out: o.Out, Force: o.Force, Label: o.Name, Tags: o.Tags, Note: o.Note, Typed: o.Typed, Host: o.Host,
		Group: o.group, Every: o.Every, Keep: o.Keep, Draw: o.Draw, NoBoard: !o.Board, Budget: o.Budget, DryRun: o.DryRun,
		Messages: j, Observe: func(e run.Event) error {
			if eval, ok := e.(run.Eval); ok {
				if j.test = eval; !j.c.Streams() && !j.c.JSON {
					return nil // Outcome shows it
				}
			}
			j.show.Event(run.Record{Time: time.Now(), Event: e})
			return nil
		},
	}
	if o.Resume {
		s.Resume = o.Ref
	}
	if j.device.GPU() {
		s.Device = j.device.Accelerator
	}
	s.Typed.Args = os.Args
	return s
}

// Note implements session.Messages.
func (j *Job) Note(format string, args ...any) { j.c.Note(format, args...) }

// Warn implements session.Messages. While the run trains, warnings go above its progress.
func (j *Job) Warn(text string) {
	if text = cli.TrimPackages(text); j.training {
		j.show.Line("warning: " + text)
		return
	}
	j.c.Warn(text)
}

// Close releases the run and the device.
func (j *Job) Close() {
	if j.Session != nil {
		j.Session.Close()
	}
	if j.device != nil {
		j.device.Close()
	}
}

// Train trains the run and shows its progress. Ctrl-C saves and stops, SIGUSR1 saves.
func (j *Job) Train(ctx context.Context) (run.Summary, error) {
	defer context.AfterFunc(ctx, func() {
		j.show.Line(fmt.Sprintf("finishing step %d, saving … (press again to stop now)", j.Step()+1))
	})()
	defer OnRequest(func() {
		j.Save()
		j.show.Line(fmt.Sprintf("saving after step %d, as asked", j.Step()+1))
	})()
	defer j.show.Close()
	j.training = true
	return j.Session.Train(ctx)
}

// advise words errors of session by the flags of train.
func (o *Options) advise(err error) error {
	var folder *session.NoFolder
	var misfit *session.Misfit
	var done *session.Finished
	var joint *train.Joint
	switch {
	case errors.As(err, &joint):
		return &train.Joint{Err: o.advise(joint.Err), Told: joint.Told}
	case errors.As(err, &done):
		return cli.Usagef("To train longer: "+cli.Command("train", "--resume", done.ID, "--extend-epochs", "N")+
			"\n  (this changes the learning rates of the remaining steps)",
			"run %s is finished: %d epochs", done.ID, done.Epochs)
	case errors.As(err, &folder):
		return fmt.Errorf("%s\n  another folder: --runs DIR for all runs, --out DIR for this one", cli.ShortMessage(folder.Err))
	case errors.As(err, &misfit):
		return cli.Usagef("with --from, model, encoding and sizes cannot change",
			"--from %s: its weights do not fit the network: %s", o.From, cli.TrimPackages(misfit.Err.Error()))
	}
	return err
}

// testless refuses a requirement of the test accuracy for a run that only overfits.
func (o *Options) testless() error {
	tests := slices.ContainsFunc(o.Require, func(r study.Requirement) bool { return r.Name == "test_acc" })
	if o.Config.Run.Train.OverfitBatches > 0 && tests {
		return cli.Usagef("val_acc is the accuracy on the training images",
			"--require test_acc: --overfit-batches does not use the test set")
	}
	return nil
}

// branch reads settings and weights of an earlier run or checkpoint for a new run.
func (o *Options) branch(c *cli.Console) (err error) {
	if o.weights, err = c.LoadModel(o.From, study.AnyRun); err != nil {
		return err
	}
	text := []byte(o.weights.Meta.Config)
	if o.Prune {
		if err := o.prune(c); err != nil {
			return err
		}
	}
	return o.Resolve(c, &configs.Document{Name: o.weights.Path, Text: text})
}

// resumed finds the run to resume and its settings, which o must not change.
func (o *Options) resumed(c *cli.Console) (err error) {
	var dir *run.Dir
	if o.Ref == "" {
		dir, err = run.Unfinished(c.Runs)
	} else {
		dir, err = c.OpenRun(o.Ref, study.AnyRun)
	}
	if err != nil {
		return err
	}
	config, err := configs.Of(dir)
	if err != nil {
		return err
	}
	o.Ref, o.Config = dir.Path, &configs.Resolved{Run: config}
	return o.keepsSettings(c, config, dir)
}

// keepsSettings refuses settings that differ from those of the resumed run.
func (o *Options) keepsSettings(c *cli.Console, config configs.Run, dir *run.Dir) error {
	differences, err := o.Sources.Differences(config)
	if err != nil || len(differences) == 0 {
		return err
	}
	branch := append([]string{"train", "--from", c.Ref(dir.Path, dir.Status().ID)}, o.Sources.Repeat(differences)...)
	d := differences[0]
	return cli.Usagef("A resumed run keeps its settings. For a new run from its weights:\n  "+cli.Command(branch...),
		"%s %s differs from the run being resumed (%s, %s)", d.Origin.Subject(d.Key), d.Given, d.Have, config.SetBy(d.Key))
}
