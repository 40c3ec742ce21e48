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
		{"train.bin", s.Train.writeRecords}, {"val.bin", s.Val.writeRecords}, {"test.bin", s.Test.writeRecords},
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

// writeRecords writes the label and the bytes of each image.
func (s Split) writeRecords(w io.Writer) error {
	const chunk = 1000 // images
	var b []byte
	for i := range s.Labels {
		b = append(b, s.Labels[i])
		b = append(b, s.Bytes(i)...)
		if i%chunk == chunk-1 || i == s.Len()-1 {
			if _, err := w.Write(b); err != nil {
				return err
			}
			b = b[:0]
		}
	}
	return nil
}
