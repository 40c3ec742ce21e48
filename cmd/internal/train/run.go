package train

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/attnconv/attnconv/cmd/internal/explorer"
	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/internal/accelerator"
	"github.com/attnconv/attnconv/internal/progress"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/session"
	"github.com/attnconv/attnconv/session/trained"
	"github.com/attnconv/attnconv/train"
)

// Run is the command, once its flags are parsed.
func Run(ctx context.Context, c *term.Console, o Options) error {
	j, err := Start(c, o)
	if err != nil {
		return err
	}
	defer j.Close()
	if o.DryRun {
		return j.dryRun(ctx)
	}
	if err := train.ShareError(o.Group, ctx.Err()); err != nil {
		c.Note("stopped before the run began: nothing was written")
		return err
	}
	if err := j.Begin(); err != nil {
		return err
	}
	term.Saving(ctx)
	j.banner()
	if err := j.showForecast(ctx); err != nil && ctx.Err() == nil { // else Train ends the run
		return err
	}
	if err := j.servePage(ctx); err != nil && ctx.Err() == nil {
		return err
	}
	c.Note("")
	summary, err := j.Train(ctx)
	if o.Group != nil && o.Group.Rank() > 0 { // rank 0 reports
		if errors.Is(err, train.ErrStopped) && ctx.Err() == nil {
			return nil
		}
		return err
	}
	err = j.reportEnd(ctx, summary, err)
	j.callOnEnd(ctx, summary)
	return err
}

// callOnEnd runs the command of --on-end, with what it says on standard error. Its failure is a warning: the run has
// ended as it did.
func (j *Job) callOnEnd(ctx context.Context, s run.Summary) {
	if j.o.onEnd == "" {
		return
	}
	path, err := filepath.Abs(j.Dir().Path)
	if err == nil {
		cmd := exec.CommandContext(context.WithoutCancel(ctx), "sh", "-c", j.o.onEnd) // also after Ctrl-C
		cmd.Env = append(slices.Clone(j.c.Env), "RUN_DIR="+path, "RUN_ID="+s.ID, "RUN_STATE="+s.State)
		cmd.Stdout, cmd.Stderr = j.c.Err, j.c.Err
		err = cmd.Run()
	}
	if err != nil {
		j.c.Warn("--on-end: " + err.Error())
	}
}

// A Job is one training run of the command line.
type Job struct {
	*session.Session
	c      *term.Console
	o      Options
	device *accelerator.Device
	show   *progress.Progress

	training bool
	test     event.Eval // the last evaluation
}

// Start returns the job that o describes. It writes nothing before Begin or Train.
func Start(c *term.Console, o Options) (j *Job, err error) {
	j = &Job{c: c, o: o}
	defer func() {
		if err != nil {
			j.Close()
			j = nil
		}
	}()
	if err = train.ShareError(o.Group, j.prepare()); err != nil {
		return j, err
	}
	if j.show, err = progress.New(c.Progress()); err != nil {
		return j, err
	}
	j.Session, err = session.New(j.o.Options)
	return j, j.o.flagged(c, err)
}

// prepare finds the earlier run that this one goes on with, and the device.
func (j *Job) prepare() (err error) {
	o, c := &j.o, j.c
	switch {
	case o.Resumes:
		err = o.resumed(c)
	case o.Branch != "":
		err = o.branch(c)
	}
	if err != nil {
		return err
	}
	if err := o.checkRequirements(); err != nil {
		return err
	}
	if j.device, err = refs.OpenDevice(c, o.Settings.Train.Precision); err != nil {
		return o.Resolved().Explain(err)
	}
	if j.device.GPU() {
		if o.Group != nil {
			return term.Usagef("for several GPUs: "+term.Program()+" sweep, with a run on each",
				"%d ranks train on the CPU: --device cpu", o.Group.Size())
		}
		o.Device = j.device.Accelerator
	}
	o.Root, o.DataDir, o.Typed.Args = c.Runs, c.DataDir, os.Args
	o.Figures, o.Messages, o.Observe = runFigures, j, j.observe
	return nil
}

// observe shows an event.
func (j *Job) observe(e event.Event) error {
	if eval, ok := e.(event.Eval); ok {
		if j.test = eval; !j.c.Streams() && !j.c.JSON {
			return nil // Outcome shows it
		}
	}
	j.show.Event(event.Record{Time: time.Now(), Event: e})
	return nil
}

// Begin makes the folder of the run, or claims that of the resumed run.
func (j *Job) Begin() error { return j.o.flagged(j.c, j.Session.Begin()) }

// servePage shows the run, next to the others in its folder, on a page as long as it trains.
func (j *Job) servePage(ctx context.Context) error {
	if !j.o.serve || j.Dir() == nil {
		return nil
	}
	s := explorer.Options{Runs: j.c.Runs, Data: j.c.DataDir}
	if filepath.Dir(j.Dir().Path) != filepath.Clean(j.c.Runs) {
		s.Only = []string{j.Dir().Path}
	}
	page, err := explorer.Start(ctx, s, net.IPv4(127, 0, 0, 1), 0)
	if err == nil {
		j.c.Note("%s", page.Tunnel)
		j.c.Path("page", page.Address+"#overview&run="+j.Dir().Status().ID)
	}
	return err
}

// Note implements session.Messages.
func (j *Job) Note(format string, args ...any) { j.c.Note(format, args...) }

