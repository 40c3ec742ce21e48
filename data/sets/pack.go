package sets

import (
	"encoding/json"
	"io"
	"path/filepath"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/disk"
)

// writePacked writes s to folder in one step: it is there whole, or not at all. What was there is replaced.
func writePacked(s *data.Set, folder string, p packedSet) error {
	p.V, p.Classes, p.Digest, p.Val = 1, s.Classes, s.Digest, valDigest(s)
	p.describe(s)
	p.Altered, p.ValSize = s.Altered, s.HeldOut
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
		{"train.bin", writer(s, s.Train)}, {"val.bin", writer(s, s.Val)}, {"test.bin", writer(s, s.Test)},
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
func writer(s *data.Set, of data.Split) func(io.Writer) error {
	return func(w io.Writer) error { return formOf(of, len(s.Classes)).write(w, of) }
}
