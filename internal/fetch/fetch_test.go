package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// published is the file to download; other is another file of the same size.
var published, other = noise(1), noise(2)

func noise(seed uint64) []byte {
	b := make([]byte, 300_000)
	r := rand.New(rand.NewPCG(seed, 0))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// A server counts its requests.
type server struct {
	*httptest.Server
	asked atomic.Int64
}

// serve starts a server that answers request n = 1, 2, … by answer.
func serve(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, n int)) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer(w, r, int(s.asked.Add(1)))
	}))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s
}

// honest sends b, or the requested range of it.
func honest(b []byte) func(http.ResponseWriter, *http.Request, int) {
	return func(w http.ResponseWriter, r *http.Request, _ int) {
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b))
	}
}

// send writes b without buffering.
func send(w http.ResponseWriter, b []byte) {
	w.Write(b)
	w.(http.Flusher).Flush()
}

// drop closes the connection.
func drop() { panic(http.ErrAbortHandler) }

// begin announces all bytes of the requested range, but sends only the first n.
func begin(w http.ResponseWriter, r *http.Request, b []byte, n int) {
	from := 0
	fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from)
	w.Header().Set("Content-Length", fmt.Sprint(len(b)-from))
	if from > 0 {
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(b)-1, len(b)))
		w.WriteHeader(http.StatusPartialContent)
	}
	send(w, b[from:min(from+n, len(b))])
}

func get(t *testing.T, path string, urls ...string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	f := File{URLs: urls, Path: path, Size: int64(len(published)), SHA256: sum(published)}
	return Get(ctx, f, Options{Stall: 300 * time.Millisecond, Pause: time.Millisecond,
		Say: func(text string) { t.Log(text) }})
}

// wantFile fails the test unless path is the published file, and the only one in its folder.
func wantFile(t *testing.T, path string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(b, published) {
		t.Errorf("the file has %d bytes (%v), want the published ones", len(b), err)
	}
	if list, _ := os.ReadDir(filepath.Dir(path)); len(list) != 1 {
		t.Errorf("the folder has %v, want the file alone", list)
	}
}

func TestGetEndsWithTheFile(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer func(w http.ResponseWriter, r *http.Request, n int)
		asked  int64 // at most so many requests
	}{
		{"an honest server", honest(published), 1},
		{"drops every connection", func(w http.ResponseWriter, r *http.Request, _ int) {
			begin(w, r, published, 40_000)
			drop()
		}, 9},
		{"drops before the first byte, three times", func(w http.ResponseWriter, r *http.Request, n int) {
			if n <= 3 {
				drop()
			}
			honest(published)(w, r, n)
		}, 4},
		{"stalls", func(w http.ResponseWriter, r *http.Request, n int) {
			begin(w, r, published, 110_000)
			if n <= 2 {
				<-r.Context().Done()
			}
		}, 4},
		{"stalls before its head", func(w http.ResponseWriter, r *http.Request, n int) {
			if n == 1 {
				<-r.Context().Done()
			}
			honest(published)(w, r, n)
		}, 2},
		{"has no ranges, and drops once", func(w http.ResponseWriter, r *http.Request, n int) {
			r.Header.Del("Range")
			if n == 1 {
				begin(w, r, published, 200_000)
				drop()
			}
			honest(published)(w, r, n)
		}, 2},
		{"answers an earlier range", func(w http.ResponseWriter, r *http.Request, n int) {
			if n == 1 {
				begin(w, r, published, 100_000)
				drop()
			}
			r.Header.Set("Range", "bytes=50000-")
			honest(published)(w, r, n)
		}, 2},
		{"lies about the range once", func(w http.ResponseWriter, r *http.Request, n int) {
			switch n {
			case 1:
				begin(w, r, published, 100_000)
				drop()
			case 2:
				w.Header().Set("Content-Range", "bytes 200000-299999/300000")
				w.WriteHeader(http.StatusPartialContent)
				send(w, published[200_000:])
			default:
				honest(published)(w, r, n)
			}
		}, 3},
		{"says one range and sends another", func(w http.ResponseWriter, r *http.Request, n int) {
			switch n {
			case 1:
				begin(w, r, published, 100_000)
				drop()
			case 2: // of the right length: only the digest shows the error
				w.Header().Set("Content-Range", "bytes 100000-299999/300000")
				w.WriteHeader(http.StatusPartialContent)
				send(w, published[:200_000])
			default:
				honest(published)(w, r, n)
			}
		}, 3},
		{"gives no size", func(w http.ResponseWriter, _ *http.Request, _ int) {
			send(w, published[:1000])
			send(w, published[1000:])
		}, 1},
		{"gives more than the file", func(w http.ResponseWriter, _ *http.Request, _ int) {
			send(w, published)
			send(w, []byte("<!-- served by -->"))
		}, 1},
		{"is busy at first", func(w http.ResponseWriter, r *http.Request, n int) {
			if n <= 4 {
				http.Error(w, "later", http.StatusServiceUnavailable)
				return
			}
			honest(published)(w, r, n)
		}, 5},
		{"says that the archive is encoded", func(w http.ResponseWriter, r *http.Request, n int) {
			w.Header().Set("Content-Encoding", "x-gzip") // as servers do for .gz; the bytes are the file's
			w.Header().Set("Content-Length", fmt.Sprint(len(published)))
			w.Write(published)
		}, 1},
		{"compresses if it may", func(w http.ResponseWriter, r *http.Request, n int) {
			if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
				w.Header().Set("Content-Encoding", "gzip")
				z := gzip.NewWriter(w)
				z.Write(published)
				z.Close()
				return
			}
			honest(published)(w, r, n)
		}, 1},
		{"redirects", func(w http.ResponseWriter, r *http.Request, n int) {
			if r.URL.Path == "/file" {
				http.Redirect(w, r, "/elsewhere", http.StatusFound)
				return
			}
			honest(published)(w, r, n)
		}, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, tt.answer)
			path := filepath.Join(t.TempDir(), "new", "file.tar.gz")
			if err := get(t, path, s.URL+"/file"); err != nil {
				t.Fatal(err)
			}
			wantFile(t, path)
			if n := s.asked.Load(); n > tt.asked {
				t.Errorf("it took %d requests, want at most %d", n, tt.asked)
			}
		})
	}
}

