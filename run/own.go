package run

import (
	"errors"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/attnconv/attnconv/internal/disk"
)

// own matches the files that a run writes, by their path in its folder, with slashes. Other files are never removed.
var own = regexp.MustCompile(`^(` +
	`run\.json|config\.yaml|overrides\.txt|environment(-\d+)?\.json|uncommitted(-\d+)?\.patch|summary\.json|log\.jsonl|train\.log|run\.ckpt` +
	`|(metrics\.jsonl|epochs\.csv)(\.superseded)?` +
	`|checkpoints/((step|epoch)-\d+\.ckpt(\.superseded)?|(last|best)\.ckpt)` +
	`|heads/epoch-\d+\.json(\.superseded)?` +
	`|figures/(curves|heads|maps)\.[a-z]+` +
	`|tb/events\.out\.tfevents\..*` +
	`|` + regexp.QuoteMeta(lockFile) + `|` + regexp.QuoteMeta(claimFile) + `|` + regexp.QuoteMeta(removalFile) + `)$`)

// ownFolders are the folders that a run creates in its folder.
var ownFolders = []string{checkpoints, headsFolder, figuresFolder, "tb"}

// isOwn reports whether a run writes a file with this path in its folder, or a temporary file for it.
func isOwn(rel string) bool {
	rel = filepath.ToSlash(rel)
	if name, ok := disk.TempOf(filepath.Base(rel)); ok {
		rel = filepath.ToSlash(filepath.Join(filepath.Dir(rel), name))
	}
	return own.MatchString(rel)
}

// contents lists the names in a run's folder of files that a run writes, and of all other files and folders except
// ownFolders. It follows no links except path itself.
func contents(path string) (written, others []string, err error) {
	root := path + string(filepath.Separator) // so that WalkDir follows path if it is a link
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
			others = append(others, rel)
			return fs.SkipDir
		case isOwn(rel):
			written = append(written, rel)
		default:
			others = append(others, rel)
		}
		return nil
	})
	return written, others, wrap(err)
}

// clear removes the files that a run wrote in the folder path, except the lock, which the caller must hold. It removes
// run.json last: after an interruption the folder is still a run's.
func clear(path string) error {
	written, _, err := contents(path)
	if err != nil {
		return err
	}
	in, last := disk.Folder(path), []string{statusFile, lockFile}
	written = slices.DeleteFunc(written, func(name string) bool { return slices.Contains(last, name) })
	for _, name := range append(written, statusFile) {
		if err := in.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return wrap(err)
		}
	}
	for _, folder := range ownFolders {
		in.Remove(folder) // fails, as it should, if the folder is not empty
	}
	return nil
}
