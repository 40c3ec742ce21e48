package sets

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/visible"
)

// slack is how many bytes an archive may have besides the set's own files: read-me files, names, padding.
const slack = 64 << 20

// openArchive reads the set from a .tar or .tar.gz, as a stream: nothing is unpacked to disk.
func (f layouts) openArchive(name string) (*data.Set, error) {
	in, err := open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	s, _, err := f.readArchive(name, in)
	return s, err
}

// readArchive reads a set in any of the layouts. The first file that belongs to one says which it is.
func (f layouts) readArchive(name string, in io.Reader) (*data.Set, layout, error) {
	buffered := bufio.NewReaderSize(in, 1<<18)
	magic, _ := buffered.Peek(2)
	in = buffered
	if string(magic) == "\x1f\x8b" {
		unzipped, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, layout{}, corrupt(name, err, "want a gzip file")
		}
		in = unzipped
	}
	limit := int64(0)
	for _, l := range f {
		limit = max(limit, l.unpacked()+slack)
	}
	bounded := &io.LimitedReader{R: in, N: limit}
	r, others, err := f.untar(name, tar.NewReader(bounded))
	pictures := archived(name, others)
	switch {
	case r == nil && pictures != nil:
		return nil, layout{}, pictures
	case err != nil && bounded.N <= 0:
		return nil, layout{}, corrupt(name, nil, "want an archive of %s, which unpacks to under %d bytes, "+
			"and this one goes on", f.names(), limit)
	case err != nil:
		return nil, layout{}, err
	case r == nil:
		return nil, layout{}, corrupt(name, nil, "want %s in the archive, or other files of %s, and none is there",
			f[0].files()[0], f.names())
	}
	if i := slices.Index(r.seen, false); i >= 0 {
		return nil, layout{}, corrupt(name, nil, "want %s in the archive, and it is not there", r.files()[i])
	}
	if _, err := io.Copy(io.Discard, bounded); err != nil { // gzip's checksum comes last
		return nil, layout{}, corrupt(name, err, "want a whole archive")
	}
	s := account(r.set(name))
	for _, other := range others {
		leaveFile(s, other, path.Base(other))
	}
	return s, r.layout, nil
}

// unpacked is the most that the set's files have together.
func (l layout) unpacked() (n int64) {
	r := newReader(l)
	for i := range r.seen {
		n += r.bytes(i)
	}
	return n
}

// untar reads a set's files out of the archive called name, and skips all others, which it lists. The reader is nil if
// the archive has no file of any set.
func (f layouts) untar(name string, archive *tar.Reader) (r *reader, others []string, err error) {
	for {
		h, err := archive.Next()
		if err == io.EOF {
			return r, others, nil
		}
		if err != nil {
			return r, others, corrupt(name, cause(err), "want a whole tar archive")
		}
		entry := name + ": " + visible.Word(h.Name)
		if path.IsAbs(h.Name) || slices.Contains(strings.Split(h.Name, "/"), "..") {
			return r, others, corrupt(entry, nil, "want a name inside the archive")
		}
		if h.Typeflag == tar.TypeDir {
			continue
		}
		if r == nil {
			if l, ok := f.with(path.Base(h.Name)); ok {
				r = newReader(l)
			} else {
				others = append(others, h.Name)
				continue
			}
		}
		i := slices.Index(r.files(), path.Base(h.Name))
		if i < 0 {
			others = append(others, h.Name)
			continue
		}
		if h.Typeflag != tar.TypeReg {
			return r, others, corrupt(entry, nil, "want a plain file, got an entry of type %q", h.Typeflag)
		}
		if err := r.read(i, entry, archive, h.Size); err != nil {
			return r, others, err
		}
	}
}

// with is the layout that has a file of that name.
func (f layouts) with(file string) (layout, bool) {
	i := slices.IndexFunc(f, func(l layout) bool { return slices.Contains(l.files(), file) })
	if i < 0 {
		return layout{}, false
	}
	return f[i], true
}

// names are the sets of which f are layouts.
func (f layouts) names() string {
	var names []string
	for _, l := range f {
		names = append(names, l.name)
	}
	return strings.Join(slices.Compact(names), " or ")
}
