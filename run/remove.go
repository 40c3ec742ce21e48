package run

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/attnconv/attnconv/internal/disk"
	"github.com/attnconv/attnconv/run/event"
)

// removed is the suffix of the hidden names of folders that Remove is deleting.
const removed = ".removed"

// Remove deletes the run in the folder path: the files that it wrote and, if there are no others, the folder. It
// relinks root/latest to the newest other run if it was a link to this one. The error is a *BusyError if a process
// trains the run.
func Remove(path, root string) error {
	lock, _, err := takeRun(path, nil)
	if err != nil {
		return err
	}
	defer lock.Release()
	_, others, err := contents(path)
	if err != nil {
		return err
	}
	if len(others) == 0 {
		// Renamed first: an interrupted removal then leaves no incomplete run in the list.
		hidden := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+removed)
		if os.Rename(path, hidden) == nil {
			path = hidden
		}
	}
	if err := clear(path); err != nil {
		return err
	}
	lock.Release() // Windows cannot remove an open file
	if err := disk.Folder(path).Remove(lockFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return wrap(err)
	}
	if len(others) == 0 {
		if err := os.Remove(path); err != nil { // fails, as it should, if somebody has added a file meanwhile
			return wrap(err)
		}
	}
	return relink(root)
}

// relink links root/latest to the newest run if its target is gone, and removes it if there is no run.
func relink(root string) error {
	path := filepath.Join(root, latestLink)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	target, err := latest(root)
	if missing := (*NotFoundError)(nil); errors.As(err, &missing) {
		return wrap(os.Remove(path))
	}
	if err != nil {
		return err
	}
	return (&Dir{Path: target}).LinkLatest(root)
}

// Size returns the total size in bytes of the regular files in a folder.
func Size(path string) (n int64) {
	filepath.WalkDir(path, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return nil
		}
		if info, err := e.Info(); err == nil {
			n += info.Size()
		}
		return nil
	})
	return n
}

// A SpareFile is a file or folder that can be deleted to save space.
type SpareFile struct {
	Path string
	Run  bool   // the whole run
	Why  string // leftover of a killed process, superseded by a resume, …
	Size int64  // bytes
}

// Spares lists what can be deleted in root: files of killed writers and interrupted removals, files that a resume has
// superseded, runs that ended before their first checkpoint and, with snapshots, the snapshots of single epochs. It
// lists nothing of runs that are being trained, or were within the last hour.
func Spares(root string, snapshots bool) ([]SpareFile, error) {
	list, err := List(root)
	if err != nil {
		return nil, err
	}
	all, err := hiddenSpares(root)
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		if e.Err != nil || e.State == event.Running || time.Since(e.Status.Heartbeat) < time.Hour {
			continue
		}
		d := &Dir{Path: e.Path}
		if steps, err := d.steps(); err == nil && len(steps) == 0 && e.State != event.Done {
			all = append(all, SpareFile{Path: e.Path, Run: true, Why: "ended before its first checkpoint",
				Size: Size(e.Path)})
			continue
		}
		all = append(all, d.spares(snapshots)...)
	}
	return all, nil
}

// hiddenSpares lists the hidden folders in root that an interrupted Remove or Unpack has left.
func hiddenSpares(root string) (all []SpareFile, err error) {
	list, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, wrap(err)
	}
	for _, e := range list {
		name, why := e.Name(), ""
		_, temporary := disk.TempOf(name)
		switch {
		case !e.IsDir():
		case strings.HasPrefix(name, ".") && strings.HasSuffix(name, removed):
			why = "a removal that was cut short"
		case temporary && older(e, time.Hour):
			why = "left by a process that was killed"
		}
		if why == "" {
			continue
		}
		path := filepath.Join(root, name)
		if _, others, err := contents(path); err == nil && len(others) == 0 { // else it is not a run's
			all = append(all, SpareFile{Path: path, Why: why, Size: Size(path)})
		}
	}
	return all, nil
}

// older reports whether a file or folder has not changed for this long.
func older(e fs.DirEntry, age time.Duration) bool {
	info, err := e.Info()
	return err == nil && time.Since(info.ModTime()) > age
}

// spares lists the files of one run that can be deleted.
func (d *Dir) spares(snapshots bool) (all []SpareFile) {
	filepath.WalkDir(d.Path, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return nil
		}
		rel, err := filepath.Rel(d.Path, path)
		if err != nil || !isOwn(rel) {
			return nil
		}
		name, why := e.Name(), ""
		_, numbered := numberOf(name, "epoch-", ".ckpt")
		_, temporary := disk.TempOf(name)
		switch {
		case temporary:
			why = "left by a process that was killed"
		case strings.HasSuffix(name, superseded):
			why = "superseded by a resume"
		case numbered && snapshots:
			why = "weights of one epoch"
		default:
			return nil
		}
		if info, err := e.Info(); err == nil {
			all = append(all, SpareFile{Path: path, Why: why, Size: info.Size()})
		}
		return nil
	})
	return all
}

// Discard removes a spare.
func (s SpareFile) Discard(root string) error {
	if s.Run {
		return Remove(s.Path, root)
	}
	name, err := filepath.Rel(root, s.Path)
	if err != nil {
		return wrap(err)
	}
	return wrap(disk.Folder(root).RemoveAll(name))
}
