package run

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
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
	checkpoints     = "checkpoints"
	headsFolder     = "heads"
	figuresFolder   = "figures"
	weightsLink     = "run.ckpt"
	latestLink      = "latest"
)

// own lists what a forced CreateAt clears away, and nothing else.
var own = []string{
	statusFile, configFile, overridesFile, "environment*.json", metricsFile + "*", epochsFile + "*", summaryFile,
	"log.jsonl", "train.log", checkpoints, headsFolder, figuresFolder, "tb", "predictions", weightsLink,
}

// An Info is what a run is told about itself when it starts.
type Info struct {
	Preset   string
	Model    string // mhsa, resnet18
	Encoding string // "" where the model has none
	Data     string // the resolved data set, never auto; a folder's path is cut to its name
	Seed     uint64
	From     string // the run or checkpoint whose weights it begins with; may be empty
	Label    string // in place of encoding (or model), data and seed in the folder's name; may be empty
	Version  string // of the program
	Tags     []string
	Note     string

	Config      []byte // config.yaml
	Typed       Typed
	Environment Environment
}

// Typed is what the user typed: overrides.txt.
type Typed struct {
	Args  []string // the command line
	Files []string // configuration files, in order
	Env   []string // NAME=value of the variables that were obeyed
}

// A NotEmpty says that a folder chosen for a run already holds something.
type NotEmpty struct{ Path string }

func (e *NotEmpty) Error() string { return "run: " + e.Path + " is not empty" }

// Create makes a new run in the folder root, under a name that sorts by time (UTC) and says what the run is:
//
//	20261120-231840-quadratic-cifar10-s0-k3f9
//
// Runs that start at the same moment get folders of their own. root/latest then stands for the new run.
func Create(root string, info Info) (*Dir, error) {
	if err := os.MkdirAll(root, 0o777); err != nil {
		return nil, wrap(err)
	}
	for {
		now := time.Now()
		id, err := newID(root)
		if err != nil {
			return nil, err
		}
		path := filepath.Join(root, now.UTC().Format("20060102-150405-")+info.label()+"-"+id)
		err = os.Mkdir(path, 0o777)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, wrap(err)
		}
		d, err := found(path, id, now, info)
		if err == nil {
			if err = d.LinkLatest(root); err == nil {
				return d, nil
			}
			d.Close()
		}
		os.RemoveAll(path) // nobody else has it: Mkdir made it here
		return nil, err
	}
}

// CreateAt makes a new run in the folder path itself. A folder that holds anything is refused with a *NotEmpty; with
// force, the files of an earlier run there are removed first, and other files stay. LinkLatest, if wanted, is the
// caller's.
func CreateAt(path string, info Info, force bool) (*Dir, error) {
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, wrap(err)
	}
	list, err := os.ReadDir(path)
	if err != nil {
		return nil, wrap(err)
	}
	if len(list) > 0 && !force {
		return nil, &NotEmpty{path}
	}
	if len(list) > 0 {
		if err := clear(path); err != nil {
			return nil, err
		}
	}
	id, err := newID(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	d, err := found(path, id, time.Now(), info)
	if errors.Is(err, fs.ErrExist) { // another run's since it was looked at
		return nil, &NotEmpty{path}
	}
	return d, err
}

// clear removes an earlier run's files, unless that run is alive.
func clear(path string) error {
	if s, err := readStatus(path); err == nil {
		if err := s.busy(path); err != nil {
			return err
		}
	}
	for _, pattern := range own {
		list, err := filepath.Glob(filepath.Join(escape(path), pattern))
		if err != nil {
			return wrap(err)
		}
		for _, name := range list {
			if err := os.RemoveAll(name); err != nil {
				return wrap(err)
			}
		}
	}
	return nil
}

// escape makes a path that Glob takes literally.
func escape(path string) string {
	if os.PathSeparator == '\\' {
		return path // no escapes there
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// found fills the empty folder path. Of several that try at once one succeeds: making the first folder is the claim.
func found(path, id string, now time.Time, info Info) (*Dir, error) {
	d := &Dir{Path: path, status: Status{
		Format: Format, ID: id, Name: filepath.Base(path), State: Running,
		Started: now.UTC().Truncate(time.Millisecond), Version: info.Version, Go: info.Environment.Go,
		Preset: info.Preset, Model: info.Model, Encoding: info.Encoding, Data: info.Data, Seed: info.Seed, From: info.From,
		Tags: tagged(nil, info.Tags...), Note: info.Note,
		TrainLoss: unknown, ValLoss: unknown, ValAcc: unknown, TestAcc: unknown, ImgS: unknown,
	}}
	for _, folder := range []string{checkpoints, headsFolder} {
		if err := os.Mkdir(filepath.Join(path, folder), 0o777); err != nil {
			return nil, wrap(err)
		}
	}
	if err := os.WriteFile(filepath.Join(path, configFile), info.Config, 0o666); err != nil {
		return nil, wrap(err)
	}
	if err := d.open(info.Typed, info.Environment); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}
