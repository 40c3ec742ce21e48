package explorer

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/attnconv/attnconv/cmd/internal/listing"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/session"
	"github.com/attnconv/attnconv/session/trained"
)

// endpoints are the addresses that belong to a run.
func endpoints(id string) []string {
	id = "/api/v1/runs/" + url.PathEscape(id)
	return []string{id, id + "/epochs/0", id + "/epochs/1", id + "/epochs/2", id + "/epochs/77", id + "/means/0",
		id + "/means/1", id + "/means/77", id + "/untrained", id + "/weights",
		id + "/analysis",
		id + "/attention/0", id + "/attention/0?epoch=0&part=scores", id + "/attention/3?epoch=1&part=content",
		id + "/attention/1?part=position", id + "/attention/99999", id + "/attention/u0"}
}

// Any run may be asked for anything: what it does not have is refused with a reason, and never a fault of the server.
// Nothing is written.
func TestEveryRunAnswers(t *testing.T) {
	names := []string{"nothing"}
	for name := range trainedRuns {
		names = append(names, name)
	}
	for name := range damaged {
		names = append(names, name)
	}
	folder()
	unchanged(t, func() {
		for _, name := range names {
			for _, target := range endpoints(name) {
				w := ask(http.MethodGet, target, nil)
				if w.Code >= 500 {
					t.Errorf("%s: status %d, %s", target, w.Code, w.Body)
				}
				if w.Code != http.StatusOK && !strings.HasPrefix(w.Body.String(), `{"error":"`) {
					t.Errorf("%s: status %d without a reason: %q", target, w.Code, w.Body)
				}
			}
		}
	})
	for _, name := range []string{"quadratic", "running", "general", "learned", "relative", "content", "resnet",
		"no-weights", "first-epoch", "half-heads"} {
		get(t, "/api/v1/runs/"+name)
	}
	for _, tt := range []struct {
		target string
		status int
		want   string
	}{
		{"nothing", 404, `no run \"nothing\"`},
		{"no-status", 404, `no run`},
		{"quadratic/epochs/77", 404, "epoch-077"},
		{"quadratic/epochs/x", 400, "want a whole number from 0"},
		{"quadratic/epochs/-1", 400, "want a whole number from 0"},
		{"content/epochs/1", 404, "Gaussian"},
		{"resnet/epochs/0", 404, "Gaussian"},
		{"window/epochs/1", 404, "Gaussian"},
		{"resnet/means/1", 404, "no attention"},
		{"content/means/77", 404, "epoch-077"},
		{"content/means/x", 400, "want a whole number from 0"},
		{"resnet/attention/0", 404, "no attention"},
		{"content/attention/99999", 404, "no such image"},
		{"content/attention/u0", 404, "no such image"},
		{"content/attention/0?part=all", 400, "want one of weights, scores, content, position"},
		{"content/attention/0?epoch=-1", 400, "want a whole number from 0"},
		{"no-weights/weights", 404, ""},
		{"half-weights/weights", 422, ""},
		{"quadratic/events?since=x", 400, "want an offset in bytes"},
		{"quadratic/events?since=-1", 400, "want an offset in bytes"},
	} {
		w := ask(http.MethodGet, "/api/v1/runs/"+tt.target, nil)
		if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.want) {
			t.Errorf("%s: status %d, %s; want %d and %q", tt.target, w.Code, w.Body, tt.status, tt.want)
		}
	}
}

// A page has no runs: the list is empty, and there are images for the theorem.
func TestNoRuns(t *testing.T) {
	s := New(Options{Runs: t.TempDir() + "/none"})
	list, err := s.List()
	if err != nil || list.Runs == nil || len(list.Runs) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
}

