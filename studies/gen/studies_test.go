package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/study/stats"
)

const repository = "../.."

func readPage(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(repository, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The committed numbers and the page are those of the committed result files.
func TestVerdictIsUpToDate(t *testing.T) {
	v, numbers, err := compute(repository)
	if err != nil {
		t.Fatal(err)
	}
	if string(numbers) != readPage(t, numbersFile) {
		t.Errorf("%s is not what studies/ says: make studies", numbersFile)
	}
	for name := range parts {
		if text, err := written(repository, name, v); err != nil || text != readPage(t, name) {
			t.Errorf("%s is not what studies/ says: make studies (%v)", name, err)
		}
	}
}

// generated computes the numbers of the result files in root, and the page of the verdict with them.
func generated(root, page string) (*verdict, string, error) {
	v, _, err := compute(root)
	if err != nil {
		return nil, "", err
	}
	text, err := withTables(pageFile, page, nil, v)
	return v, text, err
}

// Any part of the plan can be there: none, one study, one seed.
func TestPartsOfThePlan(t *testing.T) {
	page := readPage(t, pageFile)
	for _, pattern := range []string{"none", "search/*", "control/quadratic-s*", "*/*seed0.json", "half/*",
		"relations/conv*", "compute/q*", "rates/r*"} {
		root := t.TempDir()
		files, err := filepath.Glob(filepath.Join(repository, "studies", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(root, "studies", filepath.Base(filepath.Dir(file)))
			if err := os.MkdirAll(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, filepath.Base(file)), b, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		_, text, err := generated(root, page)
		if err != nil || strings.Contains(text, "NaN") {
			t.Errorf("%s: %v", pattern, err)
		}
		if total := fmt.Sprintf("%d of 809 runs are done", len(files)); !strings.Contains(text, total) {
			t.Errorf("%s: the page does not say %q", pattern, total)
		}
	}
}

// trial is a result file with four images, of which the first three are right.
func trial(change func(map[string]any)) []byte {
	r := map[string]any{"study": "control", "trial": "quadratic-seed0", "program": "p", "command": "c", "diverged": false,
		"epochs":  []any{map[string]any{"epoch": 1, "step": 10, "val_acc": 0.5}},
		"summary": map[string]any{"params": 1, "gflop_step": 2},
		"test":    map[string]any{"n": 4, "acc": 0.75, "right": base64.StdEncoding.EncodeToString([]byte{7})}}
	change(r)
	b, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	return b
}

// Numbers of README, the findings, attention.md and the slides come from the data files: templates have none of their
// own, except for sizes, rates and other settings. README is short.
func TestNumbersOfPagesAreQuoted(t *testing.T) {
	if n := strings.Count(readPage(t, readmeFile), "\n"); n > 120 {
		t.Errorf("%s has %d lines, want at most 120", readmeFile, n)
	}
	notText := regexp.MustCompile(`\{\{[^}]*\}\}|\]\([^)]*\)|<[^>]*>|` + "`[^`]*`" + `|(?m)^#.*$`)
	setting := regexp.MustCompile(`\d+ × \d+(?: × \d+)?|0\.0*[13]+\b|\d[\d,]* (?:epochs|images|heads)|Of 54|` +
		`(?:[Ll]ayers?|finding) \d(?:, \d)*(?: and \d)?|\d+ channels|CIFAR-10|excludes 0|ResNet18|Muon|K² heads|n = 1\b|95 % interval|less than 8|33 %|^ *\d\. |\*\*2\.|on 5 × 5`)
	for page, template := range quoted {
		text := readPage(t, "studies/pages/"+template)
		text = notText.ReplaceAllString(text, " ")
		for i, line := range strings.Split(text, "\n") {
			if d := regexp.MustCompile(`\d[\d.]*`).FindString(setting.ReplaceAllString(line, "")); d != "" {
				t.Errorf("studies/pages/%s:%d has the number %s: quote it from the data", template, i+1, d)
			}
		}
		if page == findingsFile {
			continue
		}
		byHand := regexp.MustCompile(`(?s)<!-- (\w+) -->.*?<!-- end of \w+ -->`).ReplaceAllString(readPage(t, page), "")
		if quoted := regexp.MustCompile(`\[−?[\d.]+, −?[\d.]+\]|\bn = \d`).FindString(byHand); quoted != "" {
			t.Errorf("%s has %s outside of the parts that are generated", page, quoted)
		}
	}
}

// A file that contradicts itself, its name or the form of a result is refused, with what is wrong in it.
func TestBadResultsAreRefused(t *testing.T) {
	set := func(key string, value any) func(map[string]any) { return func(r map[string]any) { r[key] = value } }
	in := func(key, field string, value any) func(map[string]any) {
		return func(r map[string]any) { r[key].(map[string]any)[field] = value }
	}
	for _, tt := range []struct {
		name string
		file []byte
		want string // "": it is accepted
	}{
		{"good", trial(func(map[string]any) {}), ""},
		{"empty", nil, "unexpected end of JSON"},
		{"truncated", trial(func(map[string]any) {})[:50], "unexpected end of JSON"},
		{"a list", []byte("[]"), "cannot unmarshal array"},
		{"unknown field", trial(set("tset", 1)), `unknown field "tset"`},
		{"other study", trial(set("study", "search")), `it is trial "quadratic-seed0" of study "search"`},
		{"other trial", trial(set("trial", "quadratic-seed1")), `it is trial "quadratic-seed1"`},
		{"no test", trial(set("test", nil)), "want epochs, summary and test"},
		{"no epochs", trial(set("epochs", []any{})), "want epochs, summary and test"},
		{"few bits", trial(in("test", "n", 9)), "test.right has 1 bytes for n = 9 images"},
		{"huge n", trial(in("test", "n", 1<<40)), "want a bit for each"},
		{"negative n", trial(in("test", "n", -1)), "want a bit for each"},
		{"other accuracy", trial(in("test", "acc", 0.5)), "test.acc is 0.5, but 3 of 4 bits"},
		{"accuracy of 2", trial(set("epochs", []any{map[string]any{"step": 1, "val_acc": 2}})), "val_acc 2: want 0 to 1"},
		{"steps fall", trial(set("epochs", []any{map[string]any{"step": 2}, map[string]any{"step": 1}})),
			"want growing steps"},
		{"replaced, 1.5", trial(func(r map[string]any) {
			r["analyse"] = map[string]any{"function_all": map[string]any{"k3": map[string]any{"acc": 1.5}}}
		}), "accuracy k3 is 1.5: want 0 to 1"},
		{"few centers", trial(func(r map[string]any) {
			r["operator"] = map[string]any{"canonical_gram": [][][]float64{{{1}}}}
			layers := map[string]any{"layers": []any{map[string]any{"centers": [][]float64{}, "alpha": []float64{1}}}}
			r["heads"] = map[string]any{"000": layers, "001": layers}
			r["analyse"] = map[string]any{"layers": []any{map[string]any{"kind": "attention"}}}
		}), "layer 1: 0 centers and 1 alpha"},
		{"huge", append(trial(func(map[string]any) {}), make([]byte, mostBytes)...), "a result has at most"},
	} {
		root := t.TempDir()
		dir := filepath.Join(root, "control")
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "quadratic-seed0.json"), tt.file, 0o666); err != nil {
			t.Fatal(err)
		}
		all, err := read(root)
		if err == nil {
			_, err = layered(all)
		}
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) ||
			!strings.Contains(err.Error(), "quadratic-seed0")):
			t.Errorf("%s: %v, want the name of the trial and %q", tt.name, err, tt.want)
		}
	}
}

