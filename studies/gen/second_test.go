package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/study/stats"
)

// A synthetic writes result files of the second plan whose numbers are known.
type synthetic struct {
	t    *testing.T
	root string
}

// put writes a run that has so many of 1,000 test images right. more changes it.
func (s synthetic) put(study, trial string, right int, more map[string]any) {
	s.t.Helper()
	bits := make([]byte, 125)
	for i := range right {
		bits[i/8] |= 1 << (i % 8)
	}
	r := map[string]any{"study": study, "trial": trial, "program": "p", "command": "c", "diverged": false,
		"epochs":  []any{map[string]any{"epoch": 1, "step": 10, "val_acc": 0.5}},
		"summary": map[string]any{"params": 1, "gflop_step": 2, "best_epoch": 1},
		"test": map[string]any{"n": 1000, "acc": float64(right) / 1000,
			"right": base64.StdEncoding.EncodeToString(bits)}}
	maps.Copy(r, more)
	b, err := json.Marshal(r)
	if err != nil {
		s.t.Fatal(err)
	}
	dir := filepath.Join(s.root, "studies", study)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, trial+".json"), b, 0o666); err != nil {
		s.t.Fatal(err)
	}
}

// arm writes all planned runs of an arm: seed i has right + 2i of 1,000 images, in turn below and above.
func (s synthetic) arm(study, arm string, right int, more func(i int) map[string]any) {
	for _, g := range planOf(study).groups {
		if g.arm != arm {
			continue
		}
		for i := range g.count {
			var m map[string]any
			if more != nil {
				m = more(i)
			}
			s.put(study, fmt.Sprintf("%s-seed%d", arm, g.first+i), right+10*(i%2), m)
		}
	}
}

// headed is a run of layers with two hard heads whose centers are away(l) tokens up from the query.
func headed(layers int, away func(l int) float64, general bool) map[string]any {
	var rows []any
	var grams [][][]float64
	for l := range layers {
		row := map[string]any{"centers": [][2]float64{{away(l), 0}, {away(l), 0}}}
		if general {
			row["precision"] = [][2][2]float64{{{60, 2}, {2, 60}}, {{60, 2}, {2, 60}}}
		} else {
			row["alpha"] = []float64{30, 30}
		}
		rows, grams = append(rows, row), append(grams, [][]float64{{1, 0}, {0, 2}})
	}
	of := map[string]any{"layers": rows}
	return map[string]any{"heads": map[string]any{"000": of, "001": of},
		"operator": map[string]any{"canonical_gram": grams, "small": map[string]any{}}}
}

// tabled is a run of layers of encoding table, up to 8 × 8 tokens, whose two heads are at the shift (away(l), 0).
func tabled(layers int, away func(l int) float64) map[string]any {
	small, grams := map[string]any{}, [][][]float64{}
	for l := range layers {
		table := make([]float64, 2*15*15)
		for i, s := range grid.Shifts() {
			y, x := float64(s[0])-away(l), float64(s[1])
			table[i] = -30 * (y*y + x*x)
			table[225+i] = table[i]
		}
		small[fmt.Sprintf("encoder.layer.%d.attention.self.relative_position_bias_table", l)] = table
		grams = append(grams, [][]float64{{1, 0}, {0, 2}})
	}
	return map[string]any{"operator": map[string]any{"canonical_gram": grams, "small": small}}
}

// Distances of heads by layers of which all pairs grow, of which one does not in turn, and that are all alike.
func grows(l int) float64   { return float64(l) * 0.5 }
func shrinks(l int) float64 { return 6 - float64(l)*0.5 }
func still(int) float64     { return 1 }

