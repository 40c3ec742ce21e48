package study

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/study/stats"
)

// made returns a run with the settings that the tests need; each change is "key value".
func made(name, id string, seed uint64, test float64, change ...string) Run {
	spec := model.Default()
	spec.Layers, spec.Heads, spec.Dim, spec.FFN = model.Equal(1), model.Ints{2}, 8, 16
	if name == "quadratic-general" {
		spec.Encoding = name
	}
	r := Run{ID: id, Name: name, Seed: seed, Spec: spec, TestAcc: test, ValAcc: test + 0.01, Epochs: 3, WallS: 90,
		ImgS:  1234,
		TestN: 10000, ValN: 5000,
		Curve: []Point{{Epoch: 1, ValAcc: test / 2, Seconds: 30, Images: 1000},
			{Epoch: 2, ValAcc: test, Seconds: 60, Images: 2000},
			{Epoch: 3, ValAcc: test + 0.01, Seconds: 90, Images: 3000}},
		Environment: run.Environment{CPU: "Zen", Threads: 4, DataDigest: "a0181da3ff"},
		Machines:    []Machine{{CPU: "Zen", Device: "cpu", Threads: 4, Kernels: "avx2"}}, State: event.Done,
		Settings: []Setting{{Key: "preset", Value: "small/" + name}, {Key: "model.encoding", Value: name},
			{Key: "model.width", Value: "64"},
			{Key: "data.name", Value: "cifar10"}, {Key: "data.protocol", Value: "holdout"},
			{Key: "data.augment", Value: "[crop, flip]"}, {Key: "train.epochs", Value: "3"},
			{Key: "train.lr", Value: "0.1"},
			{Key: "train.eval_batch", Value: "100"}},
	}
	for _, c := range change {
		key, value, _ := strings.Cut(c, " ")
		for i := range r.Settings {
			if r.Settings[i].Key == key {
				r.Settings[i].Value = value
			}
		}
	}
	return r
}

func TestGroupsDifferInMoreThanTheSeed(t *testing.T) {
	groups := Groups([]Run{
		made("quadratic", "a", 1, 0.5), made("quadratic", "b", 0, 0.6), made("learned", "c", 0, 0.4),
		made("quadratic", "d", 1, 0.7, "train.eval_batch 50"), // replaces a
		made("quadratic", "e", 0, 0.5, "train.lr 0.2"),
		made("learned", "f", 0, 0.4, "preset tiny", "train.lr 0.3"),
		made("learned", "g", 1, 0.4, "preset tiny", "train.lr 0.3", "model.width 8"), // attention does not use width
	})
	var got []string
	for _, g := range groups {
		got = append(got, fmt.Sprint(g.Name, ": ", strings.Join(g.IDs(), " ")))
	}
	want := []string{"quadratic lr 0.1: b d", "learned small: c", "quadratic lr 0.2: e", "learned tiny: f g"}
	if !slices.Equal(got, want) {
		t.Errorf("groups %q, want %q", got, want)
	}
	for name, want := range map[string]int{"quadratic lr 0.2": 2, "quadratic": 0, "learned": 3, "resnet18": -1} {
		if got := Baseline(groups, name); got != want {
			t.Errorf("baseline %q is group %d, want %d", name, got, want)
		}
	}
}

// Runs that began with weights of others, or were extended, are not seeds of the group that did not.
func TestGroupsOfOtherBeginnings(t *testing.T) {
	warm, warmer, longer := made("quadratic", "b", 1, 0.6), made("quadratic", "c", 0, 0.6),
		made("quadratic", "d", 2, 0.6)
	warm.began(run.Status{From: "a"})
	warmer.began(run.Status{From: "a"})
	longer.began(run.Status{Extended: true})
	scratch := made("quadratic", "a", 0, 0.5)
	scratch.began(run.Status{})
	var got []string
	for _, g := range Groups([]Run{scratch, warm, warmer, longer}) {
		got = append(got, fmt.Sprint(g.Name, ": ", strings.Join(g.IDs(), " ")))
	}
	if want := []string{"quadratic: a", "quadratic from a: c b", "quadratic extended by epochs: d"}; !slices.Equal(got,
		want) {
		t.Errorf("groups %q, want %q", got, want)
	}
	if Alike(scratch, warm) || !Alike(warm, warmer) || !scratch.Plain() || warm.Plain() || longer.Plain() {
		t.Error("initial weights make no difference")
	}
}