// Warn implements session.Messages. While the run trains, warnings go above its progress.
func (j *Job) Warn(text string) {
	if j.training {
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
	if ctx.Err() == nil { // else there will be no step
		defer context.AfterFunc(ctx, func() {
			j.show.Line(fmt.Sprintf("finishing step %d, saving … (press again to stop now)", j.Step()+1))
		})()
	}
	defer OnRequest(func() {
		j.Save()
		j.show.Line(fmt.Sprintf("saving after step %d, as asked", j.Step()+1))
	})()
	defer j.show.Close()
	j.training = true
	return j.Session.Train(ctx)
}

// flagged names the flag in an error of session about its value. It does so in place, because a train.SharedError may
// be around it.
func (o *Options) flagged(c *term.Console, err error) error {
	var full *run.NotEmptyError
	var misfit *trained.MisfitError
	var finished *session.FinishedError
	switch {
	case errors.As(err, &finished):
		finished.Ref = refs.RunName(c, finished.Ref, finished.ID)
	case errors.As(err, &full):
		full.Path = "--out " + full.Path
	case errors.As(err, &misfit):
		misfit.Path = "--from " + o.Branch
	}
	return err
}

// checkRequirements refuses a requirement of the test accuracy for a run that only checks that it can overfit.
func (o *Options) checkRequirements() error {
	tests := slices.ContainsFunc(o.Require, func(r term.Requirement) bool { return r.Name == "test_acc" })
	if o.Settings.Train.OverfitBatches > 0 && tests {
		return term.Usagef("val_acc is the accuracy on the training images",
			"--require test_acc: --overfit-batches does not use the test set")
	}
	return nil
}

// branch reads settings and weights of an earlier run or checkpoint for a new run.
func (o *Options) branch(c *term.Console) (err error) {
	if o.From, err = refs.LoadModel(c, o.Branch, refs.AnyRun); err != nil {
		return err
	}
	text := []byte(o.From.Meta.Config)
	if o.Prune {
		if err := o.prune(c); err != nil {
			return err
		}
	}
	return o.Resolve(c, &configs.Document{Name: "run " + o.From.Path, Text: text})
}

// resumed finds the run to resume and its settings, which o must not change.
func (o *Options) resumed(c *term.Console) (err error) {
	var dir *run.Dir
	if o.Resume == "" {
		dir, err = run.FindUnfinished(c.Runs)
	} else {
		dir, err = refs.OpenRun(c, o.Resume, refs.AnyRun)
	}
	if err != nil {
		return err
	}
	if o.Settings, err = configs.Of(dir); err != nil {
		return err
	}
	o.Resume = dir.Path
	if err := o.movedImages(c); err != nil {
		return err
	}
	return o.keepsSettings(c, dir)
}

// movedImages opens the set of --data for a resumed run, whose images may be at another place than when it began.
func (o *Options) movedImages(c *term.Console) (err error) {
	given := func(f configs.Flag) bool { return f.Key == "data.name" && f.Text != o.Settings.Data.Name }
	i := slices.IndexFunc(o.Sources.Flags, given)
	if i < 0 {
		return nil
	}
	at := o.Settings.Data
	at.Name = o.Sources.Flags[i].Text
	o.Sources.Flags = slices.Delete(slices.Clone(o.Sources.Flags), i, i+1)
	o.Set, err = sets.Open(at, c.DataDir)
	return err
}

// keepsSettings refuses settings that differ from those of the resumed run.
func (o *Options) keepsSettings(c *term.Console, dir *run.Dir) error {
	differences, err := o.Sources.Differences(o.Settings)
	if err != nil || len(differences) == 0 {
		return err
	}
	branch := append([]string{"train", "--from", refs.RunName(c, dir.Path, dir.Status().ID)},
		o.Sources.Repeat(differences)...)
	d := differences[0]
	return term.Usagef("A resumed run keeps its settings. For a new run from its weights:\n  "+term.Command(branch...),
		"%s %s differs from the run being resumed (%s, %s)", d.Origin.Subject(d.Key), d.Given, d.Have,
		o.Settings.SetBy(d.Key))
}

// prune removes the degenerate heads from the weights of a branch, notes how many each layer had, and sets model.heads
// to the rest.
func (o *Options) prune(c *term.Console) error {
	pruned, gone, err := o.From.Prune()
	if err != nil {
		return term.Usagef("", "--prune-degenerate: %s", err)
	}
	spec := pruned.Net.Spec
	all, removed, each := 0, 0, []string{}
	for l, n := range gone {
		all, removed, each = all+n+spec.Heads[l], removed+n, append(each, strconv.Itoa(n))
	}
	if removed == 0 {
		c.Note("prune  none of the %d heads is degenerate or pruned", all)
		return nil
	}
	c.Note("prune  %d of %d heads are degenerate or pruned and left out; by layer: %s", removed, all,
		strings.Join(each, ", "))
	o.From = pruned
	o.Sources.Flags = append([]configs.Flag{ // the heads have other numbers now
		{Name: "--prune-degenerate", Key: "train.surgery", Text: "none"}}, o.Sources.Flags...)
	o.Sources.Flags = append(o.Sources.Flags,
		configs.Flag{Name: "--prune-degenerate", Key: "model.heads", Text: spec.Heads.String()},
		configs.Flag{Name: "--prune-degenerate", Key: "model.layers", Text: spec.Layers.String()})
	return nil
}