// whole writes the second plan as if all runs were done.
func (s synthetic) whole() {
	for _, g := range planOf("rates").groups {
		s.arm("rates", g.arm, 500, func(int) map[string]any {
			m := headed(6, still, false)
			val := 0.3
			if g.arm == "quadratic-w0.01-p0.03" || g.arm == "quadratic-w0.003-p0.1" || g.arm == "quadratic-w0.03-p0.3" {
				val = 0.6
			}
			m["epochs"] = []any{map[string]any{"epoch": 1, "step": 10, "val_acc": val}}
			return m
		})
	}
	// compute: the matched network is 0, 5 and 9 points ahead, ResNet18 8, 8.5 and 20.
	s.arm("compute", "quadratic", 600, func(int) map[string]any {
		m := headed(6, grows, false) // after the last epoch, which is not the best, heads shrink
		m["heads"].(map[string]any)["002"] = headed(6, shrinks, false)["heads"].(map[string]any)["001"]
		m["epochs"] = []any{map[string]any{"epoch": 1, "step": 10, "val_acc": 0.5},
			map[string]any{"epoch": 2, "step": 20, "val_acc": 0.4}}
		return m
	})
	for arm, right := range map[string]int{"conv-twin-e4": 600, "conv-twin-e7": 650, "conv-twin-e10": 690,
		"resnet18-e4": 680, "resnet18-e5": 685, "resnet18-e12": 800} {
		s.arm("compute", arm, right, nil)
	}
	// outward: all cells grow, except table on built-in images, which shrinks; frozen heads do neither in the mean.
	for _, g := range planOf("outward").groups {
		layers := 6
		if strings.HasSuffix(g.arm, "-l12") {
			layers = 12
		}
		s.arm("outward", g.arm, 500, func(i int) map[string]any {
			switch {
			case g.arm == "table-shapes32":
				return tabled(layers, shrinks)
			case strings.HasPrefix(g.arm, "table"):
				return tabled(layers, grows)
			case g.arm == "quadratic-general":
				return headed(layers, grows, true)
			case strings.HasPrefix(g.arm, "quadratic-frozen"):
				return headed(layers, []func(int) float64{grows, shrinks, still}[i%3], false)
			case g.arm == "quadratic-grid":
				return headed(layers, still, false)
			}
			return headed(layers, grows, false)
		})
	}
	// places: learned and transplanted places have 70 %, and so on.
	for arm, right := range map[string]int{"learned": 700, "transplanted": 700, "frozen": 650, "widths": 660,
		"centers": 690, "rotated": 680, "reversed": 670, "grid": 690} {
		s.arm("places", arm, right, func(i int) map[string]any {
			if arm != "learned" || i >= replacedRuns {
				return nil
			}
			costs := func(edge, zeros float64) map[string]any {
				return map[string]any{"function": map[string]any{"taps": map[string]any{"acc": edge, "n": 10},
					"taps_zeros": map[string]any{"acc": zeros - 0.001*float64(i%2), "n": 10}}}
			}
			none := map[string]any{}
			return map[string]any{"analyse": map[string]any{"function_all": none,
				"layers": []any{none, none, none, none, costs(0.69, 0.66), costs(0.68, 0.68)}}}
		})
	}
	for _, w := range matrixRates {
		s.arm("places", fmt.Sprintf("search-transplanted-lr%v", w), 600, nil)
	}
	for arm, right := range map[string]int{"twin-111111": 650, "twin-112233": 660, "twin-332211": 640,
		"twin-222222": 662, "dcls": 610} {
		s.arm("dilated", arm, right, nil)
	}
	for _, arm := range dclsPairs() {
		s.arm("dilated", arm, 600, nil)
	}
	// marks: attention learns the task, and the others have 33, 60, 34 and 95 %.
	for i, arm := range markArms {
		s.arm("marks", arm, []int{980, 330, 600, 340, 950}[i], nil)
	}
	for _, arm := range markSearches() {
		s.arm("marks", arm, 500, nil)
	}
	s.full()
	s.zoo()
}