// Only names of this machine are answered, so that no other site can read runs through a name that it points here, and
// no other site's page can send images.
func TestOtherSitesAreRefused(t *testing.T) {
	for host, want := range map[string]int{
		"localhost": 200, "localhost:8910": 200, "127.0.0.1:80": 200, "[::1]:8910": 200, "[::1]": 200,
		"example.org": 403, "localhost.example.org": 403, "127.0.0.1.example.org:8910": 403, "": 403, "10.0.0.1": 403,
	} {
		for _, target := range []string{"/", "/api/v1/runs", "/api/v1/runs/quadratic", "/nothing"} {
			w := ask(http.MethodGet, target, nil, "Host: "+host)
			if want == 403 && w.Code != 403 || want == 200 && w.Code == 403 {
				t.Errorf("host %q, %s: status %d, want %d", host, target, w.Code, want)
			}
		}
	}
	for origin, want := range map[string]int{"http://localhost:8910": 415, "http://LOCALHOST:8910": 415, "": 415,
		"http://127.0.0.1:8910": 403, "http://localhost:8911": 403, "http://localhost": 403, "https://localhost:8910": 403,
		"http://example.org": 403, "https://example.org": 403, "null": 403, "http://localhost.example.org": 403} {
		w := ask(http.MethodPost, "/api/v1/runs/quadratic/images", strings.NewReader("text"), "Host: localhost:8910",
			"Origin: "+origin)
		if w.Code != want {
			t.Errorf("origin %q: status %d, want %d: %s", origin, w.Code, want, w.Body)
		}
	}
	other := New(Options{Runs: folder(), Hosts: []string{"192.168.1.5"}})
	if !other.named("192.168.1.5:8910") || other.named("192.168.1.6:8910") {
		t.Error("an address given with --host is answered, and only that one")
	}
}

// The page's files are in the program; no path leads to any other.
func TestNoOtherFiles(t *testing.T) {
	for _, target := range []string{"/run.json", "/../explorer.go", "/web/../assets.go", "/%2e%2e/%2e%2e/go.mod",
		"/..%2f..%2fgo.mod", "/%2fetc%2fpasswd",
		"/page.js/..", "/web", "/web/page.js", "/.", "/page.js%00", "/C:%5Cboot.ini", "/api/v1", "/api/v2/runs",
		"/api/v1/runs/..", "/api/v1/runs/../runs.go", "/api/v1/runs/%2e%2e", "/api/v1/runs/..%2fexplorer",
		"/api/v1/runs/quadratic%2f..%2fcontent",
		"/api/v1/runs/" + url.PathEscape(folder()+"/quadratic"), "/api/v1/runs/" + url.PathEscape("./quadratic"),
		"/api/v1/runs/latest",
		"/api/v1/runs/quad", "/api/v1/runs/quadratic/checkpoints",
		"/api/v1/runs/quadratic/attention/..%2f..%2frun.json"} {
		w := ask(http.MethodGet, target, nil)
		if to := w.Header().Get("Location"); w.Code/100 == 3 { // a cleaned path
			w = ask(http.MethodGet, to, nil)
		}
		if w.Code != http.StatusNotFound && w.Code != http.StatusBadRequest && !strings.Contains(w.Body.String(),
			"<!doctype html>") &&
			!strings.Contains(target, "attention") {
			t.Errorf("%s: status %d, %.80s", target, w.Code, w.Body)
		}
	}
	for name := range files() {
		w := ask(http.MethodGet, "/"+name, nil)
		if w.Code != 200 || w.Header().Get("Content-Type") == "" ||
			w.Header().Get("Content-Security-Policy") != policy {
			t.Errorf("%s: status %d, %v", name, w.Code, w.Header())
		}
		if w = ask(http.MethodGet, "/"+name, nil,
			"If-None-Match: "+w.Header().Get("ETag")); w.Code != http.StatusNotModified {
			t.Errorf("%s is sent again: status %d", name, w.Code)
		}
	}
}

// The server reads: it has no other methods, except for an image.
func TestMethods(t *testing.T) {
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"} {
		targets := []string{"/", "/page.js", "/api/v1/runs", "/api/v1/runs/quadratic",
			"/api/v1/runs/quadratic/events", "/api/v1/runs/quadratic/images"}
		if method == "POST" {
			targets = targets[:5]
		}
		for _, target := range targets {
			if w := ask(method, target, nil); w.Code != http.StatusMethodNotAllowed {
				t.Errorf("%s %s: status %d", method, target, w.Code)
			}
		}
	}
	w := ask(http.MethodHead, "/api/v1/runs/quadratic", nil)
	if w.Code != 200 {
		t.Errorf("HEAD: status %d", w.Code)
	}
}