func number(n int, value, lo, hi float64) Number {
	return Number{ID: "x", N: n, Value: null.Float(value), CI: stats.Interval{Lo: lo, Hi: hi}, Holm: null.Unknown}
}

// corrected is a difference that has a p-value corrected for others.
func corrected(p float64) Number {
	n := number(5, 0.02, 0.01, 0.03)
	n.Holm = null.Float(p)
	return n
}

// Nothing is decided by fewer than three runs, or by an interval with both answers.
func TestVerdicts(t *testing.T) {
	for _, tt := range []struct {
		n    Number
		want float64
		word string
	}{
		{number(0, 0, math.NaN(), math.NaN()), 1, open},
		{number(2, 0.02, 0.01, 0.03), 1, open},
		{number(3, 0.02, 0.01, 0.03), 1, supported},
		{number(3, 0.02, 0.01, 0.03), -1, refuted},
		{number(3, -0.02, -0.03, -0.01), -1, supported},
		{number(5, 0.02, -0.01, 0.05), 1, open},
		{corrected(0.04), 1, supported},
		{corrected(0.06), 1, open},
	} {
		v := &verdict{Numbers: []Number{tt.n}}
		if word, _ := sign("x", tt.want, "difference")(v); word != tt.word {
			t.Errorf("%+v, sign %v: %s, want %s", tt.n, tt.want, word, tt.word)
		}
	}
	for _, tt := range []struct {
		n    Number
		word string
	}{{number(3, 0, -0.005, 0.005), supported}, {number(3, 0.02, 0.015, 0.025), refuted},
		{number(3, 0.01, 0.005, 0.015), open}, {number(2, 0, -0.005, 0.005), open}} {
		if word, _ := within("x", 0.01, "difference")(&verdict{Numbers: []Number{tt.n}}); word != tt.word {
			t.Errorf("%+v, within 1 point: %s, want %s", tt.n, word, tt.word)
		}
	}
}

