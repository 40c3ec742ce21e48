package run

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/attnconv/attnconv/internal/disk"
	"github.com/attnconv/attnconv/run/event"
)

// Unpack writes a run that has ended, whose files are in from, to the folder in root that its run.json names. It
// returns the folder's path. from has no links: Unpack makes best.ckpt, last.ckpt and run.ckpt, and root/latest if it
// is missing. The run appears in one step, or not at all. If something is at the path already, Unpack returns the path
// and fs.ErrExist.
func Unpack(ctx context.Context, root string, from fs.FS) (path string, err error) {
	b, err := fs.ReadFile(from, statusFile)
	if err != nil {
		return "", wrap(err)
	}
	s, err := parseStatus(statusFile, b)
	if err != nil {
		return "", err
	}
	if err := disk.CheckName(s.Name); err != nil {
		return "", &CorruptError{statusFile, err.Error()}
	}
	path = filepath.Join(root, s.Name)
	if err := os.MkdirAll(root, 0o777); err != nil {
		return path, wrap(err)
	}
	err = disk.Unpack(ctx, path, from, func(made disk.Folder) error {
		return (&Dir{Path: string(made)}).linkBest(s)
	})
	if err != nil {
		return path, wrap(err)
	}
	if _, err := os.Lstat(filepath.Join(root, latestLink)); !errors.Is(err, fs.ErrNotExist) {
		return path, wrap(err)
	}
	return path, (&Dir{Path: path}).LinkLatest(root)
}

// linkBest links the checkpoints of a run with status s.
func (d *Dir) linkBest(s *Status) error {
	records, err := d.Records(event.Kind(event.Epoch{}))
	if err != nil {
		return err
	}
	best := 0
	for _, r := range records {
		if e, ok := r.Event.(event.Epoch); ok && e.Epoch == s.BestEpoch {
			best = e.Step
		}
	}
	return d.rewindCheckpoints(s.Step, s.Epoch, best)
}
