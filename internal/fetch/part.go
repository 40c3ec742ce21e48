package fetch

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"os"
	"path/filepath"

	"github.com/attnconv/attnconv/internal/disk"
)

// A part is PATH.part, the first have bytes of a file. Bytes are written at their offset, so two programs that download
// the same file at once write the same bytes to the same offsets.
type part struct {
	in   disk.Folder
	name string // of the file in there, once it is complete
	file *os.File
	have int64
	hash hash.Hash // of the first have bytes
}

// partial is the ending of an incomplete file.
const partial = ".part"

// openPart opens PATH.part and hashes the bytes that an earlier call left there.
func openPart(f File) (*part, error) {
	in, name := disk.Split(f.Path)
	if f.Dir != "" {
		in = disk.Folder(f.Dir)
		var err error
		if name, err = filepath.Rel(f.Dir, f.Path); err != nil {
			return nil, err
		}
	}
	if err := in.MkdirAll(filepath.Dir(name)); err != nil {
		return nil, err
	}
	file, err := in.OpenFile(name+partial, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	p := &part{in: in, name: name, file: file, hash: sha256.New()}
	p.have, err = io.Copy(p.hash, io.LimitReader(file, f.Size+1))
	if err == nil && p.have > f.Size { // of another file
		err = p.reset()
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return p, nil
}

func (p *part) append(b []byte) error {
	n, err := p.file.WriteAt(b, p.have)
	p.hash.Write(b[:n])
	p.have += int64(n)
	return err
}

func (p *part) sum() string { return hex.EncodeToString(p.hash.Sum(nil)) }

// reset discards all bytes.
func (p *part) reset() error {
	p.have = 0
	p.hash.Reset()
	return p.file.Truncate(0)
}

// commit syncs the complete file and gives it its name. It also succeeds if another program has just done so.
func (p *part) commit() error {
	if err := errors.Join(p.file.Sync(), p.file.Close()); err != nil {
		return err
	}
	err := p.in.Rename(p.name+partial, p.name)
	if info, statErr := p.in.Lstat(p.name); errors.Is(err, os.ErrNotExist) && statErr == nil && info.Size() == p.have {
		return nil
	}
	return err
}

// close closes the file, and removes it if it is empty.
func (p *part) close() error {
	err := p.file.Close()
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	if p.have == 0 {
		err = errors.Join(err, p.in.Remove(p.name+partial))
	}
	return err
}