// A measure of heads is compared with that before training, 0.2, in each of six layers.
func TestSinceStart(t *testing.T) {
	more, less, both := number(3, 0.3, 0.25, 0.35), number(3, 0.1, 0.05, 0.15), number(3, 0.2, 0.15, 0.25)
	few := number(2, 0.3, 0.25, 0.35)
	for _, tt := range []struct {
		layers [6]Number
		want   float64
		word   string
	}{
		{[6]Number{more, more, more, more, more, more}, 1, supported},
		{[6]Number{more, more, more, more, more, more}, -1, refuted},
		{[6]Number{less, less, less, less, less, less}, -1, supported},
		{[6]Number{more, more, more, less, both, both}, 1, depends},
		{[6]Number{more, both, both, both, both, both}, 1, depends},
		{[6]Number{more, both, both, both, both, both}, -1, open},
		{[6]Number{both, both, both, both, both, both}, 1, open},
		{[6]Number{few, few, few, few, few, few}, 1, open},
		{[6]Number{}, 1, open},
	} {
		v := &verdict{}
		for i, n := range tt.layers {
			n.ID, n.Baseline = fmt.Sprintf("layers/x/quadratic/%d", i+1), new(null.Float(0.2))
			v.Numbers = append(v.Numbers, n)
		}
		if word, text := sinceStart(v, "x", tt.want, "x:", percent); word != tt.word {
			t.Errorf("%+v, sign %v: %s, want %s (%s)", tt.layers, tt.want, word, tt.word, text)
		}
	}
}

