package sets

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/data"
)

// small is CIFAR-10 in miniature: two training files of three records, a test file of two, four classes.
var small = layout{
	format: rgb32,
	name:   "small", folder: "small-bin", archive: "small",
	train: []string{"one.bin", "two.bin"}, test: "test.bin", perTrain: 3, perTest: 2,
	classes: []string{"a", "b", "c", "d"},
}

// smallFine is CIFAR-100 in miniature: two labels a record.
var smallFine = layout{
	format: rgb32,
	name:   "fine", folder: "fine-bin", archive: "fine",
	train: []string{"train.bin"}, test: "test.bin", perTrain: 3, perTest: 2, coarse: 2,
	classes: []string{"a", "b", "c", "d"},
}

// tiny is small with images of 2 × 2 pixels, for fuzzing.
var tiny = func() layout {
	l := small
	l.format = data.Format{Rows: 2, Cols: 2, Channels: 3}
	return l
}()

// content makes the bytes of file i of a layout, with labels 0, 1, 2, 3, 0, ...
func content(l layout, i int) []byte {
	r := rand.New(rand.NewPCG(1, uint64(i)))
	var out []byte
	for k := range newReader(l).records(i) {
		if l.coarse > 0 {
			out = append(out, byte(k%l.coarse))
		}
		out = append(out, byte((i+k)%len(l.classes)))
		for range l.format.Size() {
			out = append(out, byte(r.Uint32()))
		}
	}
	return out
}