// Every number of a second plan whose runs are made up is the one that they were made with, and an independent program
// finds the same.
func TestSecondPlan(t *testing.T) {
	s := synthetic{t, t.TempDir()}
	s.whole()
	// A run that diverged counts for the stopping rule and for no comparison.
	s.put("compute", "conv-twin-e7-seed27", 0, map[string]any{"diverged": true, "test": nil, "summary": nil})
	v, file, err := compute(s.root)
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]float64{
		"rates/position/0.003": 0.1, "rates/position/0.01": 0.03, "rates/position/0.03": 0.3, "rates/taps-fewest": 12,
		"rates/taps-change": 0, "rates/val/quadratic-w0.01-p0.03": 0.6,
		"compute/accuracy/quadratic": 0.605, "compute/difference/conv-twin-e4-minus-quadratic": 0,
		"compute/difference/conv-twin-e7-minus-quadratic": 0.05, "compute/difference/conv-twin-e10-minus-quadratic": 0.09,
		"compute/difference/resnet18-e12-minus-quadratic": 0.804 - 0.605,
		"outward/trend-shift/quadratic":                   1, "outward/trend-shift/quadratic-l12": 1, "outward/trend-shift/table": 1,
		"outward/trend-shift/table-l12": 1, "outward/trend-shift/quadratic-general": 1,
		"outward/trend-shift/table-shapes32": -1, "outward/trend-shift/quadratic-grid": 0,
		"outward/trend-shift/quadratic-frozen": 0, "outward/trend-difference/quadratic": 1, "outward/cells-above": 6,
		"outward/trend-least": -1, "outward/share-repeated/table": 1, "outward/share-better/quadratic-general": 1,
		"outward/zeros-cost/5": 0.0305, "outward/zeros-cost/6": 0.0005,
		"places/difference/transplanted-minus-frozen": 0.05, "places/difference/widths-minus-frozen": 0.01,
		"places/difference/rotated-minus-transplanted": -0.02, "places/difference/reversed-minus-transplanted": -0.03,
		"places/difference/centers-minus-frozen": 0.04, "places/difference/learned-minus-grid": 0.01,
		"places/not-inferior/transplanted-minus-learned":   0,
		"dilated/difference/twin-112233-minus-twin-111111": 0.01, "dilated/difference/twin-112233-minus-twin-222222": -0.002,
		"dilated/difference/dcls-minus-quadratic": 0.01, "marks/difference/attention-minus-conv-far": 0.03,
		"control-full/difference/quadratic-minus-quadratic-grid": 0.02,
		"control-full/difference/quadratic-minus-conv-twin-e24":  -0.01,
		"control-full/difference/resnet18-e26-minus-quadratic":   0.05,
		"control-full/val/search-quadratic-w0.01-p0.03":          0.6,
		"control-full/power": 0.9135, "zoo/accuracy/vit": 0.6033, "zoo/rate/cct": 0.03, "zoo/difference/cct-minus-vit": 0.14,
		"zoo/params/swin": 1,
	} {
		if n := v.find(id); n.N == 0 || math.Abs(float64(n.Value)-want) > 1e-3 {
			t.Errorf("%s is %v (n = %d), want %v", id, n.Value, n.N, want)
		}
	}
	if n := v.find("compute/difference/conv-twin-e7-minus-quadratic"); n.N != 7 {
		t.Errorf("one of eight runs diverged: n = %d", n.N)
	}
	text := secondTable("compute")(v) + secondTable("outward")(v) + secondTable("places")(v) +
		secondTable("dilated")(v) + secondTable("marks")(v) + fullTable(v) + secondTable("zoo")(v) + zooTable(v)
	for _, line := range []string{
		"| matched network − `quadratic` at equal time | +3 to +8 | quadratic ahead | " +
			"8 and 8, without those that diverged (n = 7) | 4.9 [4.3, 5.5] | < 0.001 | " +
			"**significant**, more than 3 points | as predicted |",
		"| matched network − `quadratic` at equal steps | – | – | 8 and 8 | 0.0 [−0.6, 0.6] | 1.000 | " +
			"not significant, less than 3 points | – |",
		"| ResNet18 − `quadratic` at equal operations by the equations | +9 to +17 | below +6 | 5 and 8 | " +
			"19.9 [19.2, 20.6] | < 0.001 | **significant**, more than 3 points | **wrong** |",
		"| cells of learned heads with a mean τ above 0.5, of seven | at least 6 | – | 38 | 6 | – | – | as predicted |",
		"| smallest mean τ of the seven cells | – | below 0 | 38 | −1.00 | – | – | **surprising** |",
		"| τ of frozen heads, 6 layers | the interval holds 0 | it does not | 5 | 0.00 [−1.00, 1.00] | – | – | as predicted |",
		"| transplanted places − `learned` | above −1 | below −2 | 16 and 16 | 0.0 [−0.4, 0.4] | < 0.001 | " +
			"**not worse** by 1 point or more | as predicted |",
		"| hard taps in layer 5 of eight donors: what zeros cost more than repeated edges | 1 to 8 points | no difference | " +
			"8 | 3.0 [3.0, 3.1] | – | – | as predicted |",
		"| dilations 1 1 2 2 3 3 − dilations 2 × 6 | 0 to +2 | below 0 | 10 and 10 | −0.2 [−0.7, 0.3] | 0.407 | " +
			"not significant, less than 1 point | undecided: the interval has both |",
		"| accuracy of `conv-far` | 30 to 70 % | above 90 % | 5 | 95.4 [94.7, 96.1] | – | – | **surprising** |",
		"| `attention` − `conv-far` | – | – | 5 and 5 | 3.0 [2.2, 3.8] | < 0.001 | **significant**, less than 10 points | – |",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("the tables do not have\n%s\nbut\n%s", line, text)
		}
	}
	if strings.Contains(text, "no verdict") || strings.Contains(text, noRun) || strings.Contains(text, "NaN") {
		t.Errorf("all runs are done, and the tables say\n%s", text)
	}
	independently(t, s.root, file)
}