// The head with the least content decides, in each of layers 2 and 3.
func TestOnlyPositions(t *testing.T) {
	var list []*result
	for seed := range 3 {
		r := &result{seed: seed}
		const heads = `[{"content_bits": 0.5}, {"content_bits": 0.%d}, {"content_bits": 0.9}]`
		file := fmt.Sprintf(`{"layers": [{}, {"heads": `+heads+`}]}`, seed+2)
		if err := json.Unmarshal([]byte(file), &r.Analyse); err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	if n := positional(list); len(n) != 0 {
		t.Errorf("layer 1 has no content, and its numbers are %v", n)
	}
	for _, r := range list {
		r.Analyse.Layers = r.Analyse.Layers[1:]
	}
	if n := positional(list); len(n) != 1 || n[0].N != 3 || math.Abs(float64(n[0].Value)-0.3) > 1e-12 ||
		n[0].Baseline != nil {
		t.Errorf("least bits of content: %+v, want the mean of 0.2, 0.3 and 0.4, and no baseline", n)
	}
	for i, r := range list {
		file := fmt.Sprintf(`{"layers": [{"heads": [{"content_bits": 0.7}, {"content_bits": 0.%d}]}]}`, 2*i+1)
		if err := json.Unmarshal([]byte(file), &r.Untrained); err != nil {
			t.Fatal(err)
		}
	}
	if n := positional(list); len(n) != 1 || n[0].Baseline == nil || math.Abs(float64(*n[0].Baseline)-0.3) > 1e-12 {
		t.Errorf("least bits of content: %+v, want a baseline of 0.3, the mean of 0.1, 0.3 and 0.5", n)
	}
	little, much, both := number(3, 0.02, 0.01, 0.03), number(3, 0.8, 0.7, 0.9), number(3, 0.05, 0.01, 0.09)
	for _, tt := range []struct {
		second, third Number
		word          string
	}{
		{little, little, supported}, {much, much, refuted}, {little, much, depends}, {both, much, depends},
		{both, both, open}, {number(2, 0.8, 0.7, 0.9), much, open}, {Number{}, much, open},
	} {
		tt.second.ID, tt.third.ID = "layers/content-least/content/2", "layers/content-least/content/3"
		if word, text := onlyPositions(&verdict{Numbers: []Number{tt.second, tt.third}}); word != tt.word {
			t.Errorf("%+v, %+v: %s, want %s (%s)", tt.second, tt.third, word, tt.word, text)
		}
	}
}

// A prediction is compared with value and interval, and a surprise is said first.
func TestOutcomes(t *testing.T) {
	p := prediction{lo: 0.005, hi: 0.025, nonzero: true, surprising: below(0)}
	for _, tt := range []struct {
		n    Number
		want string
	}{
		{number(0, 0, 0, 0), noRun},
		{number(1, 0.01, 0, 0.02), "open (n = 1; inside so far)"},
		{number(1, 0.03, 0.02, 0.04), "open (n = 1; outside so far)"},
		{number(5, 0.01, 0.006, 0.014), "as predicted"},
		{number(2, 0.01, 0.006, 0.014), "open (n = 2; inside so far)"},
		{number(2, -0.01, -0.02, -0.005), "open (n = 2; outside so far)"},
		{number(5, 0.01, 0.004, 0.014), "undecided: the interval has both"},
		{number(5, -0.01, -0.02, 0.006), "undecided: the interval has both"},
		{number(5, 0.01, -0.01, 0.03), "undecided: the interval has both"},
		{number(5, 0.03, 0.02, 0.04), "undecided: the interval has both"},
		{number(5, 0.04, 0.03, 0.05), "**wrong**"},
		{number(5, -0.01, -0.02, -0.005), "**surprising**"},
	} {
		if got := p.outcome(tt.n); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.n, got, tt.want)
		}
	}
	// A surprise on both sides of 0 is none where the interval has 0.
	p = prediction{lo: -0.01, hi: 0.01, surprising: beyond(0.02)}
	for _, tt := range []struct {
		n    Number
		want string
	}{
		{number(5, 0.01, -0.03, 0.05), "undecided: the interval has both"},
		{number(5, 0.03, 0.025, 0.035), "**surprising**"},
		{number(5, -0.03, -0.035, -0.025), "**surprising**"},
	} {
		if got := p.outcome(tt.n); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.n, got, tt.want)
		}
	}
}