// The title names limits of the data.
func TestTitle(t *testing.T) {
	limited := func(r Run, key, value string) Run {
		r.Settings = append(r.Settings, Setting{Key: key, Value: value})
		return r
	}
	for _, tt := range []struct {
		runs []Run
		want string
	}{
		{[]Run{limited(made("quadratic", "a", 0, 0.5), "data.train_size", "0")}, "validation split"},
		{[]Run{limited(made("quadratic", "a", 0, 0.5), "data.train_size", "100")}, ", train_size 100"},
		{[]Run{
			limited(made("quadratic", "a", 0, 0.5), "data.train_size", "0"),
			limited(made("learned", "b", 0, 0.5), "data.train_size", "100"),
		}, ", train_size of several values"},
	} {
		c, err := Compare(Groups(tt.runs), Options{Metric: Metrics[0]})
		if err != nil {
			t.Fatal(err)
		}
		if got := c.title(); !strings.HasSuffix(got, tt.want) {
			t.Errorf("title %q, want …%q", got, tt.want)
		}
	}
}

func TestMixedRunsAreRefused(t *testing.T) {
	alike := []Run{made("quadratic", "a", 0, 0.5), made("learned", "b", 1, 0.5, "train.lr 1", "data.augment []")}
	if m := Mix(alike, Question); m != nil {
		t.Errorf("runs of two models cannot be compared: %v", m)
	}
	other := made("learned", "d", 0, 0.5, "train.epochs 6", "data.protocol paper")
	other.Environment.DataDigest = "ffffffffffff"
	m := Mix([]Run{made("quadratic", "a", 0, 0.5), made("quadratic", "b", 1, 0.5), other}, Question)
	want := `the runs cannot be compared: they differ in more than the model
  data.protocol       holdout   in a, b
                      paper     in d
  train.epochs        3         in a, b
                      6         in d
  digest of the data  a0181da3  in a, b
                      ffffffff  in d`
	if m == nil || m.Error() != want {
		t.Errorf("Mix: %v, want\n%s", m, want)
	}
}

var (
	resnet    = []float64{0.7891, 0.7869, 0.7913}
	quadratic = []float64{0.6138, 0.6097, 0.6179, 0.6144}
	learned   = []float64{0.5902, 0.5839, 0.5965}
)

// near reports whether two values are equal to rounding, or both unknown.
func near(a, b null.Float) bool { return !a.Known() && !b.Known() || math.Abs(float64(a-b)) < 1e-9 }

