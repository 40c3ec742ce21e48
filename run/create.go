package run

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/attnconv/attnconv/internal/disk"
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

// An Info is what a run is told about itself when it starts.
type Info struct {
	Preset   string
	Model    string // mhsa, resnet18
	Encoding string // "" where the model has none
	Data     string // the resolved data set, never auto; a folder's path is cut to its name
	Seed     uint64
	DataDir  string // the data folder; absolute
	DataPath string // the folder of images, absolute, where the data is one; may be empty
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
type NotEmpty struct {
	Path   string
	Forced bool // an earlier run there was to be written over, and what is there is none
}

func (e *NotEmpty) Error() string {
	if e.Forced {
		return "run: " + e.Path + " holds files, and they are not a run's"
	}
	return "run: " + e.Path + " is not empty"
}

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
		lock, _, err := take(path, nil)
		if err != nil {
			return nil, err
		}
		d, err := found(path, id, now, info, lock)
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
// force, a run that is there, and has ended, is removed first: what it wrote, and nothing else. What a run left that was
// killed while it was being made is no obstacle. LinkLatest, if wanted, is the caller's.
func CreateAt(path string, info Info, force bool) (d *Dir, err error) {
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, wrap(err)
	}
	if err := mayBegin(path, force); err != nil {
		return nil, err
	}
	lock, _, err := take(path, nil)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			lock.Release()
		}
	}()
	if err := mayBegin(path, force); err != nil { // another process may have been faster
		return nil, err
	}
	if err := clear(path); err != nil {
		return nil, err
	}
	id, err := newID(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	d, err = found(path, id, time.Now(), info, lock)
	if errors.Is(err, fs.ErrExist) { // another run's since it was looked at
		return nil, &NotEmpty{Path: path}
	}
	return d, err
}

// mayBegin refuses a folder that a new run may not have. It may have an empty one, one in which a process was killed
// while it made a run, and with force that of a run.
func mayBegin(path string, force bool) error {
	written, foreign, err := contents(path)
	if err != nil || len(written)+len(foreign) == 0 {
		return err
	}
	if isRun(path) {
		if !force {
			return &NotEmpty{Path: path}
		}
		_, err := readStatus(path) // run.json must be ours
		return err
	}
	begun := func(file string) bool { // a run has been there: it left a checkpoint, or where its heads were
		return slices.Contains([]string{checkpoints, headsFolder}, filepath.Base(filepath.Dir(file)))
	}
	if !slices.Contains(written, filepath.Join(path, lockFile)) || len(foreign) > 0 || slices.ContainsFunc(written, begun) {
		return &NotEmpty{path, force}
	}
	return nil
}

// found fills the folder path, in which nothing of a run is but the lock. run.json comes last: until then there is no run,
// and from then on a resume finds all that it reads, also after a power cut. Where there are no locks, making the first
// folder is the claim: of several that try at once one succeeds.
func found(path, id string, now time.Time, info Info, lock *disk.Lock) (*Dir, error) {
	d := &Dir{Path: path, lock: lock, status: Status{
		Format: Format, ID: id, Name: filepath.Base(path), State: Running,
		Started: now.UTC().Truncate(time.Millisecond), Version: info.Version, Go: info.Environment.Go,
		Preset: info.Preset, Model: info.Model, Encoding: info.Encoding, Data: info.Data, Seed: info.Seed, From: info.From,
		Tags: tagged(nil, info.Tags...), Note: info.Note,
		DataDir: info.DataDir, DataPath: info.DataPath, ConfigSHA256: []string{digest(info.Config)},
		TrainLoss: unknown, ValLoss: unknown, ValAcc: unknown, TestAcc: unknown, ImgS: unknown, dir: path,
	}}
	if err := d.fill(info); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

func (d *Dir) fill(info Info) error {
	for _, folder := range []string{checkpoints, headsFolder} {
		err := os.Mkdir(filepath.Join(d.Path, folder), 0o777)
		if err != nil && !(d.lock != nil && errors.Is(err, fs.ErrExist)) { // what an earlier run did not write is left in it
			return wrap(err)
		}
	}
	if err := replace(filepath.Join(d.Path, configFile), info.Config); err != nil {
		return err
	}
	d.sign()
	if err := d.describe(info.Typed, info.Environment); err != nil {
		return err
	}
	if err := d.openCurves(); err != nil {
		return err
	}
	parent := filepath.Join(d.Path, "..")
	for _, dir := range []string{d.Path, parent, filepath.Join(parent, "..")} { // the last two have the names of folders
		if err := disk.SyncFolder(dir); err != nil && !errors.Is(err, fs.ErrPermission) {
			return wrap(err)
		}
	}
	return d.save()
}