// Once the plan is done, nothing waits: every prediction and every sentence finds its numbers.
func TestTheWholePlanAnswersEverything(t *testing.T) {
	root := t.TempDir()
	b, err := os.ReadFile(filepath.Join(repository, "studies/control/quadratic-seed0.json"))
	if err != nil {
		t.Fatal(err)
	}
	put := func(study, trial string, whole bool) {
		var r map[string]any
		if err := json.Unmarshal(b, &r); err != nil {
			t.Fatal(err)
		}
		r["study"], r["trial"] = study, trial
		if !whole {
			delete(r, "analyse")
		}
		file, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(root, "studies", study), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, "studies", study, trial+".json"), file, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, arm := range arms {
		for _, rate := range rates {
			if !slices.Contains(hybrids, arm) {
				put("search", fmt.Sprintf("%s-lr%v", arm, rate), false)
			}
			put("half", fmt.Sprintf("%s-lr%v", arm, rate), false)
		}
	}
	for seed := range 3 {
		for _, arm := range controlled {
			put("control", fmt.Sprintf("%s-seed%d", arm, seed), arm == "quadratic")
		}
		for _, arm := range encodings {
			put("encodings", fmt.Sprintf("%s-seed%d", arm, seed), arm == "content")
		}
		for _, arm := range relationArms {
			put("relations", fmt.Sprintf("%s-seed%d", arm, seed), false)
		}
		for _, arm := range controlled {
			put("half", fmt.Sprintf("%s-seed%d", arm+tuned, seed), arm == "quadratic")
		}
		for _, arm := range []string{"quadratic", "quadratic-grid", "conv-twin"} {
			put("half", fmt.Sprintf("%s-seed%d", arm+tuned, seed+replicated), false)
		}
		for _, arm := range prunings {
			put("half", fmt.Sprintf("%s-seed%d", arm, seed), false)
		}
		for _, arm := range arms {
			put("half", fmt.Sprintf("%s-seed%d", arm, seed), arm == "quadratic" || arm == "content")
			if added := seed + planned; added < replicated {
				put("half", fmt.Sprintf("%s-seed%d", arm, added), arm == "quadratic")
			}
		}
		for _, arm := range dataArms {
			for _, size := range sizes {
				put("data", fmt.Sprintf("%s-n%d-seed%d", arm, size, seed), false)
				put("half", fmt.Sprintf("%s-n%d-seed%d", arm, size, seed), false)
				put("half", fmt.Sprintf("%s-n%d-seed%d", arm+tuned, size, seed), false)
			}
		}
	}
	page := readPage(t, pageFile)
	v, text, err := generated(root, page)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range predictions {
		if n := v.find(p.id); n.N != 3 {
			t.Errorf("prediction %q: %s has %d runs, want 3", p.says, p.id, n.N)
		}
	}
	for _, p := range slices.Concat(halfPredictions, laterPredictions, prunePredictions) {
		if n := v.at(halfPrefix).find(p.id); n.N < 2 { // two seeds were added
			t.Errorf("prediction %q at half width: %s has %d runs, want 2 or more", p.says, p.id, n.N)
		}
	}
	for _, p := range slices.Concat(ownPredictions, replicationPredictions) {
		if n := v.at(ownPrefix).find(p.id); n.N != 3 {
			t.Errorf("prediction %q at rates of half width: %s has %d runs, want 3", p.says, p.id, n.N)
		}
	}
	for _, missing := range []string{"NaN"} {
		if strings.Contains(text, missing) {
			t.Errorf("the page of a whole plan says %q", missing)
		}
	}
}

// A sentence that is decided at one width only says at which; if both are decided otherwise, it depends.
func TestBothWidths(t *testing.T) {
	yes, few, none := number(3, 0.02, 0.01, 0.03), number(1, 0.02, 0.01, 0.03), Number{}
	no := number(3, -0.02, -0.03, -0.01)
	for _, tt := range []struct {
		full, half     Number
		word, evidence string
	}{
		{few, none, open, "diff: 2.0 [1.0, 3.0] (n = 1)"},
		{none, few, open, "half width: diff: 2.0 [1.0, 3.0] (n = 1)"},
		{few, no, refuted + " at half width", "diff: 2.0 [1.0, 3.0] (n = 1); half width: −2.0 [−3.0, −1.0] (n = 3)"},
		{yes, few, supported, "diff: 2.0 [1.0, 3.0] (n = 3); half width: 2.0 [1.0, 3.0] (n = 1)"},
		{yes, yes, supported, "diff: 2.0 [1.0, 3.0] (n = 3); half width: 2.0 [1.0, 3.0] (n = 3)"},
		{yes, no, depends, "diff: 2.0 [1.0, 3.0] (n = 3); half width: −2.0 [−3.0, −1.0] (n = 3)"},
		{none, none, open, noRun},
	} {
		tt.half.ID = halfPrefix + "x"
		c := claim{verdict: sign("x", 1, "diff")}
		word, evidence := c.judge(&verdict{Numbers: []Number{tt.full, tt.half}})
		if word != tt.word || evidence != tt.evidence {
			t.Errorf("%+v, %+v:\n%s, %s, want\n%s, %s", tt.full, tt.half, word, evidence, tt.word, tt.evidence)
		}
	}
}

