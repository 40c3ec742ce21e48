package explorer

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/attnconv/attnconv/session/trained"
)

// picture is a PNG of an odd size.
func picture(t testing.TB, cols, rows int) []byte {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, cols, rows))
	for y := range rows {
		for x := range cols {
			img.Set(x, y, color.NRGBA{byte(5 * x), byte(7 * y), byte(x * y), 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// claiming is a PNG whose header claims a size, with a valid check sum.
func claiming(t testing.TB, cols, rows uint32) []byte {
	b := bytes.Clone(picture(t, 3, 3))
	binary.BigEndian.PutUint32(b[16:], cols)
	binary.BigEndian.PutUint32(b[20:], rows)
	binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
	return b
}

func send(run string, body io.Reader) (status int, reason string, u Upload) {
	w := ask(http.MethodPost, "/api/v1/runs/"+run+"/images", body)
	var e struct{ Error string }
	json.Unmarshal(w.Body.Bytes(), &e)
	json.Unmarshal(w.Body.Bytes(), &u)
	return w.Code, e.Error, u
}

// A file that is not an image, or is too large, is refused soon and with a reason, and nothing is kept of it.
func TestRefusedUploads(t *testing.T) {
	whole := picture(t, 41, 23)
	kept := len(server().uploads.keys)
	for _, tt := range []struct {
		name   string
		body   io.Reader
		status int
		want   string
	}{
		{"text", strings.NewReader("an image, honestly"), 415, "cannot read it as an image"},
		{"nothing", strings.NewReader(""), 415, "cannot read it as an image"},
		{"half", bytes.NewReader(whole[:len(whole)/2]), 415, ""},
		{"signature", bytes.NewReader(whole[:8]), 415, ""},
		{"SVG", strings.NewReader("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"), 415, ""},
		{"a billion pixels", bytes.NewReader(claiming(t, 1<<15, 1<<15)), 415, ""},
		{"the largest PNG", bytes.NewReader(claiming(t, math.MaxInt32, math.MaxInt32)), 415, ""},
		{"50 MB", io.LimitReader(zeros{}, 50<<20), 413, "at most 8 MB"},
		{"50 MB behind a PNG", io.MultiReader(bytes.NewReader(whole), io.LimitReader(zeros{}, 50<<20)), 413,
			"at most 8 MB"},
		{"25 Mi pixels and some", bytes.NewReader(claiming(t, 1<<10, 25<<10+1)), 415, "at most 25 Mi on this page"},
		{"25 Mi pixels", bytes.NewReader(claiming(t, 1<<10, 25<<10)), 415, "cannot read it as an image"}, // it has 9
	} {
		begin := time.Now()
		status, reason, _ := send("quadratic", tt.body)
		if status != tt.status || !strings.Contains(reason, tt.want) || reason == "" {
			t.Errorf("%s: status %d, %q; want %d and %q", tt.name, status, reason, tt.status, tt.want)
		}
		if took := time.Since(begin); took > uploadTime {
			t.Errorf("%s took %v", tt.name, took)
		}
	}
	if n := len(server().uploads.keys); n > kept+1 {
		t.Errorf("%d refused images are kept", n-kept)
	}
	for run, want := range map[string]int{"nothing": 404, "no-weights": 404, "half-weights": 422, "no-status": 404,
		"../quadratic": 404} {
		if status, reason, _ := send(strings.ReplaceAll(run, "/", "%2f"), bytes.NewReader(whole)); status != want ||
			reason == "" {
			t.Errorf("an image for %s: status %d, %q; want %d", run, status, reason, want)
		}
	}
}

// Images wait for each other, which does not count as their time. If too many wait, the next one is to come again.
func TestManyUploads(t *testing.T) {
	s, b := New(Options{Runs: folder()}), picture(t, 9, 9)
	post := func() *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "http://localhost/api/v1/runs/quadratic/images",
			bytes.NewReader(b)))
		return w
	}
	s.decoding.Lock() // of a large image
	var all sync.WaitGroup
	for range mostUploading {
		all.Go(func() {
			if w := post(); w.Code != http.StatusOK {
				t.Errorf("an image that waited: status %d, %s", w.Code, w.Body)
			}
		})
	}
	for len(s.uploading) < mostUploading {
		time.Sleep(time.Millisecond)
	}
	if w := post(); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != retryAfter {
		t.Errorf("one too many: status %d, to come again after %q", w.Code, w.Header().Get("Retry-After"))
	}
	s.decoding.Unlock()
	all.Wait()
	if w := post(); w.Code != http.StatusOK {
		t.Errorf("after them: status %d, %s", w.Code, w.Body)
	}
}

// gone is the connection of a client that went away: nothing can be written. It counts the statuses of its response.
type gone struct {
	http.ResponseWriter
	statuses int
}

func (g *gone) WriteHeader(int) { g.statuses++ }
func (g *gone) Write([]byte) (int, error) {
	g.statuses = max(1, g.statuses)
	return 0, io.ErrClosedPipe
}

// A client that goes away while it is answered gets no second status, about which net/http would complain in the user's
// terminal.
func TestClientGoes(t *testing.T) {
	for _, target := range []string{"", "page.js", "api/v1/runs", "api/v1/runs/quadratic", "api/v1/samples",
		"api/v1/runs/quadratic/epochs/1", "api/v1/runs/quadratic/weights", "api/v1/runs/quadratic/attention/0"} {
		w := &gone{ResponseWriter: httptest.NewRecorder()}
		server().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost/"+target, nil))
		if w.statuses != 1 {
			t.Errorf("/%s: %d statuses, want 1", target, w.statuses)
		}
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// An image of any size is classified as predict classifies it, and its attention can be asked for. Only the last ones
// are kept. Nothing is written.
func TestUploads(t *testing.T) {
	b := picture(t, 41, 23)
	file := filepath.Join(t.TempDir(), "own.png")
	if err := os.WriteFile(file, b, 0o666); err != nil {
		t.Fatal(err)
	}
	folder()
	unchanged(t, func() {
		for _, run := range []string{"quadratic", "content", "resnet", "running"} {
			m, err := trained.Open(filepath.Join(folder(), run))
			if err != nil {
				t.Fatal(err)
			}
			images, names, err := trained.ReadImages(nil, m.Format(), file)
			if err != nil {
				t.Fatal(err)
			}
			want, err := m.Predict(t.Context(), images, names, trained.PredictOptions{})
			if err != nil {
				t.Fatal(err)
			}
			status, reason, u := send(run, bytes.NewReader(b))
			if status != 200 || len(u.Classes) != len(want[0].Classes) || len(u.Image.RGB) != 3*32*32 {
				t.Fatalf("%s: status %d, %s, %d classes", run, status, reason, len(u.Classes))
			}
			for i, c := range u.Classes {
				if c != want[0].Classes[i] {
					t.Errorf("%s, class %d: %v, predict says %v", run, i, c, want[0].Classes[i])
				}
			}
			if run == "content" {
				get(t, "/api/v1/runs/content/attention/"+u.Key)
			}
		}
		_, _, first := send("content", bytes.NewReader(b))
		for i := range mostUploads + 2 {
			if status, reason, _ := send("content", bytes.NewReader(picture(t, 5+i, 9))); status != 200 {
				t.Fatalf("status %d, %s", status, reason)
			}
		}
		if u := &server().uploads; len(u.keys) != mostUploads || len(u.of) != mostUploads {
			t.Errorf("%d keys and %d images are kept, want %d", len(u.keys), len(u.of), mostUploads)
		}
		if w := ask(http.MethodGet, "/api/v1/runs/content/attention/"+first.Key, nil); w.Code != http.StatusNotFound {
			t.Errorf("the oldest image: status %d", w.Code)
		}
	})
}
