package explorer

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// told is a line of the answer to a measurement, as a client sees it.
type told struct {
	Stage  string
	Part   float64
	Error  string
	Result *parsed
}

// parsed is what a client reads of an analysis.
type parsed struct {
	File     string
	Time     time.Time
	Old      bool
	Analysis *struct {
		Source  string
		Verdict []string
		Layers  []struct {
			Layer    int
			Shares   map[string]float64
			Kernel   [][]float64
			Profiles *struct{ Count int }
		}
		Unchanged *struct{ Acc float64 }
	}
}

// copied is a folder of runs with copies of some of the tests' runs.
func copied(t *testing.T, names ...string) (root string) {
	t.Helper()
	root = t.TempDir()
	for _, name := range names {
		if err := os.CopyFS(filepath.Join(root, name), os.DirFS(filepath.Join(folder(), name))); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// listening serves a folder of runs on a port, as the command does, and returns its address.
func listening(t *testing.T, root string) (address string, s *Server) {
	t.Helper()
	s = New(Options{Runs: root})
	h := httptest.NewUnstartedServer(s)
	h.Config.ReadTimeout = 50 * time.Millisecond // shorter than a measurement
	h.Config.IdleTimeout = time.Minute           // else as short: a connection that is used again may just be closed
	h.Start()
	t.Cleanup(h.Close)
	return h.URL, s
}

// measuring asks for a measurement. Its body is read by lines.
func measuring(ctx context.Context, t *testing.T, address, target string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address+"/api/v1/runs/"+target, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	return answer
}

func lines(t *testing.T, body io.Reader) (all []told) {
	t.Helper()
	sc := bufio.NewScanner(body)
	sc.Buffer(nil, 1<<24)
	for sc.Scan() {
		var l told
		if err := json.Unmarshal(sc.Bytes(), &l); err != nil {
			t.Fatalf("%s: %v", sc.Bytes(), err)
		}
		all = append(all, l)
	}
	if len(all) == 0 || sc.Err() != nil {
		t.Fatalf("%d lines, %v", len(all), sc.Err())
	}
	return all
}

func analysisOf(t *testing.T, s *Server, name string) (status int, reason string, d parsed) {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "http://localhost/api/v1/runs/"+name+"/analysis", nil)
	s.ServeHTTP(w, r)
	var e struct{ Error string }
	json.Unmarshal(w.Body.Bytes(), &e)
	json.Unmarshal(w.Body.Bytes(), &d)
	return w.Code, e.Error, d
}

// A measurement says what it does, outlives the read timeout of a request, and ends with shares that add up to one and
// are those of the other views. Then the page has it, and nothing was written. A run with another checkpoint has none.
func TestMeasure(t *testing.T) {
	root := copied(t, "quadratic", "resnet")
	address, s := listening(t, root)
	if status, _, d := analysisOf(t, s, "quadratic"); status != http.StatusOK || d.Analysis != nil {
		t.Fatalf("before: status %d, %v", status, d)
	}
	before := tree(t, root)
	begin := time.Now()
	answer := measuring(t.Context(), t, address, "quadratic/analysis")
	all := lines(t, answer.Body)
	if answer.StatusCode != http.StatusOK || len(all) < 3 || all[len(all)-1].Result == nil {
		t.Fatalf("status %d, %v", answer.StatusCode, all)
	}
	t.Logf("%d lines in %v", len(all), time.Since(begin))
	if !slices.ContainsFunc(all, func(l told) bool { return strings.Contains(l.Stage, "untrained networks") }) {
		t.Errorf("no stage names untrained networks: %v", all[:len(all)-1])
	}
	d := all[len(all)-1].Result
	if len(d.Analysis.Layers) != 2 || len(d.Analysis.Verdict) != 4 || d.File != "" || d.Old {
		t.Fatalf("%+v", d)
	}
	var epochs [2]struct{ Shares []struct{ Within3 float64 } } // one of them is measured, the best
	for i := range epochs {
		read(t, fmt.Sprintf("/api/v1/runs/quadratic/epochs/%d", i+1), &epochs[i])
	}
	for i, l := range d.Analysis.Layers {
		sum, within := 0.0, l.Shares["k1"]+l.Shares["k3"]
		for _, v := range l.Shares {
			sum += v
		}
		off := min(math.Abs(within-epochs[0].Shares[i].Within3), math.Abs(within-epochs[1].Shares[i].Within3))
		if math.Abs(sum-1) > 1e-9 || off > 1e-9 ||
			l.Profiles == nil || l.Profiles.Count < 1 || l.Profiles.Count > 3 || len(l.Kernel) > 0 {
			t.Errorf("layer %d: %+v; the epochs have %v", i+1, l, epochs)
		}
	}
	_, _, again := analysisOf(t, s, "quadratic")
	if again.Analysis == nil || again.Analysis.Verdict[2] != d.Analysis.Verdict[2] {
		t.Errorf("afterwards the page has %+v", again)
	}
	if after := tree(t, root); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Error("a measurement wrote into the folder of runs")
	}
	now := time.Now().Add(time.Minute)
	for _, name := range []string{"run.ckpt", "checkpoints/best.ckpt"} {
		os.Chtimes(filepath.Join(root, "quadratic", name), now, now)
	}
	if _, _, d := analysisOf(t, s, "quadratic"); d.Analysis != nil {
		t.Error("the page has an analysis of weights that are gone")
	}
	all = lines(t, measuring(t.Context(), t, address, "resnet/analysis").Body)
	if r := all[len(all)-1].Result; r == nil || len(r.Analysis.Layers) == 0 || r.Analysis.Layers[0].Shares != nil {
		t.Errorf("resnet: %+v", all[len(all)-1])
	}
}

