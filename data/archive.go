package data

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path"
	"slices"
	"strings"
)

// slack is how much an archive may hold beside the set's own files: read-me files, names, padding.
const slack = 64 << 20

// openArchive reads the set from a .tar or .tar.gz, as a stream: nothing is unpacked to disk.
func (l layout) openArchive(name string) (*Set, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, corrupt(name, err, "want a readable file")
	}
	defer f.Close()
	return l.readArchive(name, f)
}

func (l layout) readArchive(name string, in io.Reader) (*Set, error) {
	buffered := bufio.NewReaderSize(in, 1<<18)
	magic, _ := buffered.Peek(2)
	in = buffered
	if string(magic) == "\x1f\x8b" {
		unzipped, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, corrupt(name, err, "want a gzip file")
		}
		in = unzipped
	}
	r := newReader(l)
	limit := int64(slack)
	for i := range r.seen {
		limit += r.bytes(i)
	}
	bounded := &io.LimitedReader{R: in, N: limit}
	if err := r.untar(name, tar.NewReader(bounded)); err != nil {
		if bounded.N <= 0 {
			return nil, corrupt(name, nil, "want an archive of %s, which unpacks to under %d bytes, and this one goes on",
				l.name, limit)
		}
		return nil, err
	}
	if i := slices.Index(r.seen, false); i >= 0 {
		return nil, corrupt(name, nil, "want %s in the archive, and it is not there", l.files()[i])
	}
	if _, err := io.Copy(io.Discard, bounded); err != nil { // gzip's checksum comes last
		return nil, corrupt(name, err, "want a whole archive")
	}
	return r.set(name), nil
}

// untar reads the set's files out of the archive called name, and passes over all others.
func (r *reader) untar(name string, archive *tar.Reader) error {
	files := r.files()
	for {
		h, err := archive.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return corrupt(name, cause(err), "want a whole tar archive")
		}
		entry := name + ": " + strings.ToValidUTF8(h.Name, "?")
		if path.IsAbs(h.Name) || slices.Contains(strings.Split(h.Name, "/"), "..") {
			return corrupt(entry, nil, "want a name inside the archive")
		}
		i := slices.Index(files, path.Base(h.Name))
		if i < 0 {
			continue
		}
		if h.Typeflag != tar.TypeReg {
			return corrupt(entry, nil, "want a plain file, got an entry of type %q", h.Typeflag)
		}
		if err := r.read(i, entry, archive, h.Size); err != nil {
			return err
		}
	}
}

// cause puts an early end in words.
func cause(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it ends early")
	}
	return err
}
