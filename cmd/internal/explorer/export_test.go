package explorer

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/cmd/internal/listing"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/session"
)

func exported(t *testing.T, name string) string {
	t.Helper()
	b, err := server().Export(t.Context(), ExportOptions{}, run.At(filepath.Join(folder(), name)))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return string(b)
}

// between returns the only text between two others.
func between(t *testing.T, page, from, to string) string {
	t.Helper()
	parts := strings.Split(page, from)
	if len(parts) != 2 {
		t.Fatalf("%d times %q, want it once", len(parts)-1, from)
	}
	text, _, ok := strings.Cut(parts[1], to)
	if !ok {
		t.Fatalf("no %q behind %q", to, from)
	}
	return text
}

// onlyRun returns the run that the data of a page are of.
func onlyRun(t *testing.T, inside string) inFile {
	t.Helper()
	var d struct {
		Order []string
		Of    map[string]inFile
	}
	if err := json.Unmarshal([]byte(inside), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Order) != 1 || len(d.Of) != 1 {
		t.Fatalf("runs %q", d.Order)
	}
	return d.Of[d.Order[0]]
}

// An inFile is what an exported page has of a run.
type inFile struct {
	Run       Document
	Images    Sample
	Means     map[int]Means
	Attention map[string]struct {
		Head  json.RawMessage
		Bytes string
	}
}

// An exported page runs its own script and style, by their digests, and asks for nothing. No text of a run ends its
// data.
func TestExport(t *testing.T) {
	for _, name := range []string{"quadratic", "general", "content", "resnet", "hostile", "no-weights", "first-epoch",
		"half-weights"} {
		page := exported(t, name)
		policy := between(t, page, `<meta http-equiv="Content-Security-Policy" content="`, `"`)
		for kind, text := range map[string]string{"script-src": between(t, page, "<script>", "</script>"),
			"style-src": between(t, page, "<style>", "</style>")} {
			sum := sha256.Sum256([]byte(text))
			want := kind + " &#39;sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "&#39;;"
			if !strings.Contains(policy, want) {
				t.Errorf("%s: the policy %s has not %s", name, policy, want)
			}
		}
		if !strings.Contains(policy, "default-src &#39;none&#39;") || strings.Contains(policy, "unsafe") ||
			strings.Contains(policy, "connect-src") {
			t.Errorf("%s: policy %s", name, policy)
		}
		inside := between(t, page, `<script type="application/json" id="data">`, "</script>")
		d := onlyRun(t, inside).Run
		if d.Run.ID == "" || strings.ContainsAny(inside, "<>\u2028") {
			t.Errorf("%s: run %q, and its data have brackets", name, d.Run.ID)
		}
		if n := strings.Count(strings.ToLower(page), "</script"); n != 2 {
			t.Errorf("%s: %d scripts end, want 2", name, n)
		}
		if found := regexp.MustCompile(`(?i)(src|href)="?(http|//|[a-z]+\.(js|css))|@import|\burl\([^#]`).FindString(page); found != "" {
			t.Errorf("%s asks for %s", name, found)
		}
		if strings.Contains(page, os.TempDir()) && !strings.Contains(d.Run.Path, os.TempDir()) {
			t.Errorf("%s names a folder of this machine", name)
		}
		if name == "quadratic" && len(page) > 1<<20 {
			t.Errorf("%d bytes, want under 1 MB", len(page))
		}
	}
}

// An exported page has the analysis in the folder of its run; a folder without one, or with a file that is none, has no
// view of it.
func TestExportHasAnalysis(t *testing.T) {
	root := copied(t, "quadratic", "learned", "resnet")
	put(root, "quadratic/analysis.json", `{"v":1,"source":"`+"</script>"+`","verdict":["it is"],"layers":[{"layer":1}]}`)
	put(root, "learned/analysis.json", `{"v":1,`)
	s := New(Options{Runs: root})
	for name, want := range map[string]bool{"quadratic": true, "learned": false, "resnet": false} {
		page, err := s.Export(t.Context(), ExportOptions{}, run.At(filepath.Join(root, name)))
		if err != nil {
			t.Fatal(err)
		}
		inside := between(t, string(page), `<script type="application/json" id="data">`, "</script>")
		var d struct {
			Of map[string]struct{ Analysis *parsed }
		}
		if err := json.Unmarshal([]byte(inside), &d); err != nil {
			t.Fatal(err)
		}
		for _, of := range d.Of {
			if (of.Analysis != nil) != want || want && of.Analysis.Analysis.Verdict[0] != "it is" {
				t.Errorf("%s: %+v", name, of.Analysis)
			}
		}
	}
}

// A page of several runs has how each compares with those that were asked to do the same, as the server answers, and
// in what all differ.
func TestExportCompares(t *testing.T) {
	var entries []run.Entry
	for _, name := range []string{"general", "quadratic", "learned"} { // of two epochs, of two and of one
		entries = append(entries, run.At(filepath.Join(folder(), name)))
	}
	page, err := server().Export(t.Context(), ExportOptions{}, entries...)
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Compared map[string]listing.Differences
	}
	inside := between(t, string(page), `<script type="application/json" id="data">`, "</script>")
	if err := json.Unmarshal([]byte(inside), &d); err != nil {
		t.Fatal(err)
	}
	var want listing.Differences
	read(t, "/api/v1/compare?runs=general,quadratic", &want)
	got := d.Compared[entries[0].Status.ID]
	if len(d.Compared) != 3 || fmt.Sprint(got.Rows) != fmt.Sprint(want.Rows) || got.Baseline != want.Baseline {
		t.Errorf("%+v, want %+v", d.Compared, want)
	}
	if len(got.Mixed) != 1 || got.Mixed[0].Key != "train.epochs" || len(d.Compared[entries[2].Status.ID].Rows) != 1 {
		t.Errorf("%+v", d.Compared)
	}
}

// Names of classes and folders are text, on the server and in an exported page.
func TestHostileNames(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("such names are not allowed there")
	}
	const name = "<img src=x onerror=alert(1)>"
	pictures, root := filepath.Join(t.TempDir(), "pictures"), t.TempDir()
	for _, class := range []string{name, "<!--<script>", `"'&amp;`} {
		for i := range 12 {
			dir := filepath.Join(pictures, class)
			if err := os.MkdirAll(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			put(dir, fmt.Sprint(i, ".png"), string(picture(t, 32, 32+i)))
		}
	}
	settings, err := session.Settings("data.name="+pictures, "data.val_size=6", "model.layers=1", "model.heads=2",
		"model.dim=4", "model.ffn=4",
		"model.pool=8", "train.batch=4", "train.epochs=1", "train.limit_train_batches=1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := session.Train(t.Context(), session.Options{Settings: settings, Out: filepath.Join(root, name),
		NoBoard: true}); err != nil {
		t.Fatal(err)
	}
	s := New(Options{Runs: root})
	page, err := s.Export(t.Context(), ExportOptions{}, run.At(filepath.Join(root, name)))
	if err != nil {
		t.Fatal(err)
	}
	inside := between(t, string(page), `<script type="application/json" id="data">`, "</script>")
	d := onlyRun(t, inside).Run
	if !slices.Contains(d.Classes, name) || strings.ContainsAny(inside, "<>") {
		t.Errorf("classes %q", d.Classes)
	}
	if filepath.Base(d.Run.Path) != name {
		t.Errorf("path %q", d.Run.Path)
	}
}
