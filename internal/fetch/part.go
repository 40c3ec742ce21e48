package fetch

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"os"
	"path/filepath"
)

// A part is PATH.part, the first have bytes of a file. Bytes are written at their offset, so two programs that download
// the same file at once write the same bytes to the same offsets.
type part struct {
	file *os.File
	have int64
	hash hash.Hash // of the first have bytes
}

// openPart opens PATH.part and hashes the bytes that an earlier call left there.
func openPart(f File) (*part, error) {
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o777); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(f.Path+".part", os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	p := &part{file: file, hash: sha256.New()}
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

// commit syncs the complete file and renames it to path. It succeeds, too, if another program has just done so.
func (p *part) commit(path string) error {
	if err := errors.Join(p.file.Sync(), p.file.Close()); err != nil {
		return err
	}
	err := os.Rename(p.file.Name(), path)
	if info, statErr := os.Stat(path); errors.Is(err, os.ErrNotExist) && statErr == nil && info.Size() == p.have {
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
		err = errors.Join(err, os.Remove(p.file.Name()))
	}
	return err
}
