package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/attnconv/attnconv/internal/disk"
	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/run/event"
)

// An Info describes a new run.
type Info struct {
	Preset   string
	Model    string // mhsa, resnet18
	Encoding string // "" if the model has none
	Data     string // the resolved data set, never auto; a folder's path is cut to its name
	Seed     uint64
	Epochs   int    // of the whole run
	Steps    int    // of the whole run
	Val      int    // validation images
	Test     int    // test images
	DataDir  string // the data folder; absolute
	DataPath string // the folder of images, absolute, if the data set is one; may be empty
	Images   *Images
	From     string // the run or checkpoint of the initial weights; may be empty
	Donor    string // SHA-256 of the heads of another network that the run's start at; may be empty
	Label    string // replaces encoding (or model), data and seed in the folder's name; may be empty
	Version  string // of the program
	Tags     []string
	Note     string

	Config      []byte // config.yaml
	Typed       UserInput
	Environment Environment
}

// NotEmptyError is the error if the folder for a new run is not empty.
type NotEmptyError struct {
	Path   string
	Forced bool // it was to replace a run, but the folder is not a run's
}

func (e *NotEmptyError) Error() string {
	if e.Forced {
		return e.Path + ": the folder holds files that are not a run's; nothing was changed"
	}
	return e.Path + ": the folder is not empty"
}

func (e *NotEmptyError) ExitCode() int { return fault.Usage }
func (e *NotEmptyError) Hint() string {
	if e.Forced {
		return "choose another one; --force only overwrites an earlier run"
	}
	return "choose another one, or overwrite an earlier run there with --force"
}

// label returns the middle part of the folder's name.
func (i Info) label() string {
	if i.Label != "" {
		return slug(i.Label)
	}
	kind := i.Encoding
	if kind == "" {
		kind = i.Model
	}
	return fmt.Sprintf("%s-%s-s%d", slug(kind), slug(filepath.Base(i.Data)), i.Seed)
}

// Create makes a new run in the folder root, links root/latest to it, and names it by time (UTC), label and id:
//
//	20261120-231840-quadratic-cifar10-s0-k3f9
//
// Runs that start at the same moment get different folders.
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
		d, err := initialize(path, id, now, info, lock)
		if err == nil {
			if err = d.LinkLatest(root); err == nil {
				return d, nil
			}
			d.Close()
		}
		os.RemoveAll(path) // Mkdir above has just created it
		return nil, err
	}
}

// CreateAt makes a new run in the folder path itself. The error is a *NotEmptyError if the folder is not empty, unless
// the files are those of a run whose creation was killed, and an *option.Error if the folder's name is more than a
// name. With force, CreateAt first removes a run that has ended: the files that it wrote, and nothing else. It does not
// call LinkLatest.
func CreateAt(path string, info Info, force bool) (d *Dir, err error) {
	whole, err := filepath.Abs(path)
	if err != nil {
		return nil, wrap(err)
	}
	if err := disk.CheckName(filepath.Base(whole)); err != nil {
		return nil, option.Errorf("out", "%v", err)
	}
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
	d, err = initialize(path, id, time.Now(), info, lock)
	if errors.Is(err, fs.ErrExist) { // another process has created a run meanwhile
		return nil, &NotEmptyError{Path: path}
	}
	return d, err
}

// mayBegin returns an error unless a new run may use the folder: an empty one, one in which the creation of a run was
// killed, or with force that of a run.
func mayBegin(path string, force bool) error {
	written, others, err := contents(path)
	if err != nil || len(written)+len(others) == 0 {
		return err
	}
	if isRun(path) {
		if !force {
			return &NotEmptyError{Path: path}
		}
		_, err := readStatus(path) // run.json must be one of this program
		return err
	}
	trained := func(name string) bool { // a checkpoint or a file of heads: the creation was complete
		return slices.Contains([]string{checkpoints, headsFolder}, filepath.Dir(name))
	}
	if !slices.Contains(written, lockFile) || len(others) > 0 || slices.ContainsFunc(written, trained) {
		return &NotEmptyError{path, force}
	}
	return nil
}

// initialize writes the files of a new run into the folder path, which has at most a lock. It writes run.json last, so
// that a folder with a run.json is complete, also after a power cut. Without locks, creating the first folder is the
// claim: of several processes one succeeds.
func initialize(path, id string, now time.Time, info Info, lock *disk.Lock) (*Dir, error) {
	d := &Dir{Path: path, lock: lock, status: Status{
		Format: Format, ID: id, Name: filepath.Base(path), State: event.Running,
		Started: now.UTC().Truncate(time.Millisecond), Version: info.Version, Go: info.Environment.Go,
		Preset: info.Preset, Model: info.Model, Encoding: info.Encoding, Data: info.Data, Seed: info.Seed,
		Epochs: info.Epochs, Steps: info.Steps, ValImages: info.Val, TestImages: info.Test, From: info.From,
		Donor: info.Donor,
		Tags:  mergeTags(nil, info.Tags...), Note: info.Note,
		DataDir: info.DataDir, DataPath: info.DataPath, Images: info.Images,
		ConfigSHA256: []string{digest(info.Config)},
		TrainLoss:    unknown, ValLoss: unknown, ValAcc: unknown, TestAcc: unknown, ImgS: unknown, dir: path,
	}}
	if err := d.fill(info); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

func (d *Dir) fill(info Info) error {
	for _, folder := range []string{checkpoints, headsFolder} {
		err := d.folder().Mkdir(folder)
		if d.lock != nil && errors.Is(err, fs.ErrExist) { // force keeps files that the old run did not write
			err = d.folder().MkdirAll(folder)
		}
		if err != nil {
			return wrap(err)
		}
	}
	if err := d.replace(configFile, info.Config); err != nil {
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
	for _, dir := range []string{d.Path, parent, filepath.Join(parent, "..")} { // MkdirAll may have created the parents
		if err := disk.Folder(dir).Sync(); err != nil && !errors.Is(err, fs.ErrPermission) {
			return wrap(err)
		}
	}
	return d.save()
}

// mergeTags returns the union of tags and more, in order.
func mergeTags(tags []string, more ...string) []string {
	for _, tag := range more {
		if !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	return tags
}