// At half width, the rates of half width decide. If those of full width decide otherwise, it depends.
func TestBothRates(t *testing.T) {
	yes, no, both := number(5, 0.02, 0.01, 0.03), number(5, -0.02, -0.03, -0.01), number(5, 0, -0.01, 0.01)
	const again = "; at rates of half width: "
	for _, tt := range []struct {
		half, own      Number
		word, evidence string
	}{
		{yes, yes, supported + " at half width", "half width: diff: 2.0 [1.0, 3.0] (n = 5)"},
		{yes, no, depends + " at half width",
			"half width: diff: 2.0 [1.0, 3.0] (n = 5)" + again + "−2.0 [−3.0, −1.0] (n = 5)"},
		{yes, both, open, "half width: diff: 2.0 [1.0, 3.0] (n = 5)" + again + "0.0 [−1.0, 1.0] (n = 5)"},
		{both, yes, supported + " at half width",
			"half width: diff: 0.0 [−1.0, 1.0] (n = 5)" + again + "2.0 [1.0, 3.0] (n = 5)"},
		{yes, Number{}, supported + " at half width", "half width: diff: 2.0 [1.0, 3.0] (n = 5)"},
		{Number{}, no, refuted + " at half width", "half width: diff: −2.0 [−3.0, −1.0] (n = 5)"},
	} {
		tt.half.ID, tt.own.ID = halfPrefix+"x", ownPrefix+"x"
		c := claim{verdict: sign("x", 1, "diff")}
		word, evidence := c.judge(&verdict{Numbers: []Number{tt.half, tt.own}})
		if word != tt.word || evidence != tt.evidence {
			t.Errorf("%+v, %+v:\n%s, %s, want\n%s, %s", tt.half, tt.own, word, evidence, tt.word, tt.evidence)
		}
	}
}

// A replication decides, once it has runs.
func TestReplicationDecides(t *testing.T) {
	const what = "a-minus-b"
	first, again := number(5, 0.02, 0.01, 0.03), number(5, -0.02, -0.03, -0.01)
	first.ID, again.ID = "control/difference/"+what, "replication/difference/"+what
	first.Holm, again.Holm = 0.1, 0.01
	verdictOf := replicable(1, what, "diff")
	for _, tt := range []struct {
		numbers        []Number
		word, evidence string
	}{
		{nil, open, noRun},
		{[]Number{first}, open, "diff: 2.0 [1.0, 3.0] (n = 5, corrected p 0.100)"},
		{[]Number{first, again}, refuted, "diff: 2.0 [1.0, 3.0] (n = 5, corrected p 0.100); " +
			"replication: −2.0 [−3.0, −1.0] (n = 5, corrected p 0.010)"},
	} {
		word, evidence := verdictOf(&verdict{Numbers: tt.numbers})
		if word != tt.word || evidence != tt.evidence {
			t.Errorf("%s, %s, want\n%s, %s", word, evidence, tt.word, tt.evidence)
		}
	}
}

// Of a model that was trained again, only these runs have its own rate; of another, those whose rate both searches
// chose.
func TestOwnRates(t *testing.T) {
	all := &runs{of: map[string][]*result{}}
	add := func(study, arm string, rate, acc float64, seed, size int) {
		r := &result{Study: study, arm: arm, rate: rate, seed: seed, size: size,
			Epochs: []epoch{{Step: 1, ValAcc: &acc}}}
		all.of[study] = append(all.of[study], r)
	}
	for _, arm := range []string{"quadratic", "quadratic-grid", "conv-twin", "learned", "content"} {
		for i, rate := range rates {
			add("search", arm, rate, float64(i), -1, 0)
			acc := float64(i)
			if arm == "quadratic" || arm == "conv-twin" {
				acc = -acc
			}
			if arm != "learned" || i > 0 { // its search is not complete
				add("half", arm, rate, acc, -1, 0)
			}
		}
		add("half", arm, 0, 0, 1, 0)
		add("half", arm, 0, 0, 2, 1000)
	}
	add("half", "quadratic-grid", 0, 0, 5, 0)
	add("half", "quadratic-tuned", 0, 0, 6, 0)
	add("half", "quadratic-tuned", 0, 0, 3, 0)
	own := all.own()
	for _, tt := range []struct {
		study, arm string
		size, seed int // seed 0: none
	}{
		{"control", "quadratic", 0, 3}, {"data", "quadratic", 1000, 0}, {"control", "quadratic-grid", 0, 1},
		{"data", "quadratic-grid", 1000, 2}, {"control", "conv-twin", 0, 0}, {"control", "learned", 0, 0},
		{"encodings", "content", 0, 1}, {"replication", "quadratic", 0, 6}, {"replication", "quadratic-grid", 0, 5},
	} {
		list, want := own.ofArm(tt.study, tt.arm, tt.size), min(tt.seed, 1)
		if len(list) != want || want > 0 && list[0].seed != tt.seed {
			t.Errorf("%s of %s, %d images: %d runs, want seed %d", tt.arm, tt.study, tt.size, len(list), tt.seed)
		}
	}
	if all.of["half"][len(all.of["half"])-1].arm != "quadratic-tuned" {
		t.Error("the view has renamed the run itself")
	}
}

