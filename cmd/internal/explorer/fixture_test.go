package explorer

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/session"
)

// trainedRuns are the runs of these tests by name, and their settings: two epochs of two steps of the smallest
// networks.
var trainedRuns = map[string][]string{
	"quadratic": {"model.encoding=quadratic"},
	"general":   {"model.encoding=quadratic-general"},
	"learned":   {"model.encoding=learned", "train.epochs=1"},
	"relative":  {"model.encoding=relative", "train.epochs=1"},
	"content":   {"model.encoding=content", "train.epochs=1"},
	"resnet":    {"model.kind=resnet10", "model.width=2", "train.epochs=1"},
	"window":    {"model.encoding=quadratic", "model.window=3", "train.epochs=1"},
	"some-gaussian": {"train.epochs=1",
		"model.layers=[{encoding: quadratic, heads: 2}, {encoding: learned, heads: 3}]"},
	"after-convolution": {"model.encoding=quadratic", "train.epochs=1",
		"model.layers=[{kind: conv, size: 3, heads: 3}, {heads: 3}]"},
}

var made string // folder, once it is there

// folder is where the runs are, made at the first use and removed behind the tests.
var folder = sync.OnceValue(func() string {
	root, err := os.MkdirTemp("", "explorer")
	if err != nil {
		panic(err)
	}
	made = root
	images := sets.Shapes()
	images.Train, images.Test = images.Train.Subset(indices(600)), images.Test.Subset(indices(40))
	for name, set := range trainedRuns {
		settings, err := session.Settings(append([]string{"data.name=shapes32", "data.val_size=40", "model.layers=2",
			"model.heads=3",
			"model.dim=8", "model.ffn=8", "model.pool=8", "train.batch=8", "train.epochs=2",
			"train.limit_train_batches=2"}, set...)...)
		if err == nil {
			_, err = session.Train(context.Background(), session.Options{Settings: settings, Set: images,
				Out:     filepath.Join(root, name),
				NoBoard: true})
		}
		if err != nil {
			panic(fmt.Sprintf("%s: %v", name, err))
		}
	}
	for name, damage := range damaged {
		from, path := filepath.Join(root, "quadratic"), filepath.Join(root, name)
		if err := os.CopyFS(path, os.DirFS(from)); err != nil {
			panic(err)
		}
		rewrite(path, func(status map[string]any) { status["id"], status["name"] = name, name })
		damage(path)
	}
	return root
})

func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// damaged are copies of the run quadratic that something is wrong with, or that still train.
var damaged = map[string]func(path string){
	"running": alive,
	"other-pictures": func(path string) { // of the same classes
		rewrite(path, func(status map[string]any) { status["images"].(map[string]any)["test"] = "00000000" })
	},
	"other-images": func(path string) { // whose classes have other names here
		rewrite(path, func(status map[string]any) {
			status["images"].(map[string]any)["classes"].([]any)[0] = "cat"
		})
	},
	"first-epoch": func(path string) { // a run before its first checkpoint
		remove(path, "checkpoints", "run.ckpt", "summary.json", "epochs.csv", "heads/epoch-001.json",
			"heads/epoch-002.json")
		put(path, "metrics.jsonl", "")
		rewrite(path, func(s map[string]any) { s["state"], s["epoch"], s["step"], s["val_acc"] = "stopped", 0, 0, nil })
	},
	"no-status":    func(path string) { put(path, "run.json", "{") },
	"no-config":    func(path string) { remove(path, "config.yaml") },
	"other-config": func(path string) { put(path, "config.yaml", "model: [1, 2\n") },
	"no-heads":     func(path string) { remove(path, "heads") },
	"half-heads":   func(path string) { put(path, "heads/epoch-001.json", `{"v":1,"layers":[{"cent`) },
	"odd-heads":    func(path string) { put(path, "heads/epoch-001.json", `{"v":1,"epoch":1,"layers":[]}`) },
	"half-metrics": func(path string) { put(path, "metrics.jsonl", "{\"v\":1,\"ev\":\"ep\x00\n\xff\xfe\n{}\n[]\n") },
	"half-weights": func(path string) { cut(path, "best.ckpt"); cut(path, "epoch-001.ckpt") },
	"no-weights":   func(path string) { remove(path, "checkpoints", "run.ckpt") },
	"no-snapshots": func(path string) { remove(path, "checkpoints/epoch-001.ckpt", "checkpoints/epoch-002.ckpt") },
	"huge-epochs": func(path string) {
		rewrite(path, func(s map[string]any) {
			s["epoch"], s["epochs"] = 1<<40,
				1<<40
		})
	},
	"hostile": func(path string) {
		rewrite(path, func(s map[string]any) { s["name"], s["tags"] = hostile, []string{hostile} })
	},
	"a folder's run": func(string) {},
}

