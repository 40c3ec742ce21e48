package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/ckpt"
	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/session"
	"github.com/attnconv/attnconv/train"
)

func runTrain(ctx context.Context, c *cli.Console, o trainOptions) error {
	j, err := readyJob(c, o)
	if err != nil {
		return err
	}
	defer j.close()
	if o.DryRun {
		return j.dryRun(ctx)
	}
	j.banner()
	if err := j.showForecast(ctx); err != nil {
		return err
	}
	c.Note("")
	summary, err := j.train(ctx)
	return j.reportEnd(ctx, summary, err)
}

// readyJob returns the job that o describes, with a new folder or that of the resumed run. A dry run has none.
func readyJob(c *cli.Console, o trainOptions) (j *job, err error) {
	defer func() {
		if err != nil && j != nil {
			j.close()
		}
	}()
	if o.Resume {
		return resume(c, o)
	}
	var weights *ckpt.File
	if o.From != "" {
		if weights, err = o.branch(c); err != nil {
			return nil, err
		}
	}
	if j, err = newJob(c, o); err != nil {
		return nil, err
	}
	if weights != nil {
		if err := j.net.SetWeights(weights); err != nil {
			return j, cli.Usagef("with --from, model, encoding and sizes cannot change",
				"--from %s: its weights do not fit the network: %s", o.From, cli.TrimPackages(err.Error()))
		}
	}
	if o.DryRun {
		return j, nil
	}
	return j, j.createDir()
}

// createDir makes the folder of a new run.
func (j *job) createDir() (err error) {
	c, o := j.c, j.o
	info := run.Info{
		Preset: j.run.Preset, Model: j.run.Model.Kind, Encoding: j.run.Model.EncodingName(), Data: j.run.Data.Name, Seed: j.run.Seed,
		DataDir: cli.Absolute(c.DataDir), DataPath: j.dataPath(), From: o.fromID, Tags: o.Tags, Note: o.Note, Label: o.Name,
		Version: cli.ReadBuild().Version, Config: j.run.YAML(), Typed: j.typed(), Environment: j.environment(),
	}
	if o.Out != "" {
		j.dir, err = run.CreateAt(o.Out, info, o.Force)
	} else {
		j.dir, err = run.Create(c.Runs, info)
	}
	if cli.Is[*fs.PathError](err) {
		return fmt.Errorf("%s\n  another folder: --runs DIR for all runs, --out DIR for this one", cli.ShortMessage(err))
	}
	if err != nil {
		return err
	}
	j.dir.Retain = o.Keep
	if o.Out != "" {
		if err := j.dir.LinkLatest(c.Runs); err != nil {
			return err
		}
	}
	return nil
}

// branch reads settings and weights of an earlier run or checkpoint for a new run.
func (o *trainOptions) branch(c *cli.Console) (*ckpt.File, error) {
	path, err := c.Checkpoint(o.From, cli.AnyRun)
	if err != nil {
		return nil, err
	}
	if o.fromID = o.From; session.RunOf(path) != nil {
		o.fromID = session.RunOf(path).Status().ID
	}
	f, meta, err := session.ReadCheckpoint(path)
	if err != nil {
		return nil, err
	}
	if o.Prune {
		if f, err = o.prune(c, path, f); err != nil {
			return nil, err
		}
	}
	return f, o.resolve(c, &configs.Document{Name: path, Text: []byte(meta.Config)})
}

// resume returns the job of an existing run, restored from its last good checkpoint.
func resume(c *cli.Console, o trainOptions) (j *job, err error) {
	var dir *run.Dir
	if o.Ref == "" {
		dir, err = run.Unfinished(c.Runs)
	} else {
		dir, err = c.OpenRun(o.Ref, cli.AnyRun)
	}
	if err != nil {
		return nil, err
	}
	config, err := configs.Of(dir)
	if err != nil {
		return nil, err
	}
	if err := o.keepsSettings(c, config, dir); err != nil {
		return nil, err
	}
	config.Train.Epochs += o.Extend
	o.Config = &configs.Resolved{Run: config}
	if o.Set == nil || o.Set.Name != config.Data.Name {
		if o.Set, err = openAgain(c, config.Data.Name, dir.Status()); err != nil {
			return nil, err
		}
	}
	if j, err = newJob(c, o); err != nil || o.DryRun {
		return j, err
	}
	if err := dir.Claim(j.typed(), j.environment(), func(text string) { c.Note("%s", text) }); err != nil {
		return j, err
	}
	j.dir = dir
	j.dir.Retain = o.Keep
	if err := j.restore(); err != nil || o.Extend == 0 {
		return j, err
	}
	return j, dir.Extend(config.YAML()) // after restore has verified the settings
}

