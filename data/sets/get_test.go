package sets

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/fetch"
	"github.com/attnconv/attnconv/option"
)

// A watched collects what Get says.
type watched struct {
	said   strings.Builder
	at     int64
	closed int
}

func (w *watched) Line(text string) { fmt.Fprintln(&w.said, text) }
func (w *watched) At(have, _ int64) { w.at = have }
func (w *watched) Close()           { w.closed++ }
func (w *watched) options(dir string) GetOptions {
	return GetOptions{Dir: dir, Note: w.Line, Watch: func(string) (Watcher, error) { return w, nil }}
}

func digestOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// published adds a set called small, and returns its archive.
func published(t *testing.T) []byte {
	l := small
	l.test = "three.bin" // no other set has a file of that name
	b := gzipped(pack(entries(l)...))
	l.title, l.published = "SMALL binary", release{"http://127.0.0.1:1/", int64(len(b)), digestOf(b)}
	withKind(t, fileKind("a small set", filled(t, l).Digest, l))
	return b
}

// With one mirror that serves wrong bytes and one that drops the connection, Get ends with the set, without the
// archive, and with a line for each failure.
func TestGetEndsWithTheSet(t *testing.T) {
	archive := published(t)
	wrong := bytes.Clone(archive)
	wrong[len(wrong)/2] ^= 1
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/wrong/") {
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(wrong))
			return
		}
		from := 0
		fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from)
		if asked.Add(1) < 4 {
			w.Header().Set("Content-Length", fmt.Sprint(len(archive)-from))
			if from > 0 {
				w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(archive)-1, len(archive)))
				w.WriteHeader(http.StatusPartialContent)
			}
			w.Write(archive[from : from+len(archive)/5])
			panic(http.ErrAbortHandler)
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(archive))
	}))
	defer server.Close()
	dir, said := t.TempDir(), &watched{}
	o := said.options(dir)
	o.URLs = []string{server.URL + "/wrong/", server.URL + "/good/"}
	r, err := Get(t.Context(), "small", o)
	if err != nil {
		t.Fatalf("%v\n%s", err, said.said.String())
	}
	for _, want := range []string{
		"small.tar.gz, ", "/wrong/small.tar.gz: want a file with SHA-256 ",
		"/good/small.tar.gz: the connection ended after ",
		"unpacking small.tar.gz",
	} {
		if !strings.Contains(said.said.String(), want) {
			t.Errorf("want %q, got\n%s", want, said.said.String())
		}
	}
	if said.at != int64(len(archive)) || said.closed != 1 {
		t.Errorf("showed %d of %d bytes, closed %d times", said.at, len(archive), said.closed)
	}
	if r.Name != "small" || r.Train != 6 || r.Test != 2 || !r.Published || r.Archive == nil || !r.Archive.Published {
		t.Errorf("got %+v", r)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 || left[0].Name() != "small" {
		t.Errorf("in the data folder: %v (%v), want small alone", left, err)
	}
	present := (*ExistsError)(nil)
	if _, err := Get(t.Context(), "small", o); !errors.As(err, &present) ||
		present.Path != filepath.Join(dir, "small") {
		t.Errorf("once more: %v, want a *Present", err)
	}
	// A kill between the download and the end of unpacking leaves the archive.
	if err := os.RemoveAll(filepath.Join(dir, "small")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "small.tar.gz"), archive)
	if r, err := Get(t.Context(), "small", o); err != nil || r.Path != filepath.Join(dir, "small") {
		t.Errorf("after a kill: %+v, %v", r, err)
	}
	if !strings.Contains(said.said.String(), "but not unpacked; the archive is kept\nunpacking ") {
		t.Errorf("after a kill:\n%s", said.said.String())
	}
}

// A DownloadError says how much has come, and whether it was something else.
func TestGetSaysWhyNot(t *testing.T) {
	archive := published(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path.Dir(r.URL.Path) {
		case "/wrong":
			w.Write(make([]byte, len(archive)))
		case "/page":
			w.Write([]byte("<html>Please log in to this network"))
		default:
			w.Header().Set("Content-Length", fmt.Sprint(len(archive)))
			w.Write(archive[:100])
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}
	}))
	defer server.Close()
	for _, tt := range []struct {
		url   string
		wrong bool
		have  int64
		want  string
	}{
		{"/wrong/", true, 0, "what came is not the file that was published"},
		{"/page/", false, 0, fmt.Sprintf("want a file of %d bytes, the server has 35", len(archive))},
		{"/slow/", false, 100, "context canceled"},
	} {
		ctx, stop := context.WithCancel(t.Context())
		dir, w := t.TempDir(), &stopper{stop: stop}
		_, err := Get(ctx, "small", GetOptions{Dir: dir, URLs: []string{server.URL + tt.url},
			Watch: func(string) (Watcher, error) { return w, nil }})
		e := (*DownloadError)(nil)
		if !errors.As(err, &e) || e.Wrong != tt.wrong || e.Unreachable != (tt.url == "/page/") || e.Have != tt.have ||
			e.File != "small.tar.gz" || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %#v, want %+v", tt.url, err, tt)
		}
		if _, err := find(dir, "small"); err == nil {
			t.Errorf("%s: it was imported", tt.url)
		}
	}
}