func TestGetGoesToTheNextAddress(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer func(w http.ResponseWriter, r *http.Request, n int)
		asked  int64
	}{
		{"not found", func(w http.ResponseWriter, r *http.Request, _ int) { http.NotFound(w, r) }, 1},
		{"a page in its place", func(w http.ResponseWriter, r *http.Request, _ int) { w.Write([]byte("<html>moved")) },
			1},
		{"wrong bytes", honest(other), 1},
		{"wrong bytes, in two parts", func(w http.ResponseWriter, r *http.Request, n int) {
			begin(w, r, other, 150_000)
			drop()
		}, 6},
		{"never a byte", func(w http.ResponseWriter, r *http.Request, _ int) { <-r.Context().Done() }, 2},
		{"half of it, then nothing more", func(w http.ResponseWriter, r *http.Request, n int) {
			if n > 1 {
				<-r.Context().Done()
			}
			begin(w, r, published, 150_000)
			drop()
		}, 3},
		{"half of another file, then nothing more", func(w http.ResponseWriter, r *http.Request, n int) {
			if n > 1 {
				<-r.Context().Done()
			}
			begin(w, r, other, 150_000)
			drop()
		}, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			bad, good := serve(t, tt.answer), serve(t, honest(published))
			path := filepath.Join(t.TempDir(), "file")
			if err := get(t, path, bad.URL, good.URL); err != nil {
				t.Fatal(err)
			}
			wantFile(t, path)
			if n := bad.asked.Load(); n > tt.asked {
				t.Errorf("the bad address was asked %d times, want at most %d", n, tt.asked)
			}
		})
	}
}

func TestGetSaysWhyThereIsNoFile(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	missing := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) { http.NotFound(w, r) })
	wrong := serve(t, honest(other))
	flaky := serve(t, func(w http.ResponseWriter, r *http.Request, n int) { // each range from another file
		begin(w, r, noise(uint64(n)), 299_999)
		drop()
	})
	unreachable, corrupt := (*UnreachableError)(nil), (*CorruptError)(nil)
	for _, tt := range []struct {
		name string
		urls []string
		as   any
		want []string
	}{
		{"nobody there", []string{closed.URL}, &unreachable, []string{"could not be had", "connection refused"}},
		{"no such page", []string{missing.URL}, &unreachable, []string{"the server says 404 Not Found"}},
		{"no address", []string{"http://[::1"}, &unreachable, []string{"missing ']'"}},
		{"no web address", []string{"gopher://127.0.0.1/"}, &unreachable, []string{"unsupported protocol scheme"}},
		{"wrong bytes", []string{missing.URL, wrong.URL}, &corrupt,
			[]string{"404", "want a file with SHA-256 " + sum(published) + ", got " + sum(other)}},
		{"wrong bytes every time", []string{flaky.URL}, &corrupt, []string{"want a file with SHA-256"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			err := get(t, path, tt.urls...)
			if !errors.As(err, tt.as) {
				t.Fatalf("got %v, want a %T", err, tt.as)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want %s", err, want)
				}
			}
			if _, err := os.Stat(path); err == nil {
				t.Error("there is a file")
			}
		})
	}
}

func TestGetResumes(t *testing.T) {
	t.Parallel()
	var first atomic.Int64
	s := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		if n == 1 {
			begin(w, r, published, 123_456)
			<-r.Context().Done()
			return
		}
		var from int64
		fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from)
		first.Store(from)
		honest(published)(w, r, n)
	})
	path := filepath.Join(t.TempDir(), "file")
	ctx, stop := context.WithCancel(context.Background())
	f := File{URLs: []string{s.URL}, Path: path, Size: int64(len(published)), SHA256: sum(published)}
	err := Get(ctx, f, Options{Observe: func(st State) {
		if st.Have == 123_456 {
			stop()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("stopped: %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("an incomplete file was renamed")
	}
	if err := get(t, path, s.URL); err != nil {
		t.Fatal(err)
	}
	wantFile(t, path)
	if first.Load() != 123_456 {
		t.Errorf("resumed from byte %d, want 123456", first.Load())
	}
}

func TestGetUsesAPartialFile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		left  []byte
		asked int64
	}{
		{"the whole file, without its name", published, 0},
		{"more than the file", append(bytes.Clone(published), 1), 1},
		{"the beginning of another file", other[:1000], 2},
		{"another file", other, 1},
		{"nothing", nil, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, honest(published))
			path := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(path+".part", tt.left, 0o666); err != nil {
				t.Fatal(err)
			}
			if err := get(t, path, s.URL); err != nil {
				t.Fatal(err)
			}
			wantFile(t, path)
			if n := s.asked.Load(); n != tt.asked {
				t.Errorf("%d requests, want %d", n, tt.asked)
			}
		})
	}
}

func TestTwoAtOnceMakeOneFile(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		begin(w, r, published, 1000*n)
		drop()
	})
	path := filepath.Join(t.TempDir(), "file")
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if err := get(t, path, s.URL); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	wantFile(t, path)
}