// A measurement stops when the client goes. Until then another one is refused, of any run.
func TestMeasurementIsCanceled(t *testing.T) {
	root := copied(t, "quadratic", "learned")
	address, s := listening(t, root)
	ctx, cancel := context.WithCancel(t.Context())
	first := bufio.NewReader(measuring(ctx, t, address, "quadratic/analysis?of=all").Body)
	for text := ""; !strings.Contains(text, "regressions"); { // well under way: the images are read
		var err error
		if text, err = first.ReadString('\n'); err != nil || strings.Contains(text, `"result"`) {
			t.Fatalf("%q, %v", text, err)
		}
	}
	second := measuring(t.Context(), t, address, "learned/analysis")
	if b, _ := io.ReadAll(second.Body); second.StatusCode != http.StatusConflict ||
		!strings.Contains(string(b), "being measured already") {
		t.Errorf("a second one: status %d, %s", second.StatusCode, b)
	}
	cancel()
	begin := time.Now()
	for len(s.measuring) > 0 {
		if time.Since(begin) > 10*time.Second {
			t.Fatal("10 s after the client has gone, the run is still being measured")
		}
		time.Sleep(time.Millisecond)
	}
	t.Logf("canceled within %v", time.Since(begin))
	if _, _, d := analysisOf(t, s, "quadratic"); d.Analysis != nil {
		t.Error("a canceled measurement has a result")
	}
	all := lines(t, measuring(t.Context(), t, address, "learned/analysis").Body)
	if all[len(all)-1].Result == nil {
		t.Errorf("after that: %+v", all)
	}
}

// What a client may not ask for is refused before anything is measured.
func TestMeasurementIsRefused(t *testing.T) {
	for _, tt := range []struct {
		method, target, header string
		status                 int
		want                   string
	}{
		{"POST", "quadratic/analysis?of=everything", "", 400, "want one of weights, all"},
		{"POST", "nothing/analysis", "", 404, "no run"},
		{"POST", "..%2f..%2fetc/analysis", "", 404, ""},
		{"POST", "no-weights/analysis", "", 404, "checkpoint"},
		{"POST", "half-weights/analysis", "", 422, ""},
		{"POST", "quadratic/analysis", "Origin: http://example.org", 403, "another page"},
		{"POST", "quadratic/analysis", "Host: example.org", 403, "another name"},
		{"DELETE", "quadratic/analysis", "", 405, ""},
		{"GET", "nothing/analysis", "", 404, "no run"},
	} {
		var headers []string
		if tt.header != "" {
			headers = append(headers, tt.header)
		}
		w := ask(tt.method, "/api/v1/runs/"+tt.target, nil, headers...)
		if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.want) {
			t.Errorf("%s %s: status %d, %s; want %d and %q", tt.method, tt.target, w.Code, w.Body, tt.status, tt.want)
		}
	}
	if len(server().measuring) > 0 {
		t.Error("a refused measurement holds the place of the next one")
	}
}

