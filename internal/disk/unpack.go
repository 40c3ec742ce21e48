package disk

import (
	"context"
	"io"
	"io/fs"
	"path/filepath"
)

// Unpack makes the new folder path from the files in from, and calls finish for what else belongs in it. The folder
// appears in one step, complete and synced: after an error, an interrupt or a power cut nothing is at path. A process
// that is killed leaves at most a hidden folder (see Temp). The error is fs.ErrExist if something is at path.
func Unpack(ctx context.Context, path string, from fs.FS, finish func(Folder) error) (err error) {
	in, name := Split(path)
	if _, err := in.Lstat(name); err == nil {
		return &fs.PathError{Op: "mkdir", Path: path, Err: fs.ErrExist}
	}
	tmp := Temp(name)
	if err := in.MkdirAll(tmp); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			in.RemoveAll(tmp)
		}
	}()
	made := Folder(in.Path(tmp))
	if err := made.copy(ctx, from); err != nil {
		return err
	}
	if err := finish(made); err != nil {
		return err
	}
	if err := made.syncLike(from); err != nil {
		return err
	}
	if err := in.Rename(tmp, name); err != nil {
		return err
	}
	return in.Sync()
}

// copy writes the files of from into the folder.
func (f Folder) copy(ctx context.Context, from fs.FS) error {
	return fs.WalkDir(from, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
		name := filepath.FromSlash(path)
		if e.IsDir() {
			return f.MkdirAll(name)
		}
		file, err := from.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		return f.Create(name, func(w io.Writer) error {
			_, err := io.Copy(w, file)
			return err
		})
	})
}

// syncLike syncs the folders that from has.
func (f Folder) syncLike(from fs.FS) error {
	return fs.WalkDir(from, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		return Folder(f.Path(filepath.FromSlash(path))).Sync()
	})
}
