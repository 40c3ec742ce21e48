package report

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/attnconv/attnconv/cmd/internal/explorer"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/session"
	"github.com/attnconv/attnconv/study"
)

// images are 60 of each part, drawn once.
var images = sync.OnceValue(func() *data.Set {
	set, some := sets.Shapes(), make([]int, 60)
	for i := range some {
		some[i] = i
	}
	set.Train, set.Test = set.Train.Subset(some), set.Test.Subset(some)
	return set
})

// train trains the smallest networks: a step or two each. Each name has the settings behind its colon.
func train(t *testing.T, root string, runs ...string) (entries []run.Entry) {
	t.Helper()
	for _, one := range runs {
		name, set, _ := strings.Cut(one, ":")
		settings, err := session.Settings(append([]string{"data.name=shapes32", "data.val_size=20", "model.layers=2",
			"model.heads=2", "model.dim=8", "model.ffn=8", "model.pool=8", "train.batch=8", "train.epochs=1",
			"train.limit_train_batches=1"}, strings.Fields(set)...)...)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := session.Train(t.Context(), session.Options{Settings: settings, Set: images(),
			Out: filepath.Join(root, name), NoBoard: true,
			Typed: run.UserInput{Args: []string{"/some/where/attnconv", "train", "--out", name}}}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		entries = append(entries, run.At(filepath.Join(root, name)))
	}
	return entries
}

// written returns a report, and checks what is true of every one: its size, that it runs only its own script, and that
// it asks for nothing.
func written(t *testing.T, o Options, entries ...run.Entry) string {
	t.Helper()
	b, err := Make(t.Context(), entries, o)
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	if len(b) > 3_000_000 {
		t.Errorf("%d bytes, want at most 3 MB", len(b))
	}
	lower := strings.ToLower(page)
	if n := strings.Count(lower, "<script"); n != 2 { // the data and the script
		t.Errorf("%d scripts begin, want 2", n)
	}
	section := section(t, page)
	if found := regexp.MustCompile(`(?i)<(script|iframe|object|embed|link|style)|<[^>]*\s(on\w+|style)\s*=|<[^>]*javascript:`).
		FindString(section); found != "" {
		t.Errorf("the report has %q", found)
	}
	if found := regexp.MustCompile(`(?i)(src|href)="?(http|//|[a-z]+\.(js|css))|@import|\burl\([^#]`).FindString(page); found != "" {
		t.Errorf("the page asks for %s", found)
	}
	return page
}

// section returns the HTML of the view Report.
func section(t *testing.T, page string) string {
	t.Helper()
	_, text, ok := strings.Cut(page, `<section id="report"`)
	if !ok {
		t.Fatal("no report")
	}
	text, _, _ = strings.Cut(text, "</section>")
	return text
}

// inside returns the ids of the runs that the views of a page show.
func inside(t *testing.T, page string) (d struct {
	Order []string
	Of    map[string]map[string]json.RawMessage
}) {
	t.Helper()
	_, text, _ := strings.Cut(page, `id="data">`)
	text, _, _ = strings.Cut(text, "</script>")
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// A report of models has the accuracies that the runs recorded, intervals, commands and settings, figures and
// the views of all runs.
func TestComparison(t *testing.T) {
	root := t.TempDir()
	entries := train(t, root, "a: model.encoding=quadratic seed=0", "b: model.encoding=quadratic seed=1",
		"c: model.encoding=learned seed=0", "d: model.kind=resnet10 model.width=2")
	page := written(t, Options{Runs: root, Baseline: "learned"}, entries...)
	text := section(t, page)
	mean := 50 * (entries[0].Status.TestAcc + entries[1].Status.TestAcc)
	for _, want := range []string{fmt.Sprintf("%.2f ±", mean), "95 % interval", "learned (baseline)",
		"attnconv train --out a", "attnconv train --out d", "model.encoding", "SHA-256",
		"vs baseline", "Where heads look",
		"compared with learned (n = 1): ", " % of the squared norm of the operator of layer ", "; before training ",
		"In one run, 0 of ", "thin gray: before the first step", `<th scope="row">model.width</th>`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(text, "/some/where") {
		t.Error("the report names a folder of this machine")
	}
	if n := strings.Count(text, `<th scope="col">`+entries[0].Status.ID+"</th>"); n != 1 { // settings are rows
		t.Errorf("%d columns of the first run", n)
	}
	if n := strings.Count(text, "<svg"); n < 4 { // curves, intervals, two models with heads
		t.Errorf("%d figures", n)
	}
	if !strings.Contains(text, "light-dark(#") {
		t.Error("no figure has colors of both themes")
	}
	d := inside(t, page)
	if len(d.Order) != 4 || len(d.Of) != 4 {
		t.Fatalf("views of %v", d.Order)
	}
	for _, e := range entries {
		if len(d.Of[e.Status.ID]["run"]) == 0 {
			t.Errorf("no view of %s", e.Name)
		}
	}
}

// The order of the runs changes nothing.
func TestOrder(t *testing.T) {
	root := t.TempDir()
	entries := train(t, root, "a: model.kind=resnet10 model.width=2", "b: model.kind=resnet10 model.width=2 seed=1")
	if written(t, Options{Runs: root}, entries...) != written(t, Options{Runs: root}, entries[1], entries[0]) {
		t.Error("two orders, two reports")
	}
}

// Names, tags, notes, commands and settings of a run are text, whatever they hold.
func TestHostileText(t *testing.T) {
	const text = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"'--></section>"
	root := t.TempDir()
	e := train(t, root, "a: model.encoding=quadratic")[0]
	rewrite := func(file string, edit func(map[string]any)) {
		path := filepath.Join(e.Path, file)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var d map[string]any
		if err := json.Unmarshal(b, &d); err != nil {
			t.Fatal(err)
		}
		edit(d)
		if b, err = json.Marshal(d); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	rewrite("run.json", func(d map[string]any) {
		d["name"], d["tags"], d["note"], d["from"], d["version"] = text, []string{text}, text, text, text
	})
	rewrite("environment.json", func(d map[string]any) {
		d["args"], d["cpu"], d["version"], d["os"] = []string{"attnconv", text}, text, text, text
	})
	page := written(t, Options{Runs: root}, run.At(e.Path))
	if strings.Contains(page, "<img src=x") || !strings.Contains(section(t, page), "&lt;script&gt;alert(1)") {
		t.Error("the text of the run is not escaped")
	}
	if n := strings.Count(page, "</section>"); n != strings.Count(page, "<section ") {
		t.Errorf("%d sections end", n)
	}
}

// What does not fit is left out of the views: here the weights of networks of 2.6 MB, and then whole runs.
func TestLargeRunsFit(t *testing.T) {
	root := t.TempDir()
	wide := "model.encoding=quadratic model.dim=192 model.ffn=1536 model.layers=1"
	entries := train(t, root, "a: "+wide, "b: seed=1 "+wide)
	var epochs strings.Builder
	for i := 2; i < 3000; i++ {
		fmt.Fprintf(&epochs, `{"v":1,"ev":"epoch","epoch":%d,"step":%d,"train_loss":1.25,"train_acc":0.5,"val_loss":1.125,`+
			`"val_acc":0.25,"lr":0.001,"img_s":1000.5,"wall_s":1.5}`+"\n", i, i)
	}
	f, err := os.OpenFile(filepath.Join(entries[0].Path, "metrics.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(epochs.String())
	f.Close()
	page := written(t, Options{Runs: root}, entries...)
	d := inside(t, page)
	if len(d.Order) != 2 {
		t.Errorf("views of %v", d.Order)
	}
	for id, of := range d.Of {
		if len(of["weights"]) > 0 || len(of["epochs"]) == 0 {
			t.Errorf("%s: %d bytes of weights, %d of epochs", id, len(of["weights"]), len(of["epochs"]))
		}
	}
}

// The views have the analysis of a run, which is as large as one of six layers of nine heads is, and fit. An analysis
// that does not fit is left out.
func TestAnalysisFits(t *testing.T) {
	root := t.TempDir()
	entries := train(t, root, "a: model.encoding=learned", "b: model.encoding=learned seed=1")
	profile := "[" + strings.Repeat("["+strings.Repeat("0.12345678901234567,", 14)+"0],", 14) + "[0]]"
	group := `{"heads":[1],"centers":[[0,0]],"profile":` + profile + `},`
	layers := func(n int) string {
		one := `{"layer":1,"profiles":{"groups":[` + strings.TrimSuffix(strings.Repeat(group, 9), ",") + `]}},`
		return `{"v":1,"verdict":["found"],"layers":[` + strings.TrimSuffix(strings.Repeat(one, n), ",") + "]}"
	}
	for i, n := range []int{6, 90} { // 0.3 MB, and 4 MB
		if err := os.WriteFile(filepath.Join(entries[i].Path, "analysis.json"), []byte(layers(n)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	d := inside(t, written(t, Options{Runs: root}, entries...))
	for i, want := range []bool{true, false} {
		of := d.Of[entries[i].Status.ID]
		if (len(of["analysis"]) > 0) != want || len(of["means"]) == 0 || len(of["attention"]) == 0 {
			t.Errorf("run %d: %d bytes of analysis, %d of means, %d of attention", i, len(of["analysis"]), len(of["means"]),
				len(of["attention"]))
		}
	}
}

// A run that has only begun, one without weights, and one that cannot be read.
func TestUnfinished(t *testing.T) {
	root := t.TempDir()
	e := train(t, root, "a: model.encoding=learned")[0]
	if err := os.RemoveAll(filepath.Join(e.Path, "checkpoints")); err != nil {
		t.Fatal(err)
	}
	written(t, Options{Runs: root}, e)
	b, err := os.ReadFile(filepath.Join(e.Path, "run.json"))
	if err != nil {
		t.Fatal(err)
	}
	begun := regexp.MustCompile(`"(val_acc|test_acc)": ?[^,\n}]+`).ReplaceAllString(string(b), `"$1": null`)
	begun = regexp.MustCompile(`"(epoch|step)": ?\d+`).ReplaceAllString(begun, `"$1": 0`)
	begun = strings.Replace(begun, `"done"`, `"stopped"`, 1)
	for name, content := range map[string]string{"run.json": begun, "metrics.jsonl": ""} {
		if err := os.WriteFile(filepath.Join(e.Path, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if page := written(t, Options{Runs: root}, run.At(e.Path)); !strings.Contains(page, "No epoch is finished yet.") {
		t.Error("the report does not say that no epoch is finished")
	}
	if err := os.WriteFile(filepath.Join(e.Path, "config.yaml"), []byte("model: [1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Make(t.Context(), []run.Entry{run.At(e.Path)}, Options{Runs: root}); err == nil {
		t.Error("a run without readable settings has a report")
	}
	if _, err := Make(t.Context(), nil, Options{}); err == nil {
		t.Error("no runs have a report")
	}
}

// Drawings that differ in colors only become one; properties of styles become attributes.
func TestMerged(t *testing.T) {
	light := inlined([]byte("<?xml?>\n<svg><path d=\"M0\"\n\tstyle=\"fill:#ffffff;stroke-width:2\" /><text style=\"font-size:8px\">#1</text></svg>"))
	if want := `<svg><path d="M0" fill="#ffffff" stroke-width="2" /><text font-size="8px">#1</text></svg>`; light != want {
		t.Errorf("%s\nwant %s", light, want)
	}
	got, ok := merged(light, strings.ReplaceAll(light, "#ffffff", "#000000"))
	if want := strings.ReplaceAll(light, "#ffffff", "light-dark(#ffffff,#000000)"); !ok || got != want {
		t.Errorf("%v, %s", ok, got)
	}
	if same, ok := merged(light, light); !ok || same != light {
		t.Errorf("%v, %s", ok, same)
	}
	if _, ok := merged(light, light+"<g/>"); ok {
		t.Error("different drawings were merged")
	}
}

// An accuracy on some of the test images says so in the headline, the results and the list of runs.
func TestPartOfTestImages(t *testing.T) {
	root := t.TempDir()
	text := section(t, written(t, Options{}, train(t, root, "one:train.limit_val_batches=1 train.eval_batch=12")...))
	for _, want := range []string{" of 12 of 60 test images of shapes32 right.</h1>", ">~",
		" that covers other test images, but not other seeds.</p>",
		`<p class="note">~ of 12 of 60 test images (--limit-val-batches)</p>`,
		`<p class="note">~ of 12 of 20 validation images (--limit-val-batches)</p>`} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	list, err := explorer.New(explorer.Options{Runs: root}).List()
	if err != nil || list.Runs[0].TestOn != "12 of 60 test images" ||
		list.Runs[0].ValOn != "12 of 20 validation images" {
		t.Errorf("the table of runs has %+v, %v", list.Runs, err)
	}
}

// Each column of the table of epochs has what its head says.
func TestEpochTable(t *testing.T) {
	got := epochTable([]event.Epoch{
		{Epoch: 3, TrainLoss: 1.5, TrainAcc: 0.25, ValLoss: 2.5, ValAcc: 0.75, LR: 0.125, WallS: 61},
		{Epoch: 4, TrainLoss: 1, TrainAcc: 0.5, ValLoss: math.NaN(), ValAcc: math.NaN(), LR: 1e-5, WallS: 2}})
	want := `epoch  train loss  train acc  val loss  val acc     lr  time
    3      1.5000    25.00 %    2.5000  75.00 %  0.125  61 s
    4      1.0000    50.00 %         –        -  1e-05   2 s
`
	if text := got.Text(0); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}

// A fact in which runs differ is there once for each value, with the runs that have it.
func TestEnvironmentOfRuns(t *testing.T) {
	r := &report{}
	for _, x := range []struct{ id, version string }{{"aaaa", "go1.1"}, {"bbbb", "go1.2"}, {"cccc", "go1.1"}} {
		one := study.Run{ID: x.id}
		one.Environment.Go, one.Environment.OS, one.Environment.Arch = x.version, "linux", "arm64"
		r.all = append(r.all, one)
	}
	r.environment()
	text := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(r.String(), "|")
	for _, want := range []string{"|Go||", "|go1.1 (aaaa, cccc)|", "|go1.2 (bbbb)|", "|linux/arm64|"} {
		if !strings.Contains(strings.ReplaceAll(text, "\n", ""), want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
}
