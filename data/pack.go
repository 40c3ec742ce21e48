package data

import (
	"encoding/json"
	"io"
	"path/filepath"

	"github.com/attnconv/attnconv/internal/disk"
)

// writePacked writes s to folder in one step: it is there whole, or not at all. What was there is replaced.
func (s *Set) writePacked(folder string, p packedSet) error {
	p.V, p.Classes, p.Digest, p.Val = 1, s.Classes, s.Digest, s.valDigest()
	p.describe(s)
	p.Altered, p.ValSize = s.Altered, s.valSize
	p.Images.Train, p.Images.Val, p.Images.Test = s.Train.Len(), s.Val.Len(), s.Test.Len()
	said, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	in, name := disk.Split(folder)
	tmp := disk.Temp(name)
	if err := in.Mkdir(tmp); err != nil {
		return err
	}
	defer in.RemoveAll(tmp)
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
		if err := in.Create(filepath.Join(tmp, part.file), part.write); err != nil {
			return err
		}
	}
	if err := disk.Folder(in.Path(tmp)).Sync(); err != nil {
		return err
	}
	if err := settle(in, tmp, name); err != nil {
		return err
	}
	return in.Sync() // the user may now delete the archive
}

// writer writes the records of a split of s.
func (s *Set) writer(of Split) func(io.Writer) error {
	return func(w io.Writer) error { return of.formOf(len(s.Classes)).write(w, of) }
}
