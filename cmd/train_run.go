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
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/train"
)

// runTrain trains the model that o describes.
func runTrain(ctx context.Context, c *console, o trainOptions) error {
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
	c.note("")
	summary, err := j.train(ctx)
	return j.reportEnd(ctx, summary, err)
}

// readyJob returns the job that o describes, with its folder: a new one, or that of the run to be resumed. A dry run has
// none.
func readyJob(c *console, o trainOptions) (j *job, err error) {
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
			return j, usagef("a run that begins with the weights of another has its network: model, encoding and sizes stay",
				"--from %s: its weights are of another network: %s", o.From, trimPackages(err.Error()))
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
		DataDir: absolute(c.DataDir), DataPath: j.dataPath(), From: o.fromID, Tags: o.Tags, Note: o.Note, Label: o.Name,
		Version: readBuild().Version, Config: j.run.YAML(), Typed: j.typed(), Environment: j.environment(),
	}
	if o.Out != "" {
		j.dir, err = run.CreateAt(o.Out, info, o.Force)
	} else {
		j.dir, err = run.Create(c.Runs, info)
	}
	if is[*fs.PathError](err) {
		return fmt.Errorf("%s\n  another folder: --runs DIR for all runs, --out DIR for this one", shortMessage(err))
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

// branch takes settings and weights of an earlier run or checkpoint for a new run.
func (o *trainOptions) branch(c *console) (*ckpt.File, error) {
	path, err := c.checkpoint(o.From, anyRun)
	if err != nil {
		return nil, err
	}
	if o.fromID = o.From; runOf(path) != nil {
		o.fromID = runOf(path).Status().ID
	}
	f, meta, err := readCheckpoint(path)
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

// resume returns the job of a run that exists, where its last good checkpoint stands.
func resume(c *console, o trainOptions) (j *job, err error) {
	var dir *run.Dir
	if o.Ref == "" {
		dir, err = run.Unfinished(c.Runs)
	} else {
		dir, err = c.openRun(o.Ref, anyRun)
	}
	if err != nil {
		return nil, err
	}
	config, err := runConfig(dir)
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
	if err := dir.Claim(j.typed(), j.environment(), func(text string) { c.note("%s", text) }); err != nil {
		return j, err
	}
	j.dir = dir
	j.dir.Retain = o.Keep
	if err := j.restore(); err != nil || o.Extend == 0 {
		return j, err
	}
	return j, dir.Extend(config.YAML()) // once its settings are known to be its own
}

// keepsSettings refuses settings that differ from those of the run being resumed, and a run that has nothing left to
// do.
func (o *trainOptions) keepsSettings(c *console, config configs.Run, dir *run.Dir) error {
	differences, err := o.Sources.Differences(config)
	if err != nil {
		return err
	}
	status := dir.Status()
	if len(differences) > 0 {
		d := differences[0]
		return usagef("A resumed run keeps its settings. A new run, from its weights:\n  "+
			o.branching(c.ref(dir.Path, status.ID), differences),
			"%s %s differs from the run being resumed (%s, %s)", d.Origin.Subject(d.Key), d.Given, d.Have, setBy(config, d.Key))
	}
	if status.State == run.Done && o.Extend == 0 {
		return usagef(fmt.Sprintf("To go on: attnconv train --resume %s --extend-epochs N\n"+
			"  (this changes the learning rates to come)", status.ID),
			"run %s is finished: %d epochs", status.ID, config.Train.Epochs)
	}
	return nil
}

// branching is the command that begins a new run with the weights of another and with what was typed that differs from
// its settings. What a variable sets, it goes on setting.
func (o *trainOptions) branching(ref string, differences []configs.Difference) string {
	words := []string{program(), "train", "--from", ref}
	for _, d := range differences {
		switch d.Origin.Kind {
		case configs.FromFlag:
			i := slices.IndexFunc(o.Sources.Flags, func(f configs.Flag) bool { return f.Name == d.Origin.Name })
			words = append(words, d.Origin.Name, shellWord(o.Sources.Flags[i].Text))
		case configs.FromSet:
			words = append(words, "--set", shellWord(d.Key+"="+d.Given))
		case configs.FromFile:
			if file := shellWord(d.Origin.Name); !slices.Contains(words, file) {
				words = append(words, "-c", file)
			}
		}
	}
	return strings.Join(words, " ")
}

// shellWord is text as one word of a shell's command line.
func shellWord(text string) string {
	if text != "" && !strings.ContainsAny(text, " \t\n'\"\\[]{}()*?$&|;<>`~#!") {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// setBy says where a setting of a run is from, as far as its settings tell.
func setBy(config configs.Run, key string) string {
	text := settingTexts(config)[key]
	preset, err := configs.Preset(config.Preset)
	switch {
	case err == nil && config.Preset != "" && settingTexts(preset)[key] == text:
		return "set by preset " + config.Preset
	case settingTexts(configs.Default())[key] == text:
		return "the default"
	}
	return "given when it began"
}

// restore takes weights, solver and cursor of the run's last good checkpoint, and moves what was written after it
// aside. A run that was killed before its first checkpoint starts anew.
func (j *job) restore() error {
	var file *ckpt.File
	var meta ckpt.Meta
	path, warnings, err := j.dir.LastGood(func(path string) (err error) {
		file, meta, err = readCheckpoint(path)
		return err
	})
	for _, w := range warnings {
		j.c.warn(trimPackages(w))
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
		return fmt.Errorf("the images of %s are not those that %s was trained on (digest %.8s, then %.8s)",
			j.run.Data.Name, j.dir.Path, j.set.Digest.Train, meta.DataDigest)
	}
	if here := train.KernelsOf(j.run.Train.Device); meta.Kernels != here {
		j.c.warn(fmt.Sprintf("the run used the kernel set %s, this machine uses %s: from here on numbers differ in rounding",
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

// sameSettings refuses a run whose config.yaml is not what its checkpoint was made with: a file that was cut short can
// still be read, and leaves out what then would be the defaults. The number of epochs may have been extended.
func (j *job) sameSettings(path, text string) error {
	then, err := configs.Parse(path, []byte(text))
	if err != nil {
		return &ckpt.Corrupt{Path: path, Reason: "its settings cannot be read: " + trimPackages(err.Error())}
	}
	then.Train.Epochs = j.run.Train.Epochs
	differ := j.run.Unlike(then)
	if len(differ) == 0 {
		return nil
	}
	return &run.Corrupt{Path: filepath.Join(j.dir.Path, "config.yaml"), Reason: fmt.Sprintf(
		"%s is %s here, and not in %s: the file was cut short, or edited\n"+
			"  a new run with the settings and weights of its checkpoint: %s train --from %s",
		differ[0].Key, differ[0].Text, path, program(), j.dir.Path)}
}

// typed is what the user typed, for the run's folder.
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