// Answers are plain data under a strict policy, whatever a run is named.
func TestHeaders(t *testing.T) {
	for _, target := range []string{"/", "/api/v1/runs", "/api/v1/runs/hostile", "/api/v1/runs/nothing", "/nothing",
		"/api/v1/runs/quadratic/weights"} {
		h := ask(http.MethodGet, target, nil).Header()
		for name, want := range map[string]string{"Content-Security-Policy": policy,
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"Cross-Origin-Resource-Policy": "same-origin"} {
			if h.Get(name) != want {
				t.Errorf("%s: %s is %q", target, name, h.Get(name))
			}
		}
		if kind := h.Get("Content-Type"); target != "/" && strings.HasPrefix(kind, "text/html") || kind == "" {
			t.Errorf("%s is sent as %q", target, kind)
		}
		if h.Get("Set-Cookie") != "" || h.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %v", target, h)
		}
	}
	for _, word := range []string{"unsafe", "http:", "https:", "*", "blob:"} {
		if strings.Contains(policy, word) {
			t.Errorf("the policy allows %s", word)
		}
	}
	if strings.Contains(string(get(t, "/api/v1/runs/hostile")), "<script") {
		t.Error("a run's name is sent with its brackets")
	}
}

// The page has no centers of Gaussian heads that see only a window: what it would compute of them is not their
// attention. It asks for their maps, in which a query sees 9 tokens at most.
func TestWindowIsServed(t *testing.T) {
	var d Document
	if read(t, "/api/v1/runs/window", &d); len(d.Heads) > 0 || len(d.Run.Heads) != 2 {
		t.Errorf("%d frames of heads %v", len(d.Heads), d.Run.Heads)
	}
	line, values, _ := bytes.Cut(get(t, "/api/v1/runs/window/attention/0"), []byte("\n"))
	var maps Maps
	if err := json.Unmarshal(line, &maps); err != nil {
		t.Fatal(err)
	}
	n := maps.Layers[0].Tokens
	for q := range n {
		if seen := n - bytes.Count(values[q*n:(q+1)*n], []byte{0}); seen < 1 || seen > 9 {
			t.Errorf("token %d sees %d tokens", q, seen)
		}
	}
}

// A client that has an answer already is told so, and a large answer is compressed for one that can read it.
func TestAnswersAreTaggedAndCompressed(t *testing.T) {
	const target = "/api/v1/runs/quadratic/images"
	plain := ask(http.MethodGet, target, nil)
	tag := "If-None-Match: " + plain.Header().Get("ETag")
	if w := ask(http.MethodGet, target, nil, tag); w.Code != http.StatusNotModified || w.Body.Len() > 0 {
		t.Errorf("asked again: status %d, %d bytes", w.Code, w.Body.Len())
	}
	small := ask(http.MethodGet, target, nil, "Accept-Encoding: gzip")
	r, err := gzip.NewReader(small.Body)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(r); err != nil || string(b) != plain.Body.String() {
		t.Errorf("%d bytes, %v; want %d", len(b), err, plain.Body.Len())
	}
}

