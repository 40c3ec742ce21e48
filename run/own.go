package run

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/attnconv/attnconv/internal/disk"
)

// own matches the files that a run writes, by their paths in its folder, with slashes. Nothing else in the folder is
// ever removed.
var own = regexp.MustCompile(`^(` +
	`run\.json|config\.yaml|overrides\.txt|environment(-\d+)?\.json|summary\.json|log\.jsonl|train\.log|run\.ckpt` +
	`|(metrics\.jsonl|epochs\.csv)(\.superseded)?` +
	`|checkpoints/((step|epoch)-\d+\.ckpt(\.superseded)?|(last|best)\.ckpt)` +
	`|heads/epoch-\d+\.json(\.superseded)?` +
	`|figures/(curves|heads|maps)\.[a-z]+` +
	`|tb/events\.out\.tfevents\..*` +
	`|` + regexp.QuoteMeta(lockFile) + `|` + regexp.QuoteMeta(claimFile) + `)$`)

// ownFolders are the folders in which it writes, beside its own.
var ownFolders = []string{checkpoints, headsFolder, figuresFolder, "tb"}

// isOwn says whether a run writes a file of this path in its folder, or does so while the file is not yet whole.
func isOwn(rel string) bool {
	rel = filepath.ToSlash(rel)
	if name, ok := disk.TempOf(filepath.Base(rel)); ok {
		rel = filepath.ToSlash(filepath.Join(filepath.Dir(rel), name))
	}
	return own.MatchString(rel)
}

// contents lists what is in a run's folder: the files that a run writes, and all else but the folders that it makes. It
// follows no links but path itself.
func contents(path string) (written, foreign []string, err error) {
	root := path + string(filepath.Separator) // without it, WalkDir does not enter a folder that path is a link to
	err = filepath.WalkDir(root, func(file string, e fs.DirEntry, err error) error {
		if err != nil || file == root {
			return err
		}
		rel, err := filepath.Rel(path, file)
		switch {
		case err != nil:
			return err
		case e.IsDir() && slices.Contains(ownFolders, rel):
		case e.IsDir():
			foreign = append(foreign, file)
			return fs.SkipDir
		case isOwn(rel):
			written = append(written, file)
		default:
			foreign = append(foreign, file)
		}
		return nil
	})
	return written, foreign, wrap(err)
}

// clear removes what a run wrote in the folder path, but for the lock, and leaves what it did not. run.json goes last: as
// long as anything is left, the folder is known for a run's. The caller holds the lock.
func clear(path string) error {
	written, _, err := contents(path)
	if err != nil {
		return err
	}
	status, lock := filepath.Join(path, statusFile), filepath.Join(path, lockFile)
	written = slices.DeleteFunc(written, func(file string) bool { return file == status || file == lock })
	for _, file := range append(written, status) {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return wrap(err)
		}
	}
	for _, folder := range ownFolders {
		os.Remove(filepath.Join(path, folder)) // fails, as it should, where something is left in it
	}
	return nil
}