// A stopper cancels the download once 100 bytes are there.
type stopper struct {
	watched
	stop func()
}

func (s *stopper) At(have, _ int64) {
	if have == 100 {
		s.stop()
	}
}

// A set of several files is downloaded file by file, into a folder that is gone afterwards.
func TestGetFiles(t *testing.T) {
	t.Setenv("XDG_DATA_DIRS", t.TempDir())
	folder := idxFolder(t, func(map[string][]byte) {})
	set, _, err := Recognize(folder)
	if err != nil {
		t.Fatal(err)
	}
	var files []Download
	names, _ := filepath.Glob(filepath.Join(folder, "*"))
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, Download{"http://127.0.0.1:1/", filepath.Base(name), int64(len(b)), digestOf(b)})
	}
	k := Kind{Name: "digits", Help: "3 + 2 digits", Classes: []string{"0", "1", "2"}, Train: 3, Test: 2, ValSize: 1,
		Digest: set.Digest}
	k.idx = &idxSet{format: set.Format, folder: "datasets/digits", files: files}
	withKind(t, k)
	server := httptest.NewServer(http.FileServer(http.Dir(filepath.Dir(folder))))
	defer server.Close()
	dir := t.TempDir()
	users := filepath.Join(dir, "digits-files", "notes.txt")
	write(t, users, []byte("mine"))
	r, err := Get(t.Context(), "digits", GetOptions{Dir: dir, URLs: []string{server.URL + "/digits"}})
	if err != nil || r.Train != 3 || r.Test != 2 || !r.Published {
		t.Fatalf("%+v, %v", r, err)
	}
	if left, err := os.ReadDir(filepath.Dir(users)); err != nil || len(left) != 1 {
		t.Errorf("beside the user's file: %v (%v)", left, err)
	}
	if err := os.RemoveAll(filepath.Dir(users)); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 || left[0].Name() != "digits" {
		t.Errorf("in the data folder: %v (%v), want digits alone", left, err)
	}
	share := t.TempDir()
	t.Setenv("XDG_DATA_DIRS", share)
	if err := os.CopyFS(filepath.Join(share, "datasets", "digits"), os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	if r, err := Get(t.Context(), "digits", GetOptions{Dir: dir, Force: true}); err != nil || r.Source != "IDX files" {
		t.Errorf("installed files: %+v, %v", r, err)
	}
	if _, err := os.Stat(filepath.Join(share, "datasets", "digits", names[0][len(folder)+1:])); err != nil {
		t.Errorf("the files of the system are gone: %v", err)
	}
}

// What cannot be downloaded is refused before the network is used, and before anything is written.
func TestGetRefuses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	a, b := small, smallPython
	a.published, b.published = release{"http://127.0.0.1:1/", 1, ""}, release{"http://127.0.0.1:1/", 2, ""}
	b.archive = "small-python"
	withKind(t, fileKind("a small set", data.Digests{}, a, b))
	present, wrong := (*ExistsError)(nil), (*option.Error)(nil)
	if _, err := Get(t.Context(), "shapes32", GetOptions{Dir: dir}); !errors.As(err, &present) || present.Path != "" {
		t.Errorf("shapes32: %v, want that it is built in", err)
	}
	if _, err := Get(t.Context(), "smal", GetOptions{Dir: dir}); !errors.As(err, &wrong) || wrong.Key != "name" ||
		!strings.Contains(err.Error(), "small") {
		t.Errorf("smal: %v", err)
	}
	for want, urls := range map[string][]string{
		"want an address that begins with": {"/home/me/small.tar.gz"},
		"want addresses of one file, got small-python.tar.gz and small": {"http://127.0.0.1:1/a-python.tgz",
			"http://127.0.0.1:1/b.tgz"},
	} {
		if _, err := Get(t.Context(), "small", GetOptions{Dir: dir, URLs: urls}); !errors.As(err, &wrong) ||
			wrong.Key != "url" ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", urls, err, want)
		}
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the data folder was made")
	}
	if !slices.Contains(Downloadable(), "small") || slices.Contains(Downloadable(), "auto") {
		t.Errorf("downloadable: %q, want small and not auto", Downloadable())
	}
}

// The errors of package fetch are reached through a DownloadError, for exit codes.
func TestUndownloadedUnwraps(t *testing.T) {
	bad := (*fetch.CorruptError)(nil)
	if err := error(&DownloadError{Err: &fetch.CorruptError{Path: "x"}}); !errors.As(err, &bad) {
		t.Error("a *fetch.Corrupt is not found")
	}
}