// writeFiles writes the files of a layout into a new folder; change may alter each, or return nil to leave it out.
func writeFiles(t *testing.T, l layout, dir string, change func(name string, b []byte) []byte) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for i, name := range l.files() {
		b := content(l, i)
		if change != nil {
			b = change(name, b)
		}
		if b == nil {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// An entry is a file of a test archive.
type entry struct {
	name string
	kind byte
	body []byte
	size int64 // in the header; 0: len(body)
}

// pack makes a tar archive; an entry whose header promises more than its body leaves the archive cut off there.
func pack(entries ...entry) []byte {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Typeflag: e.kind, Mode: 0o644, Size: int64(len(e.body)), Format: tar.FormatPAX}
		if e.kind == tar.TypeSymlink {
			h.Linkname = "/etc/passwd"
		}
		if e.size > 0 {
			h.Size = e.size
		}
		if err := w.WriteHeader(h); err != nil {
			panic(err)
		}
		if _, err := w.Write(e.body); err != nil {
			panic(err)
		}
		if e.size > 0 {
			return out.Bytes()
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

func gzipped(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(b); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// entries are those of a good archive: a folder, the files in an order of their own, a file to pass over.
func entries(l layout) []entry {
	list := []entry{{name: l.folder + "/", kind: tar.TypeDir}}
	for i, name := range l.files() {
		list = append(list, entry{name: l.folder + "/" + name, kind: tar.TypeReg, body: content(l, i)})
	}
	slices.Reverse(list[1:])
	return append(list, entry{name: l.folder + "/readme.html", kind: tar.TypeReg, body: []byte("<html>")})
}

func TestOpenPlaces(t *testing.T) {
	for _, l := range []layout{small, smallFine} {
		want, zipped := filled(t, l), gzipped(pack(entries(l)...))
		for place, write := range map[string]func(dir string){
			"the folder itself":      func(dir string) { writeFiles(t, l, dir, nil) },
			"the archive's folder":   func(dir string) { writeFiles(t, l, filepath.Join(dir, l.folder), nil) },
			"a folder by name":       func(dir string) { writeFiles(t, l, filepath.Join(dir, l.name), nil) },
			"archive folder by name": func(dir string) { writeFiles(t, l, filepath.Join(dir, l.name, l.folder), nil) },
			"tar.gz":                 func(dir string) { write(t, filepath.Join(dir, l.archive+".tar.gz"), zipped) },
			"tgz by name": func(dir string) {
				write(t, filepath.Join(dir, l.name, l.archive+".tgz"),
					zipped)
			},
			"tar": func(dir string) {
				write(t, filepath.Join(dir, l.archive+".tar"),
					pack(entries(l)...))
			},
		} {
			t.Run(l.name+" in "+place, func(t *testing.T) {
				dir := t.TempDir()
				write(dir)
				s, err := layouts{l}.open(dir)
				if err != nil {
					t.Fatal(err)
				}
				if s.Digest != want.Digest || s.Name != l.name {
					t.Errorf("got %s with digests %v, want %s with %v", s.Name, s.Digest, l.name, want.Digest)
				}
			})
		}
	}
}

// filled reads the files of a layout without a file system.
func filled(t *testing.T, l layout) *data.Set {
	t.Helper()
	r := newReader(l)
	for i, name := range l.files() {
		b := content(l, i)
		if err := r.read(i, name, bytes.NewReader(b), int64(len(b))); err != nil {
			t.Fatal(err)
		}
	}
	return r.set("")
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestRecords(t *testing.T) {
	s := filled(t, smallFine)
	b := content(smallFine, 0)
	if got, want := s.Train.Labels, []int32{0, 1, 2}; !slices.Equal(got, want) {
		t.Errorf("fine labels %v, want %v", got, want)
	}
	const record = 2 + 3072
	if !bytes.Equal(s.Train.Bytes(1), b[record+2:2*record]) {
		t.Error("image 1 is not the bytes behind its two labels")
	}
	img := s.Train.Image(1)
	r, g, bl, _ := img.At(5, 3).RGBA() // column 5 of row 3
	at := record + 2 + 3*32 + 5
	if byte(r>>8) != b[at] || byte(g>>8) != b[at+1024] || byte(bl>>8) != b[at+2048] {
		t.Error("Image: row 3, column 5 is not the bytes of the file")
	}
}

func TestCorruptFolders(t *testing.T) {
	for _, tt := range []struct {
		name   string
		layout layout
		change func(name string, b []byte) []byte
		want   string
	}{
		{"short file",
			small, on("two.bin", func(b []byte) []byte { return b[:5000] }),
			"two.bin: want 9219 bytes, got 5000"},
		{"long file",
			small, on("one.bin", func(b []byte) []byte { return append(b, 1) }),
			"one.bin: want 9219 bytes, got 9220"},
		{"empty file",
			small, on("test.bin", func([]byte) []byte { return []byte{} }),
			"test.bin: want 6146 bytes, got 0"},
		{"label out of range",
			small, on("one.bin", func(b []byte) []byte { b[3073] = 4; return b }),
			"one.bin: record 2: want a label below 4, got 4"},
		{"coarse label out of range",
			smallFine, on("train.bin", func(b []byte) []byte { b[0] = 2; return b }),
			"train.bin: record 1: want a coarse label below 2, got 2"},
		{"file left out",
			small, on("two.bin", func([]byte) []byte { return nil }),
			"two.bin: want this file next to the others of small"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			writeFiles(t, tt.layout, dir, tt.change)
			_, err := layouts{tt.layout}.open(dir)
			wantCorrupt(t, err, tt.want)
		})
	}
}

func on(file string, change func([]byte) []byte) func(string, []byte) []byte {
	return func(name string, b []byte) []byte {
		if name == file {
			return change(b)
		}
		return b
	}
}

func wantCorrupt(t *testing.T, err error, want string) {
	t.Helper()
	var c *data.CorruptError
	if !errors.As(err, &c) || !strings.Contains(err.Error(), want) {
		t.Errorf("got error %v, want a *Corrupt with %q", err, want)
	}
}

func TestHostileArchives(t *testing.T) {
	good := entries(small)
	with := func(e ...entry) []byte { return pack(append(e, good...)...) }
	zipped := gzipped(pack(good...))
	badSum := slices.Clone(zipped)
	badSum[len(badSum)-5] ^= 1 // in the length behind the checksum
	one := content(small, 0)
	for _, tt := range []struct {
		name string
		b    []byte
		want string
	}{
		{"path upwards",
			with(entry{name: "../one.bin", kind: tar.TypeReg, body: one}),
			"../one.bin: want a name inside the archive"},
		{"absolute path",
			with(entry{name: "/etc/one.bin", kind: tar.TypeReg, body: one}),
			"want a name inside the archive"},
		{"link",
			with(entry{name: "x/one.bin", kind: tar.TypeSymlink}),
			"one.bin: want a plain file, got an entry of type '2'"},
		{"wrong size",
			with(entry{name: "x/one.bin", kind: tar.TypeReg, body: one[1:]}),
			"one.bin: want 9219 bytes, got 9218"},
		{"twice", with(entry{name: "x/one.bin", kind: tar.TypeReg, body: one}), "one.bin: want this file once"},
		{"huge size",
			pack(entry{name: "x/one.bin", kind: tar.TypeReg, size: 1 << 50}),
			"want 9219 bytes, got 1125899906842624"},
		{"huge other file",
			gzipped(pack(entry{name: "x/other", kind: tar.TypeReg, body: make([]byte, 70<<20)})),
			"and this one goes on"},
		{"file left out", pack(good[2:]...), "want test.bin in the archive"},
		{"cut tar", pack(good...)[:12000], "the file ends in record"},
		{"cut gzip", zipped[:len(zipped)/2], "ends"},
		{"wrong checksum", badSum, "want a whole archive: gzip: invalid checksum"},
		{"cut gzip header", zipped[:5], "want a gzip file"},
		{"no archive", []byte(strings.Repeat("hello, world. ", 100)), "want a whole tar archive"},
		{"empty", nil, "want one.bin in the archive"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := layouts{small}.readArchive("a.tar.gz", bytes.NewReader(tt.b))
			wantCorrupt(t, err, tt.want)
		})
	}
}

func TestClassNames(t *testing.T) {
	for _, tt := range []struct {
		layout layout
		n      int
	}{{cifar10, 10}, {cifar100, 100}} {
		if got := len(tt.layout.classes); got != tt.n || !slices.IsSorted(tt.layout.classes) {
			t.Errorf("%s: %d classes, want %d, sorted", tt.layout.name, got, tt.n)
		}
	}
	if got := newReader(cifar10).bytes(0); got != 30730000 { // the published size
		t.Errorf("a CIFAR-10 batch has %d bytes, want 30730000", got)
	}
}

// TestCIFAR10 reads the real thing where ATTNCONV_CIFAR10 names its folder or archive.
func TestCIFAR10(t *testing.T) {
	dir := os.Getenv("ATTNCONV_CIFAR10")
	if dir == "" {
		t.Skip("ATTNCONV_CIFAR10 names no folder")
	}
	s, err := Open(data.Options{Name: "auto"}, dir)
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "cifar10" || s.Train.Len() != 50000 || s.Test.Len() != 10000 {
		t.Errorf("got %s with %d + %d images, want cifar10 with 50000 + 10000", s.Name, s.Train.Len(), s.Test.Len())
	}
	for class, n := range s.Train.Counts(10) {
		if m := s.Test.Counts(10)[class]; n != 5000 || m != 1000 {
			t.Errorf("%s: %d + %d images, want 5000 + 1000", s.Classes[class], n, m)
		}
	}
}

func FuzzRecords(f *testing.F) {
	for i := range tiny.files() {
		f.Add(i, content(tiny, i))
	}
	f.Add(0, content(tiny, 0)[:20])
	f.Add(2, bytes.Repeat([]byte{255}, 2*13))
	f.Fuzz(func(t *testing.T, i int, b []byte) {
		i = int(uint(i) % 3)
		r := newReader(tiny)
		err := r.read(i, "f", bytes.NewReader(b), int64(len(b)))
		if err == nil && int64(len(b)) != r.bytes(i) {
			t.Errorf("file %d of %d bytes was taken, want %d", i, len(b), r.bytes(i))
		}
		if bad := (*data.CorruptError)(nil); err != nil && !errors.As(err, &bad) {
			t.Errorf("got %v, want a *Corrupt", err)
		}
		// A file that is shorter than it says.
		if err := newReader(tiny).read(i, "f", bytes.NewReader(b), r.bytes(i)); err == nil &&
			int64(len(b)) < r.bytes(i) {
			t.Errorf("file %d of %d bytes was taken for %d", i, len(b), r.bytes(i))
		}
	})
}

func FuzzArchive(f *testing.F) {
	good := pack(entries(tiny)[1:4]...) // without the folder and the other file, which the packed one has
	f.Add(good)
	f.Add(gzipped(pack(entries(tiny)...)))
	f.Add(good[:1600])
	f.Add(pack(entry{name: "x/one.bin", kind: tar.TypeReg, size: 1 << 50}))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, _, err := layouts{tiny}.readArchive("f", io.LimitReader(bytes.NewReader(b), 1<<20))
		if bad := (*data.CorruptError)(nil); err != nil && !errors.As(err, &bad) {
			t.Errorf("got %v, want a *Corrupt", err)
		}
		if err == nil && (s.Train.Len() != 6 || s.Test.Len() != 2 || slices.Max(s.Train.Labels) > 3) {
			t.Errorf("took a set of %d + %d images with labels %v", s.Train.Len(), s.Test.Len(), s.Train.Labels)
		}
	})
}
