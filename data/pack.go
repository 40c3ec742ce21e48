package data

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/attnconv/attnconv/internal/disk"
)

// writePacked writes s to folder in one step: it is there whole, or not at all. What was there is replaced.
func (s *Set) writePacked(folder string, p packed) error {
	p.V, p.Classes, p.Digest, p.Val = 1, s.Classes, s.Digest, s.valDigest()
	p.describe(s)
	p.Altered, p.ValSize = s.Altered, s.valSize
	p.Images.Train, p.Images.Val, p.Images.Test = s.Train.Len(), s.Val.Len(), s.Test.Len()
	said, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	tmp := disk.Temp(folder)
	if err := os.MkdirAll(tmp, 0o777); err != nil {
		return wrap(err)
	}
	defer os.RemoveAll(tmp)
	for _, part := range []struct {
		file  string
		write func(io.Writer) error
	}{
		{"train.bin", s.writer(s.Train)}, {"val.bin", s.writer(s.Val)}, {"test.bin", s.writer(s.Test)},
		{packedFile, disk.Bytes(append(said, '\n'))},
	} {
		if part.file == "val.bin" && s.Val.Len() == 0 {
			continue
		}
		if err := disk.Create(filepath.Join(tmp, part.file), part.write); err != nil {
			return wrap(err)
		}
	}
	if err := disk.SyncFolder(tmp); err != nil {
		return wrap(err)
	}
	old := tmp + ".old"
	replaced := os.Rename(folder, old) == nil
	if err := os.Rename(tmp, folder); err != nil {
		if replaced {
			err = errors.Join(err, os.Rename(old, folder))
		}
		return wrap(err)
	}
	if err := disk.SyncFolder(filepath.Dir(folder)); err != nil { // whoever imported it may now delete the archive
		return wrap(err)
	}
	return os.RemoveAll(old)
}

// writer writes the records of a split of s.
func (s *Set) writer(of Split) func(io.Writer) error {
	return func(w io.Writer) error { return of.formOf(len(s.Classes)).write(w, of) }
}