// The analysis in a run's folder is shown, whatever its texts are; a file that is none is refused with a reason.
func TestSavedAnalysis(t *testing.T) {
	root := copied(t, "quadratic")
	s := New(Options{Runs: root})
	file := filepath.Join(root, "quadratic", "analysis.json")
	good := `{"v":1,"source":` + string(must(json.Marshal(hostile))) + `,"verdict":["a","b","c"],"layers":[{"layer":1,` +
		`"shares":{"k1":0.5,"k3":0.25,"k5":0,"k7":0,"larger":0,"place":0.25},"kernel":[[1]],` +
		`"null":{"within3":{"mean":null},"within3_draws":[1,2]}}]}`
	put(root, "quadratic/analysis.json", good)
	_, _, d := analysisOf(t, s, "quadratic")
	if d.File != "analysis.json" || d.Old || d.Analysis == nil || d.Analysis.Source == "" ||
		d.Analysis.Layers[0].Shares["k1"] != 0.5 || len(d.Analysis.Layers[0].Kernel) > 0 {
		t.Errorf("%+v", d)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost/api/v1/runs/quadratic/analysis", nil))
	if strings.ContainsAny(w.Body.String(), "<>\u2028") || strings.Contains(w.Body.String(), "draws\":[1") {
		t.Errorf("sent: %s", w.Body)
	}
	year := time.Now().AddDate(-1, 0, 0)
	os.Chtimes(file, year, year)
	if _, _, d := analysisOf(t, s, "quadratic"); !d.Old {
		t.Error("an analysis of last year is not old")
	}
	for name, write := range map[string]func(){
		"half":          func() { put(root, "quadratic/analysis.json", good[:len(good)/2]) },
		"empty":         func() { put(root, "quadratic/analysis.json", "") },
		"many runs":     func() { put(root, "quadratic/analysis.json", `{"v":1,"runs":[`+good+`],"seeds":[]}`) },
		"another thing": func() { put(root, "quadratic/analysis.json", `[1,2]`) },
		"a word":        func() { put(root, "quadratic/analysis.json", `{"v":1,"layers":"many"}`) },
		"deep":          func() { put(root, "quadratic/analysis.json", strings.Repeat(`{"layers":[`, 100000)) },
		"large":         func() { os.Truncate(file, mostAnalysis+1) },
		"a folder":      func() { remove(root, "quadratic/analysis.json"); os.Mkdir(file, 0o777) },
	} {
		remove(root, "quadratic/analysis.json")
		put(root, "quadratic/analysis.json", good)
		write()
		status, reason, d := analysisOf(t, s, "quadratic")
		if status != http.StatusUnprocessableEntity || !strings.HasPrefix(reason, "analysis.json: ") ||
			d.Analysis != nil {
			t.Errorf("%s: status %d, %q", name, status, reason)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A folder that vanishes while its run is open, or measured, is an answer and no fault.
func TestVanishedRun(t *testing.T) {
	root := copied(t, "quadratic", "learned")
	address, s := listening(t, root)
	if status, reason, _ := analysisOf(t, s, "learned"); status != http.StatusOK {
		t.Fatal(status, reason)
	}
	remove(root, "learned")
	if status, reason, _ := analysisOf(t, s, "learned"); status != http.StatusNotFound || reason == "" {
		t.Errorf("read: status %d, %q", status, reason)
	}
	if answer := measuring(t.Context(), t, address, "learned/analysis"); answer.StatusCode != http.StatusNotFound {
		t.Errorf("measured: status %d", answer.StatusCode)
	}
	answer := measuring(t.Context(), t, address, "quadratic/analysis")
	remove(root, "quadratic")
	all := lines(t, answer.Body)
	if last := all[len(all)-1]; last.Result == nil && last.Error == "" {
		t.Errorf("a run that vanishes ends with %+v", last)
	}
	if len(s.measuring) > 0 {
		t.Error("it still holds the place of the next one")
	}
}