// alive makes a run one that another machine trains now.
func alive(path string) {
	rewrite(path, func(s map[string]any) {
		s["state"], s["machine"], s["space"], s["heartbeat"] = "running", "another", "", time.Now()
		delete(s, "locked")
		delete(s, "ended")
	})
}

// hostile is text that would end a script, an attribute or a line.
const hostile = "</script><script>document.title='taken'</script><img src=x onerror=document.title='taken'>\"'\r\n\u2028"

func rewrite(path string, edit func(status map[string]any)) {
	file := filepath.Join(path, "run.json")
	b, err := os.ReadFile(file)
	if err != nil {
		panic(err)
	}
	var status map[string]any
	if err := json.Unmarshal(b, &status); err != nil {
		panic(err)
	}
	edit(status)
	if b, err = json.Marshal(status); err != nil {
		panic(err)
	}
	put(path, "run.json", string(b))
}

func put(path, name, text string) {
	if err := os.WriteFile(filepath.Join(path, name), []byte(text), 0o666); err != nil {
		panic(err)
	}
}

func remove(path string, names ...string) {
	for _, name := range names {
		if err := os.RemoveAll(filepath.Join(path, name)); err != nil {
			panic(err)
		}
	}
}

func cut(path, checkpoint string) {
	if err := os.Truncate(filepath.Join(path, "checkpoints", checkpoint), 700); err != nil {
		panic(err)
	}
}

// server is one for all tests that only ask: it keeps the images, which take seconds to draw.
var server = sync.OnceValue(func() *Server { return New(Options{Runs: folder()}) })

// newRequest is a request of the page.
func newRequest(method string, body io.Reader) *http.Request {
	return httptest.NewRequest(method, "http://localhost:8910/", body)
}

func serve(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	server().ServeHTTP(w, r)
	return w
}

// ask returns the answer to a request; lines are headers, such as "Host: example.org".
func ask(method, target string, body io.Reader, lines ...string) *httptest.ResponseRecorder {
	r := newRequest(method, body)
	r.URL.Path, r.URL.RawQuery, _ = strings.Cut(target, "?")
	if u, err := url.Parse("http://localhost:8910" + target); err == nil {
		r.URL = u
	}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		if r.Header.Set(name, value); name == "Host" {
			r.Host = value
		}
	}
	return serve(r)
}

func entry(path string) run.Entry { return run.At(path) }

// get returns the answer to a request that must succeed.
func get(t testing.TB, target string) []byte {
	t.Helper()
	w := ask(http.MethodGet, target, nil)
	if w.Code != http.StatusOK {
		t.Fatalf("%s: status %d, %s", target, w.Code, w.Body)
	}
	return w.Body.Bytes()
}

// read decodes the answer to a request that must succeed.
func read(t testing.TB, target string, to any) {
	t.Helper()
	if err := json.Unmarshal(get(t, target), to); err != nil {
		t.Fatalf("%s: %v", target, err)
	}
}

// tree returns the files below a folder, with their sizes and times.
func tree(t testing.TB, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	if err := filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
		if err == nil {
			all[path] = fmt.Sprint(info.Size(), info.ModTime(), info.Mode())
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestMain(m *testing.M) {
	code := m.Run()
	if made != "" {
		os.RemoveAll(made)
	}
	os.Exit(code)
}

// unchanged fails if f changes anything in the folder of runs.
func unchanged(t *testing.T, f func()) {
	t.Helper()
	before := tree(t, folder())
	f()
	if after := tree(t, folder()); !maps.Equal(before, after) {
		t.Errorf("the folder of runs has changed: %d files before, %d after", len(before), len(after))
	}
}
