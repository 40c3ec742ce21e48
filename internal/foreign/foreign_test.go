package foreign

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// within fails the test if do does not return in 20 s.
func within(t *testing.T, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); do() }()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("it hangs")
	}
}

func TestOpenTakesRegularFilesAlone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("abc"), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := Open(file)
	if err != nil || f.Size != 3 {
		t.Fatalf("got %v, %v: want a file of 3 bytes", f, err)
	}
	f.Close()
	if _, err := Open(file + ".not"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want that there is none", err)
	}
	for path, want := range others(t) {
		within(t, func() {
			var refused *RefusalError
			if _, err := ReadFile(path, 1<<20); !errors.As(err, &refused) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %q", path, err, want)
			}
		})
	}
}

func TestReadFileHasALimit(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("abc"), 0o666); err != nil {
		t.Fatal(err)
	}
	if b, err := ReadFile(file, 3); string(b) != "abc" || err != nil {
		t.Errorf("got %q, %v", b, err)
	}
	var refused *RefusalError
	if _, err := ReadFile(file, 2); !errors.As(err, &refused) ||
		!strings.HasPrefix(err.Error(), file+": want at most 2 bytes") {
		t.Errorf("got %v, want that it is too long", err)
	}
	within(t, func() {
		if _, err := ReadAll("zeros", endless{}, 1<<20); !errors.As(err, &refused) {
			t.Errorf("got %v, want that it is too long", err)
		}
	})
	if runtime.GOOS == "linux" { // its size is reported as 0
		if b, err := ReadFile("/proc/self/status", 1<<20); len(b) == 0 || err != nil {
			t.Errorf("/proc/self/status: %d bytes, %v", len(b), err)
		}
	}
}

// endless is /dev/zero.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// zipped is a zip file of one member.
func zipped(t testing.TB, content []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	m, err := w.Create("member")
	if err == nil {
		_, err = m.Write(content)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestZip(t *testing.T) {
	for _, content := range [][]byte{nil, []byte("abc"), make([]byte, 10<<20)} { // zeros compress by the largest ratio
		b := zipped(t, content)
		r, err := Zip(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		in, err := r.File[0].Open()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(in); !bytes.Equal(got, content) || err != nil {
			t.Errorf("got %d bytes of %d, %v", len(got), len(content), err)
		}
	}
}

func TestZipRefusesSizesThatCannotBe(t *testing.T) {
	b := zipped(t, []byte("abc"))
	at := bytes.LastIndex(b, []byte("PK\x01\x02"))
	lie := bytes.Clone(b)
	binary.LittleEndian.PutUint32(lie[at+24:], 1<<31) // the uncompressed size, in the directory
	if _, err := Zip(bytes.NewReader(lie), int64(len(lie))); err == nil ||
		!strings.Contains(err.Error(), "declares 2147483648 bytes") {
		t.Errorf("got %v, want the declared size", err)
	}
	long := make([]byte, 40<<20)
	copy(long[len(long)-22:], b[len(b)-22:]) // the end of a directory
	end := long[len(long)-22:]
	binary.LittleEndian.PutUint32(end[12:], 40<<20-22)
	binary.LittleEndian.PutUint32(end[16:], 0)
	for i := 0; i+46 <= len(long)-22; i += 46 {
		copy(long[i:], "PK\x01\x02")
	}
	if _, err := Zip(bytes.NewReader(long), int64(len(long))); err == nil ||
		!strings.Contains(err.Error(), "directory takes more than") {
		t.Errorf("got %v, want that the directory is too long", err)
	}
}

func TestZipRefusesAMemberBeforeTheFile(t *testing.T) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	before := append([]byte{1, 0, 8, 0}, "\x00\x00\x00\x00\x00\x00\x00\x80"...) // zip64: the header is at -2⁶³
	_, err := w.CreateHeader(&zip.FileHeader{Name: "member", Extra: before})
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	b := out.Bytes()
	binary.LittleEndian.PutUint32(b[bytes.LastIndex(b, []byte("PK\x01\x02"))+42:], math.MaxUint32) // it is in zip64
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, b, 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := Zip(f, f.Size)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.File[0].Open(); err == nil || !strings.Contains(err.Error(), "before the file") {
		t.Errorf("got %v, want that it begins before the file", err)
	}
}

func FuzzZip(f *testing.F) {
	f.Add(zipped(f, []byte("abc")))
	f.Add(zipped(f, make([]byte, 1<<16)))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := Zip(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		for _, m := range r.File {
			if m.UncompressedSize64 > uint64(maxRatio*(len(b)+1)) {
				t.Fatalf("a member of %d bytes in a file of %d", m.UncompressedSize64, len(b))
			}
			if in, err := m.Open(); err == nil {
				if n, _ := io.Copy(io.Discard, in); n > int64(m.UncompressedSize64) {
					t.Errorf("read %d bytes, %d were declared", n, m.UncompressedSize64)
				}
			}
		}
	})
}