// keepsSettings refuses settings that differ from those of the resumed run, and a run that is finished.
func (o *trainOptions) keepsSettings(c *cli.Console, config configs.Run, dir *run.Dir) error {
	differences, err := o.Sources.Differences(config)
	if err != nil {
		return err
	}
	status := dir.Status()
	if len(differences) > 0 {
		d := differences[0]
		return cli.Usagef("A resumed run keeps its settings. For a new run from its weights:\n  "+
			o.branching(c.Ref(dir.Path, status.ID), differences),
			"%s %s differs from the run being resumed (%s, %s)", d.Origin.Subject(d.Key), d.Given, d.Have, setBy(config, d.Key))
	}
	if status.State == run.Done && o.Extend == 0 {
		return cli.Usagef(fmt.Sprintf("To train longer: attnconv train --resume %s --extend-epochs N\n"+
			"  (this changes the learning rates of the remaining steps)", status.ID),
			"run %s is finished: %d epochs", status.ID, config.Train.Epochs)
	}
	return nil
}

// branching returns the command that branches off a run with the settings that differ. Those from variables are omitted,
// since the variables still apply.
func (o *trainOptions) branching(ref string, differences []configs.Difference) string {
	words := []string{cli.Program(), "train", "--from", ref}
	for _, d := range differences {
		switch d.Origin.Kind {
		case configs.FromFlag:
			i := slices.IndexFunc(o.Sources.Flags, func(f configs.Flag) bool { return f.Name == d.Origin.Name })
			words = append(words, d.Origin.Name, cli.ShellWord(o.Sources.Flags[i].Text))
		case configs.FromSet:
			words = append(words, "--set", cli.ShellWord(d.Key+"="+d.Given))
		case configs.FromFile:
			if file := cli.ShellWord(d.Origin.Name); !slices.Contains(words, file) {
				words = append(words, "-c", file)
			}
		}
	}
	return strings.Join(words, " ")
}

// setBy describes the origin of a run's setting.
func setBy(config configs.Run, key string) string {
	text := config.Texts()[key]
	preset, err := configs.Preset(config.Preset)
	switch {
	case err == nil && config.Preset != "" && preset.Texts()[key] == text:
		return "set by preset " + config.Preset
	case configs.Default().Texts()[key] == text:
		return "the default"
	}
	return "given when it began"
}

// restore loads weights, solver and cursor from the run's last good checkpoint, and rewinds the records to it. A run
// that was killed before its first checkpoint starts again.
func (j *job) restore() error {
	var file *ckpt.File
	var meta ckpt.Meta
	path, warnings, err := j.dir.LastGood(func(path string) (err error) {
		file, meta, err = session.ReadCheckpoint(path)
		return err
	})
	for _, w := range warnings {
		j.c.Warn(cli.TrimPackages(w))
	}
	if missing := (*run.NotFound)(nil); errors.As(err, &missing) {
		return j.dir.Rewind(0, 0)
	}
	if err != nil {
		return err
	}
	if err := j.sameSettings(path, meta.Config); err != nil {
		return err
	}
	if meta.DataDigest != j.set.Digest.Train {
		return fmt.Errorf("the images of %s are not those that %s was trained on (digest %.8s, was %.8s)",
			j.run.Data.Name, j.dir.Path, j.set.Digest.Train, meta.DataDigest)
	}
	if here := train.KernelsOf(j.run.Train.Device); meta.Kernels != here {
		j.c.Warn(fmt.Sprintf("the run used the kernel set %s, this machine uses %s: from here on results differ by rounding",
			meta.Kernels, here))
	}
	if err := j.net.SetWeights(file); err != nil {
		return &ckpt.Corrupt{Path: path, Reason: err.Error()}
	}
	if err := j.trainer.Restore(file, meta.Cursor); err != nil {
		return &ckpt.Corrupt{Path: path, Reason: err.Error()}
	}
	return j.dir.Rewind(j.trainer.Cursor.Step, j.trainer.Cursor.Epoch)
}

// sameSettings refuses a run whose config.yaml differs from the configuration in its checkpoint, except in the number of
// epochs: a truncated file may still parse, with defaults for what is missing.
func (j *job) sameSettings(path, text string) error {
	then, err := configs.Parse(path, []byte(text))
	if err != nil {
		return &ckpt.Corrupt{Path: path, Reason: "its settings cannot be read: " + cli.TrimPackages(err.Error())}
	}
	then.Train.Epochs = j.run.Train.Epochs
	differ := j.run.Unlike(then)
	if len(differ) == 0 {
		return nil
	}
	return &run.Corrupt{Path: filepath.Join(j.dir.Path, "config.yaml"), Reason: fmt.Sprintf(
		"%s is %s here, and not in %s: the file was truncated or edited\n"+
			"  for a new run with the settings and weights of its checkpoint: %s train --from %s",
		differ[0].Key, differ[0].Text, path, cli.Program(), j.dir.Path)}
}

// typed returns the command line, for the run's folder.
func (j *job) typed() run.Typed {
	t := j.o.Typed
	t.Args = os.Args
	return t
}

func (j *job) environment() run.Environment {
	e := run.Describe(os.Args, j.set.Digest.Train, j.o.Host)
	e.Device = j.device.String()
	return e
}