// Overlap and width of heads whose values are known.
func TestHeadMeasures(t *testing.T) {
	for _, tt := range []struct {
		name                   string
		l                      layerHeads
		overlap, width, spread float64
	}{
		{"flat", layerHeads{Centers: [][2]float64{{0, 0}, {3, 1}}, Alpha: []float64{0, 0}}, 1,
			math.Sqrt(2 * (15*15 - 1) / 12.0), 0},
		{"two places", layerHeads{Centers: [][2]float64{{0, 0}, {0, 1}}, Alpha: []float64{2000, 2000}}, 0, 0, 0},
		{"one place", layerHeads{Centers: [][2]float64{{1, 1}, {1, 1}}, Alpha: []float64{2000, 2000}}, 1, 0, 0},
		// A head between two tokens gives a half to each, and its distance from its mean is a half.
		{"between", layerHeads{Centers: [][2]float64{{0, 0.5}, {0, 0}}, Alpha: []float64{2000, 2000}}, 0.5, 0.25,
			math.Sqrt2},
	} {
		var m heads
		if _, err := tt.l.measure(&m); err != nil {
			t.Fatal(err)
		}
		off := math.Abs(m.overlap-tt.overlap) + math.Abs(m.width-tt.width) + math.Abs(m.spread-tt.spread)
		if off > 1e-12 {
			t.Errorf("%s: %+v, want overlap %v, width %v, spread %v", tt.name, m, tt.overlap, tt.width, tt.spread)
		}
	}
}

// The rate with the highest validation accuracy in the last epoch wins once all are tried, unless its run diverged.
func TestChosenRate(t *testing.T) {
	tried := func(rate float64, diverged bool, accs ...float64) *result {
		r := &result{arm: "quadratic", rate: rate, Diverged: diverged}
		for _, acc := range accs {
			r.Epochs = append(r.Epochs, epoch{ValAcc: &acc})
		}
		return r
	}
	other := &result{arm: "resnet18", rate: 9, Epochs: []epoch{{ValAcc: new(float64)}}}
	*other.Epochs[0].ValAcc = 0.99
	for _, tt := range []struct {
		name string
		list []*result
		rate float64
		ok   bool
	}{
		{"last epoch", []*result{other, tried(0.003, false, 0.9, 0.3), tried(0.01, false, 0.2, 0.5),
			tried(0.03, false, 0.1, 0.4)}, 0.01, true},
		{"diverged", []*result{tried(0.003, false, 0.3), tried(0.01, false, 0.5), tried(0.03, true, 0.6)}, 0.01, true},
		{"all diverged", []*result{tried(0.003, true, 0.3), tried(0.01, true, 0.5), tried(0.03, true, 0.6)}, 0, false},
		{"one is missing", []*result{tried(0.003, false, 0.3), tried(0.01, false, 0.5)}, 0, false},
	} {
		all := &runs{of: map[string][]*result{"search": tt.list}}
		if rate, ok := all.chosen("quadratic"); ok != tt.ok || ok && rate != tt.rate {
			t.Errorf("%s: %g, %v; want %g, %v", tt.name, rate, ok, tt.rate, tt.ok)
		}
	}
}