// independently has .ci/verdict.py compute the numbers of the result files in root, if there is a Python.
func independently(t *testing.T, root string, numbers []byte) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Log("no python3: .ci/verdict.py was not run")
		return
	}
	if err := os.MkdirAll(filepath.Join(root, "docs/data"), 0o777); err != nil {
		t.Fatal(err)
	}
	times := []byte(readPage(t, "studies/steptime.json"))
	for name, b := range map[string][]byte{numbersFile: numbers, "studies/steptime.json": times} {
		if err := os.WriteFile(filepath.Join(root, name), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command(python, filepath.Join(repository, ".ci/verdict.py"),
		root).CombinedOutput(); err != nil {
		t.Errorf("verdict.py: %v\n%s", err, out)
	}
}

// Before its stopping rule is met, nothing of a study is computed or printed, whichever run is missing. A run that is
// not planned does not count.
func TestNoVerdictBeforeTheStoppingRule(t *testing.T) {
	for _, tt := range []struct{ study, trial, alike, says string }{
		{"compute", "resnet18-e12-seed24", "resnet18-e12-seed25", "46 of 47 runs; no verdict before the stopping rule."},
		{"outward", "quadratic-pool2-seed31", "quadratic-pool2-seed32", "46 of 47 runs; no verdict before the stopping rule."},
		{"places", "search-transplanted-lr0.03-seed215", "frozen-seed108", "85 of 86 runs; no verdict before the stopping rule."},
		{"marks", "search-conv-far-lr0.01-seed201", "conv-far-seed25", "64 of 65 runs; no verdict before the stopping rule."},
		{"control-full", "conv-twin-e24-seed20", "conv-twin-e24-seed25", "82 of 83 runs; no verdict before the stopping rule."},
		{"zoo", "search-cct-lr0.003-seed400", "cct-seed413", "65 of 66 runs; no verdict before the stopping rule."},
		{"dilated", "search-dcls-w0.03-p0.3-seed201", "dcls-seed70", "67 of 68 runs; no verdict before the stopping rule."},
	} {
		s := synthetic{t, t.TempDir()}
		s.whole()
		if err := os.Remove(filepath.Join(s.root, "studies", tt.study, tt.trial+".json")); err != nil {
			t.Fatal(err)
		}
		s.put(tt.study, tt.alike, 999, nil)
		v, _, err := compute(s.root)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range v.Numbers {
			late := tt.study == "compute" && (strings.HasPrefix(n.ID, "outward/") || strings.HasPrefix(n.ID,
				"dilated/"))
			if strings.HasPrefix(n.ID, tt.study+"/") || late {
				t.Fatalf("%s without %s: %s is computed", tt.study, tt.trial, n.ID)
			}
		}
		text := secondTable(tt.study)(v)
		if !strings.HasPrefix(text, tt.says) || strings.Contains(text, "significant") || strings.Contains(text, "[") ||
			strings.Count(text, "no verdict yet") != len(questions[tt.study]) {
			t.Errorf("%s without %s: want %q and no result:\n%s", tt.study, tt.trial, tt.says, text)
		}
	}
	v, _, err := compute(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for study, all := range questions {
		text := secondTable(study)(v)
		if !strings.Contains(text, "so not run yet; no verdict before") || study != "rates" && strings.Count(text,
			noRun) != len(all)+1 {
			t.Errorf("%s without a run: want %q in each line:\n%s", study, noRun, text)
		}
	}
}

// A run of study outward without its weights is an error that names it.
func TestOutwardNeedsWeights(t *testing.T) {
	for what, more := range map[string]map[string]any{
		"no operator of two layers": nil,
		"no heads of epoch 1": {"operator": map[string]any{"canonical_gram": [][][]float64{{{1}}, {{1}}},
			"small": map[string]any{}}},
		"a table of 3 scores": {"operator": map[string]any{"canonical_gram": [][][]float64{{{1}}, {{1}}},
			"small": map[string]any{"encoder.layer.0.attention.self.relative_position_bias_table": []float64{1, 2, 3}}}},
	} {
		s := synthetic{t, t.TempDir()}
		s.whole()
		s.put("outward", "table-seed33", 500, more)
		if _, _, err := compute(s.root); err == nil || !strings.Contains(err.Error(), "trial table-seed33: ") ||
			!strings.Contains(err.Error(), what) {
			t.Errorf("want an error of trial table-seed33 with %q, got %v", what, err)
		}
	}
}

// Welch's interval and p of two samples: t is -1.147 with 2.388 degrees of freedom.
func TestWelch(t *testing.T) {
	n, ok := welch("x", []float64{1, 2, 3, 4}, []float64{2, 4, 9})
	if !ok || n.N != 3 || math.Abs(float64(n.Value)+2.5) > 1e-12 || math.Abs(float64(n.P)-0.3532) > 1e-3 ||
		math.Abs(n.CI.Lo+10.5575) > 0.01 || math.Abs(n.CI.Hi-5.5575) > 0.01 {
		t.Errorf("%+v", n)
	}
	x, base := []float64{0.70, 0.71, 0.69, 0.70}, []float64{0.70, 0.70, 0.71, 0.69}
	better, _ := notInferior("x", x, base, 0.01)
	worse, _ := notInferior("x", x, base, -0.01)
	if sum := float64(better.P + worse.P); better.P > 0.1 || math.Abs(sum-1) > 1e-9 {
		t.Errorf("no inferiority by 0.01: p %v, by -0.01: %v", better.P, worse.P)
	}
	if n, _ := welch("x", []float64{1, 1}, []float64{1, 1}); n.CI.Known() || n.P.Known() {
		t.Errorf("equal values: %+v", n)
	}
	if n, _ := welch("x", []float64{1}, []float64{1, 2}); n.N != 1 || n.CI.Known() {
		t.Errorf("one run: %+v", n)
	}
	if _, ok := welch("x", nil, []float64{1, 2}); ok {
		t.Error("no runs")
	}
}

// What a test says where the interval is, compared with the difference that matters.
func TestDecided(t *testing.T) {
	for _, tt := range []struct {
		lo, hi, p float64
		want      string
	}{
		{0.04, 0.05, 0.01, "**significant**, more than 3 points"}, {-0.05, -0.04, 0.01, "**significant**, more than 3 points"},
		{0.01, 0.05, 0.01, "**significant**"}, {0.01, 0.02, 0.01, "**significant**, less than 3 points"},
		{-0.01, 0.02, 0.4, "not significant, less than 3 points"}, {-0.01, 0.05, 0.4, "not significant"},
		{0.01, 0.05, 0.05, "not significant"},
	} {
		n := Number{N: 8, CI: stats.Interval{Lo: tt.lo, Hi: tt.hi}}
		n.Holm = null.Float(tt.p)
		if got := decided(0.03, "3 points")(n); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt, got, tt.want)
		}
	}
}

