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

// A part is the beginning of a file, on the disk. Bytes are written at their place, so two programs that bring the same
// file at once write the same bytes to the same places.
type part struct {
	file *os.File
	have int64
	hash hash.Hash // of the bytes so far
}

// openPart opens PATH.part and reads what an earlier call left there.
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
	if err == nil && p.have > f.Size { // no part of this file
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

// reset throws away what there is.
func (p *part) reset() error {
	p.have = 0
	p.hash.Reset()
	return p.file.Truncate(0)
}

// settle gives the whole file its name, once it is on the disk. Another program may have done so meanwhile.
func (p *part) settle(path string) error {
	if err := errors.Join(p.file.Sync(), p.file.Close()); err != nil {
		return err
	}
	err := os.Rename(p.file.Name(), path)
	if info, statErr := os.Stat(path); errors.Is(err, os.ErrNotExist) && statErr == nil && info.Size() == p.have {
		return nil
	}
	return err
}

// close ends the writing; a part without a byte is no use to anyone.
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