func sample(t *testing.T) *Comparison {
	t.Helper()
	all := []Run{made("content", "u1", 0, 0.41)}
	for i, acc := range resnet {
		all = append(all, made("quadratic-general", fmt.Sprintf("r%d", i), uint64(i), acc))
	}
	for i, acc := range learned {
		all = append(all, made("learned", fmt.Sprintf("l%d", i), uint64(i), acc, "train.lr 0.2"))
	}
	for i, acc := range quadratic {
		all = append(all, made("quadratic", fmt.Sprintf("q%d", i), uint64(i), acc))
	}
	c, err := Compare(Groups(all), Options{Metric: Metrics[0], Baseline: "quadratic-general",
		Levels: []float64{0.6}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// For the source of the statistics see TestSummarize and TestCompared.
func TestTable(t *testing.T) {
	want := `data cifar10, 3 epochs, best epoch by one validation split

model                         n    test acc %    95 % interval
quadratic-general (baseline)  3  78.91 ± 0.22   [77.97, 79.82]
quadratic                     4  61.39 ± 0.34   [60.31, 62.47]
learned                       3  59.02 ± 0.63   [57.30, 60.71]
content                       1         41.00  [40.04, 41.97]*

model                                      vs baseline       p
quadratic-general (baseline)                         –       –
quadratic                      -17.52 [-18.86, -16.16]  <0.001
learned                        -19.89 [-21.67, -18.10]  <0.001
content                       -37.91 [-39.15, -36.65]*       –
`
	got := sample(t).Table(nil).Text(90)
	if diff := cmp.Diff(want, got[:min(len(got), len(want))]); diff != "" {
		t.Errorf("%s\nin\n%s", diff, got)
	}
	for _, want := range []string{"* one run, so the interval covers other test images, but not other seeds: content " +
		"(--seeds 0..2 trains more)",
		"corrected for 2 comparisons (Holm); intervals are not corrected",
		"the models were trained differently in lr\n"} {
		if flat := strings.Join(strings.Fields(got), " "); !strings.Contains(flat, strings.TrimSpace(want)) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// The sentence says of each model which way it differs, and of what nothing was tested.
func TestSentence(t *testing.T) {
	c := sample(t)
	want := "In accuracy on the test images, compared with quadratic-general (n = 3): quadratic is 17.52 points behind " +
		"[-18.86, -16.16] (n = 4, p <0.001); learned is 19.89 points behind [-21.67, -18.10] (n = 3, p <0.001); content " +
		"differs by -37.91 points [-39.15, -36.65]*, which is not tested (n = 1). Intervals with * do not cover other " +
		"seeds. p is corrected for 2 comparisons."
	if got := c.Sentence(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	c.Rows = append(c.Rows, c.Rows[3])
	c.Rows[1].Diff, c.Rows[2].PHolm = 0.01, 0.3
	for _, want := range []string{"quadratic is 1.00 points ahead [", "learned does not differ significantly, by -19.89 points " +
		"[-21.67, -18.10] (n = 3, p 0.3)", "; 1 more in the table. "} {
		if got := c.Sentence(); !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	c.Rows = c.Rows[:1]
	if got := c.Sentence(); got != "There is no run to compare with quadratic-general." {
		t.Error(got)
	}
	c.Baseline, c.Rows = nil, append(c.Rows, c.Rows[0])
	want = "Of 2 models, quadratic-general has the highest accuracy on the test images: 78.91 % [77.97, 79.82] (n = 3). " +
		"Without a baseline, no difference is tested."
	if got := c.Sentence(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Runs of unrelated seeds are not pairs, also where there are as many of both: their difference is that of two means.
func TestOtherSeedsAreNotPaired(t *testing.T) {
	compare := func(paired bool, seeds ...uint64) Row {
		var all []Run
		for i, acc := range []float64{0.80, 0.82, 0.84} {
			all = append(all, made("quadratic", fmt.Sprint("a", i), uint64(i), acc),
				made("learned", fmt.Sprint("b", i), seeds[i], acc-0.1))
		}
		c, err := Compare(Groups(all), Options{Metric: Metrics[0], Baseline: "quadratic", Paired: paired})
		if err != nil {
			t.Fatal(err)
		}
		return c.Rows[1]
	}
	for _, seeds := range [][]uint64{{3, 4, 5}, {1, 2, 3}} {
		got, want := compare(true, seeds...), compare(false, seeds...)
		if got.Paired || got.DiffCI != want.DiffCI || got.P != want.P {
			t.Errorf("seeds %v, compared with 0, 1, 2: %v, p %v, paired %t; want %v, p %v, not paired", seeds, got.DiffCI,
				got.P, got.Paired, want.DiffCI, want.P)
		}
	}
	if same := compare(true, 0, 1, 2); !same.Paired || same.DiffCI == compare(false, 0, 1, 2).DiffCI {
		t.Errorf("the same seeds: paired %t", same.Paired)
	}
}

// Differences are paired by seed only if Options.Paired, and by image only for the same images.
func TestPairing(t *testing.T) {
	right := stats.NewBits(100, func(i int) bool { return i < 80 })
	tested := func(r Run, right stats.Bits) Run {
		r.TestN, r.TestRight = 100, right
		return r
	}
	compare := func(paired bool, right stats.Bits, change ...string) Row {
		c, err := Compare(Groups([]Run{
			tested(made("quadratic", "a", 0, 0.8), right), tested(made("quadratic", "b", 1, 0.8), right),
			tested(made("learned", "c", 0, 0.8, change...), right),
			tested(made("learned", "d", 1, 0.8, change...), right),
		}), Options{Metric: Metrics[0], Baseline: "quadratic", Paired: paired})
		if err != nil {
			t.Fatal(err)
		}
		return c.Rows[1]
	}
	if compare(false, right).Paired || !compare(true, right).Paired {
		t.Error("Options.Paired has no effect")
	}
	same, unknown := compare(false, right).DiffCI, compare(false, nil).DiffCI
	if same.Hi > 0.03 || unknown.Hi < 0.1 {
		t.Errorf("same result on every image: difference within %v; without results by image %v", same, unknown)
	}
	if other := compare(false, right, "data.protocol paper").DiffCI; other != unknown {
		t.Errorf("on other data: %v, want %v", other, unknown)
	}

	one, two := tested(made("quadratic", "a", 0, 0.8), right), tested(made("quadratic", "b", 1, 0.8), right)
	one.Environment.DataDigest, two.Environment.DataDigest = "1234", "5678"
	if m := (Options{Metric: Metrics[0]}).measured(Group{Runs: []Run{one, two}}); m.Right != nil {
		t.Error("runs on different data are compared image by image")
	}
}

// Results by image are used only if they agree with the accuracy and the number of images.
func TestTestedImages(t *testing.T) {
	bits := stats.NewBits(10, func(i int) bool { return i < 5 })
	for _, tt := range []struct {
		name string
		e    event.Eval
		n    int
		want bool
	}{
		{"as written", event.Eval{Split: "test", N: 10, Acc: 0.5, Right: bits}, 10, true},
		{"an earlier version", event.Eval{Split: "test", N: 10, Acc: 0.5}, 10, false},
		{"too few bits", event.Eval{Split: "test", N: 100, Acc: 0.05, Right: bits}, 100, false},
		{"another accuracy", event.Eval{Split: "test", N: 10, Acc: 0.6, Right: bits}, 10, false},
		{"negative", event.Eval{Split: "test", N: -8, Right: bits}, 0, false},
		{"another split", event.Eval{Split: "train", N: 10, Acc: 0.5, Right: bits}, 0, false},
	} {
		var r Run
		r.tested(tt.e)
		if r.TestN != tt.n || (r.TestRight != nil) != tt.want {
			t.Errorf("%s: %d images, right %v", tt.name, r.TestN, r.TestRight)
		}
	}
}

func TestTimesToAccuracies(t *testing.T) {
	for _, tt := range []struct {
		name  string
		level float64
		want  ReachTime
	}{
		{"all runs", 0.29, ReachTime{0.29, 3, 1, 30}},
		{"two of three", 0.595, ReachTime{0.595, 2, 2.5, 75}}, // 0.6002 in epoch 3 and 0.5965 in epoch 2
		{"none", 0.7, ReachTime{0.7, 0, null.Unknown, null.Unknown}},
	} {
		var all []Run
		for i, acc := range learned {
			all = append(all, made("learned", fmt.Sprint(i), uint64(i), acc))
		}
		got := reachTime(Group{Runs: all}, tt.level)
		if got.Runs != tt.want.Runs || !near(got.Epochs, tt.want.Epochs) || !near(got.Seconds, tt.want.Seconds) {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// One level that all models reached, and one that only the best did.
func TestUsualLevels(t *testing.T) {
	groups := Groups([]Run{made("quadratic", "a", 0, 0.62), made("resnet18", "b", 0, 0.7901)})
	if got := levels(groups); !slices.Equal(got, []float64{0.6, 0.8}) {
		t.Errorf("levels %v, want 0.6 and 0.8", got)
	}
	if got := levels(Groups([]Run{made("quadratic", "a", 0, 0.19)})); got != nil {
		t.Errorf("levels %v near the chance of ten classes", got)
	}
}

// withPaper adds the paper's results, as Compare does with Options.Paper.
func withPaper(c *Comparison) *Comparison {
	c.options.Paper = true
	for i, r := range c.Rows {
		c.Rows[i].Paper = paperResult(r.Group)
	}
	return c
}

func TestPaperColumns(t *testing.T) {
	c := withPaper(sample(t))
	text := c.Table(nil).CSV()
	head, rest, _ := strings.Cut(text, "\n")
	for _, want := range []string{"flop_paper_count", "paper_acc", "paper_params", "paper_flop"} {
		if !strings.Contains(head, want) {
			t.Errorf("no column %q in %s", want, head)
		}
	}
	if !strings.Contains(rest, ",0.934,1.21e+07,6.2e+09,") {
		t.Errorf("the paper's results of quadratic-general are not in\n%s", rest)
	}
	c.Rows[0].Runs[0].Settings[3].Value = "shapes32"
	if text := withPaper(c).Table(nil).CSV(); strings.Contains(text, ",0.934,") ||
		!strings.Contains(text, ",1.21e+07,6.2e+09,") {
		t.Errorf("the paper's accuracy on CIFAR-10 is compared with that on other data:\n%s", text)
	}
	if strings.Contains(sample(t).Table(nil).CSV(), "paper") {
		t.Error("the paper's results are there unasked")
	}
}

func TestDocument(t *testing.T) {
	b, err := json.Marshal(sample(t))
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		V                int
		Metric, Baseline string
		Rows             []map[string]any
	}
	if err := json.Unmarshal(b, &d); err != nil {
		t.Fatal(err)
	}
	if d.V != 1 || d.Metric != "test_acc" || d.Baseline != "quadratic-general" || len(d.Rows) != 4 {
		t.Fatalf("%s", b)
	}
	keys := strings.Fields("name n mean std ci ci_covers diff diff_ci diff_ci_covers p p_holm params macs wall_s " +
		"runs macs_run macs_paper img_s reach seeds")
	for _, key := range keys {
		if _, ok := d.Rows[1][key]; !ok {
			t.Errorf("no key %q in %v", key, d.Rows[1])
		}
	}
	last := d.Rows[3]
	if last["name"] != "content" || last["std"] != nil || last["p"] != nil || last["p_holm"] != nil ||
		last["diff"].(float64) > -0.379 || fmt.Sprint(last["ci_covers"],
		last["diff_ci_covers"]) != "[images] [images]" {
		t.Errorf("the row of one run: %v", last)
	}
}

func TestAGroupHasRuns(t *testing.T) {
	if _, err := Compare([]Group{{Name: "none"}}, Options{}); err == nil ||
		!strings.Contains(err.Error(), "none") {
		t.Errorf("a group without runs: %v", err)
	}
}

// An accuracy on some of the test images is marked in tables of every format, and a note says of how many it is. In
// LaTeX, the notes that explain marks are below the table, in lines no wider than it.
func TestPartOfTestImages(t *testing.T) {
	all := []Run{made("content", "u1", 0, 0.41), made("quadratic", "q0", 0, 0.61),
		made("quadratic", "q1", 1, 0.62)}
	all[1].TestOf, all[2].TestOf = Part{N: 1000, Of: 10000}, Part{N: 2000, Of: 10000}
	c, err := Compare(Groups(all), Options{Baseline: "content"})
	if err != nil {
		t.Fatal(err)
	}
	if c.Rows[0].On != "" || c.Rows[1].On != "1,000 of 10,000 test images" {
		t.Errorf("on %q and %q", c.Rows[0].On, c.Rows[1].On)
	}
	const mark, note = "~61.50 ± 0.71", "~ of 1,000 of 10,000 test images (--limit-val-batches)"
	for _, text := range []string{c.TableFor("text", nil).Text(0), c.TableFor("markdown", nil).Markdown()} {
		if !strings.Contains(text, mark) || !strings.Contains(text, note) || strings.Contains(text, "~41") {
			t.Errorf("want %q and %q in\n%s", mark, note, text)
		}
	}
	_, below, _ := strings.Cut(c.TableFor("latex", nil).LaTeX(), `\bottomrule`)
	want := `
  \multicolumn{5}{@{}l@{}}{\footnotesize * one run, so the interval covers other test images, but not other} \\
  \multicolumn{5}{@{}l@{}}{\footnotesize seeds: content (-{}-seeds 0..2 trains more)} \\
  \multicolumn{5}{@{}l@{}}{\footnotesize \textasciitilde{} of 1,000 of 10,000 test images (-{}-limit-val-batches)} \\
\end{tabular}
`
	if diff := cmp.Diff(want, below); diff != "" {
		t.Error(diff)
	}
}

// Accuracies of runs that were tested on different numbers of images count for the smallest number, in either order.
func TestMeasuredOnTheSmallestNumber(t *testing.T) {
	for _, n := range [][2]int{{10, 8}, {8, 10}} {
		g := Group{Runs: []Run{{TestN: n[0], TestAcc: 0.5}, {TestN: n[1], TestAcc: 0.5}}}
		if m := (Options{Metric: Metrics[0]}).measured(g); m.Images != 8 || m.Right != nil {
			t.Errorf("%v: %d images, %v", n, m.Images, m.Right)
		}
	}
}