// The trials of plan.json are planned, and those of the studies that the program knows are all in it or in the runner.
func TestPlanJSONHasThePlannedTrials(t *testing.T) {
	var entries []entry
	if err := json.Unmarshal([]byte(readPage(t, "studies/plan.json")), &entries); err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		i := slices.IndexFunc(second, func(p plan) bool { return p.study == e.Study })
		if i < 0 {
			continue
		}
		arm, seed, _ := strings.Cut(e.Trial, "-seed")
		if !slices.ContainsFunc(second[i].groups, func(g group) bool {
			n := 0
			_, err := fmt.Sscan(seed, &n)
			return err == nil && g.arm == arm && n >= g.first && n < g.first+g.count
		}) {
			t.Errorf("plan.json has %s/%s, which studies/gen does not plan", e.Study, e.Trial)
		}
	}
}

// The rates that the runner chose are those that validation accuracy chooses here.
func TestRatesAreThoseOfTheRunner(t *testing.T) {
	all, err := read(filepath.Join(repository, "studies"))
	if err != nil {
		t.Fatal(err)
	}
	var choices map[string]struct{ Chosen any }
	if err := json.Unmarshal([]byte(readPage(t, "studies/rates/"+choicesFile)), &choices); err != nil {
		t.Fatal(err)
	}
	best := func(arms []string) (chosen string) {
		return slices.MaxFunc(arms, func(a, b string) int {
			return cmpFirst(all.validation("rates", a), all.validation("rates", b))
		})
	}
	var pairs []string
	for _, g := range planOf("rates").groups {
		if strings.HasPrefix(g.arm, "quadratic-w") {
			pairs = append(pairs, g.arm)
		}
	}
	for name, c := range choices {
		got := ""
		switch rates, ok := c.Chosen.([]any); {
		case ok:
			got = best(pairs)
			c.Chosen = fmt.Sprintf("quadratic-w%v-p%v", rates[0], rates[1])
		case name == "resnet18":
			got = best([]string{"resnet18-lr0.03", "resnet18-lr0.06", "resnet18-lr0.12", "resnet18-lr0.24"})
			c.Chosen = fmt.Sprintf("resnet18-lr%v", c.Chosen)
		default:
			got = best(atRates(name))
			c.Chosen = fmt.Sprintf("%s-lr%v", name, c.Chosen)
		}
		if got != c.Chosen {
			t.Errorf("%s: %v in %s, %s here", name, c.Chosen, choicesFile, got)
		}
	}
	if len(choices) < 3 {
		t.Errorf("%s has %d choices", choicesFile, len(choices))
	}
}