// The table of runs follows a run whose settings change.
func TestListFollowsSettings(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"one", "two"} {
		path := filepath.Join(root, name)
		if err := os.CopyFS(path, os.DirFS(filepath.Join(folder(), "quadratic"))); err != nil {
			t.Fatal(err)
		}
		rewrite(path, func(status map[string]any) { status["id"] = name; delete(status, "config_sha256") })
	}
	s, lr := New(Options{Runs: root}), regexp.MustCompile(`(?m)^( +lr): .*$`)
	for i, want := range []string{"", "0.5", "0.25"} {
		if i > 0 {
			b, err := os.ReadFile(filepath.Join(root, "two", "config.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			put(root, "two/config.yaml", lr.ReplaceAllString(string(b), "$1: "+want))
		}
		list, err := s.List()
		if err != nil || len(list.Runs) != 2 {
			t.Fatalf("%d runs, %v", len(list.Runs), err)
		}
		of := map[string]string{}
		for _, r := range list.Runs {
			of[r.ID] = r.Settings["train.lr"]
		}
		if of["two"] != want || (of["one"] == "") != (want == "") {
			t.Errorf("lr %q: the list has %v", want, of)
		}
	}
}

// The page has the classes of the run. Images of other classes are not shown, and a note says why; other pictures of
// the same classes are shown, with a note of their digests.
func TestOtherImages(t *testing.T) {
	folder()
	var d Document
	read(t, "/api/v1/runs/other-images", &d)
	other, same := sampleOf(t, "other-images"), sampleOf(t, "other-pictures")
	if d.Classes[0] != "cat" || len(other.Images) > 0 || !strings.Contains(other.Note, `was "cat"`) {
		t.Errorf("classes %q, %d images, note %q: want those of the run, none, and why", d.Classes, len(other.Images),
			other.Note)
	}
	if len(same.Images) != sampleSize || !strings.Contains(same.Note, "test 00000000") {
		t.Errorf("%d images, note %q: want images, and both digests", len(same.Images), same.Note)
	}
	if own := sampleOf(t, "quadratic"); own.Note != "" || len(own.Images) != sampleSize {
		t.Errorf("note %q of a run whose %d images are here", own.Note, len(own.Images))
	}
}

// The networks that were used last stay in memory.
func TestNetworksAreKept(t *testing.T) {
	var m models
	read := 0
	load := func(i int) *loaded {
		open := func() (*trained.Model, error) { read++; return &trained.Model{}, nil }
		l, err := m.load(fmt.Sprint(i), time.Time{}, open)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	for i := range mostModels + 1 {
		load(i)
	}
	if load(mostModels); read != mostModels+1 {
		t.Error("the newest network was read again")
	}
	if load(0); read != mostModels+2 {
		t.Error("the oldest network was not dropped")
	}
	if len(m.list) != mostModels {
		t.Errorf("%d networks are kept, want %d", len(m.list), mostModels)
	}
}

// A network that is too large for the page is refused, and not sent.
func TestLargeNetworkIsRefused(t *testing.T) {
	config, err := session.Settings("model.layers=1", "model.heads=1", "model.dim=1024", "model.ffn=2048", "model.pool=8")
	if err != nil {
		t.Fatal(err)
	}
	net, err := model.New(config.Model, 0)
	if err != nil {
		t.Fatal(err)
	}
	path, err := run.Checkpoint(filepath.Join(folder(), "quadratic"))
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	s := New(Options{Runs: folder()})
	s.models.list = []*loaded{{path: path, when: info.ModTime(), Model: &trained.Model{Path: path, Net: net}}}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost/api/v1/runs/quadratic/weights", nil))
	if size := 4 * net.Spec.Params(); size < mostWeights || size > 2*mostWeights ||
		w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("status %d for %d bytes: want a refusal of more than %d", w.Code, size, mostWeights)
	}
}

// Runs are compared with the first one that is named; no differences of runs that were asked to do different things.
func TestCompare(t *testing.T) {
	folder()
	var d listing.Differences
	read(t, "/api/v1/compare?runs=general,quadratic", &d)
	if len(d.Mixed) > 0 || len(d.Rows) != 2 || d.Baseline != "quadratic-general" || d.Rows[0].Name != d.Baseline ||
		!d.Rows[1].Diff.Known() {
		t.Errorf("%+v", d)
	}
	read(t, "/api/v1/compare?runs=learned,general,quadratic", &d) // of one epoch, and of two
	if len(d.Rows) > 0 || d.Mixed[0].Key != "train.epochs" || len(d.Mixed[0].Values) != 2 {
		t.Errorf("%+v", d)
	}
	for runs, want := range map[string]int{"": 404, "../learned": 404, "learned,": 404,
		strings.Repeat("learned,", 40) + "learned": 400} {
		if w := ask(http.MethodGet, "/api/v1/compare?runs="+runs, nil); w.Code != want {
			t.Errorf("%.20q: status %d, want %d", runs, w.Code, want)
		}
	}
}
