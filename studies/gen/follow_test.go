package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/configs"
)

// searchedPlaces writes the runs that the rest of study places waits for: the rate 0.01 has the best accuracy on
// validation images, and 0.03 would have, had one of its runs not diverged.
func (s synthetic) searchedPlaces() {
	s.arm("places", "learned", 700, nil)
	for _, of := range []struct {
		arm string
		val float64
	}{{"quadratic-grid-lr0.003", 0.5}, {"quadratic-grid-lr0.01", 0.6}, {"quadratic-grid-lr0.03", 0.55}} {
		s.arm("rates", of.arm, 500, func(int) map[string]any { return validated(of.val) })
	}
	for i, val := range []float64{0.6, 0.62, 0.7} {
		s.arm("places", atRates("search-transplanted")[i], 600, func(seed int) map[string]any {
			m := validated(val)
			m["diverged"] = val == 0.7 && seed == 1
			return m
		})
	}
}

func (s synthetic) plan() ([]string, error) {
	all, err := read(filepath.Join(s.root, "studies"))
	if err != nil {
		return nil, err
	}
	return planMore(s.root, all)
}

func validated(val float64) map[string]any {
	return map[string]any{"epochs": []any{map[string]any{"epoch": 1, "step": 10, "val_acc": 0.9},
		map[string]any{"epoch": 2, "step": 20, "val_acc": val}}}
}

func planFile(t *testing.T, root string) (text string, entries []entry) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, "studies/plan.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &entries); err != nil {
		t.Fatal(err)
	}
	return string(b), entries
}

// Runs that wait for a search are planned once it is done and once only, at its best rate and with its recipe.
func TestPlanFollowsTheSearch(t *testing.T) {
	s := synthetic{t, t.TempDir()}
	s.searchedPlaces()
	before := readPage(t, "studies/plan.json")
	var first []entry
	if err := json.Unmarshal([]byte(before), &first); err != nil {
		t.Fatal(err)
	}
	first = slices.DeleteFunc(first, func(e entry) bool { return followed(e) })
	lines := []string{}
	for _, e := range first {
		line, err := lineOf(e)
		if err != nil || !strings.Contains(before, line) {
			t.Fatalf("a line of plan.json would change to %s (%v)", line, err)
		}
		lines = append(lines, line)
	}
	text := "[\n" + strings.Join(lines, ",\n") + "\n]\n"
	if err := os.WriteFile(filepath.Join(s.root, "studies/plan.json"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(s.root, "studies/places/learned-seed55.json")
	kept, err := os.ReadFile(missing)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(missing); err != nil {
		t.Fatal(err)
	}
	if says, err := s.plan(); err != nil || says[0] != "places: 21 of 22 runs of search-transplanted-lr0.003 and its like are done; nothing to plan yet" {
		t.Errorf("without a donor: %q, %v", says, err)
	}
	if _, now := planFile(t, s.root); len(now) != len(first) {
		t.Errorf("%d entries without a donor, want the %d that were there", len(now), len(first))
	}
	if err := os.WriteFile(missing, kept, 0o666); err != nil {
		t.Fatal(err)
	}
	s.arm("dilated", dclsPairs()[0], 600, func(int) map[string]any { return validated(0.5) })
	for i, arm := range dclsPairs() {
		s.arm("dilated", arm, 600, func(int) map[string]any { return validated(0.5 + 0.01*float64(i%5)) })
	}
	for i, arm := range markSearches() {
		s.arm("marks", arm, 600, func(int) map[string]any { return validated(0.5 - 0.01*float64(i%4)) })
	}
	says, err := s.plan()
	if err != nil || says[0] != "places: search-transplanted-lr0.01 has the best validation accuracy, 62.00 %; runs to add: 64" ||
		says[1] != "dilated: search-dcls-w0.01-p0.1 has the best validation accuracy, 54.00 %; runs to add: 10" ||
		says[6] != "marks: search-conv-far-lr0.0003 has the best validation accuracy, 50.00 %, at the edge of the search; runs to add: 5" {
		t.Errorf("%q, %v", says, err)
	}
	text, now := planFile(t, s.root)
	if says, err := s.plan(); err != nil || !strings.HasSuffix(says[0], "; runs to add: 0") {
		t.Errorf("again: %q, %v", says, err)
	}
	if again, _ := planFile(t, s.root); again != text || len(now) != len(first)+99 {
		t.Errorf("%d entries after the searches, want %d, and the same file when run again", len(now), len(first)+99)
	}
	like := find(now, "places", "search-transplanted-lr0.01")
	seen := map[string][]string{}
	for _, e := range now {
		arm, _, _ := strings.Cut(e.Trial, "-seed")
		if e.Program != like.Program && e.Study == "places" {
			t.Errorf("%s has another program than the search", e.Trial)
		}
		seen[e.Study+"/"+arm] = append(seen[e.Study+"/"+arm], strings.Join(e.Args, " "))
	}
	recipe := "--preset small/quadratic --dim 48 --ffn 96 --batch 256 --average 0.99 --optimizer muon --momentum 0.95 " +
		"--weight-decay 0.05 --augment crop,altflip --label-smoothing 0.1 --clip 1 --epochs 4"
	for arm, want := range map[string]string{
		"places/transplanted": recipe + " --heads-init from:studies/places/learned-seed%d.json --freeze heads --lr 0.01 --seed %d",
		"places/widths":       recipe + " --heads-init from+widths:studies/places/learned-seed%d.json --freeze heads --lr 0.01 --seed %d",
		"places/centers":      recipe + " --heads-init from+centers:studies/places/learned-seed%d.json --freeze heads --lr 0.01 --seed %d",
		"places/rotated":      recipe + " --heads-init from+rotated=%[2]d:studies/places/learned-seed%[1]d.json --freeze heads --lr 0.01 --seed %[2]d",
		"places/reversed":     recipe + " --heads-init from+reversed:studies/places/learned-seed%d.json --freeze heads --lr 0.01 --seed %d",
		"places/frozen":       recipe + " --freeze heads --lr 0.01 --seed %[2]d",
		"places/grid":         strings.Replace(recipe, "small/quadratic", "small/quadratic-grid", 1) + " --lr 0.01 --seed %[2]d",
	} {
		runs := 8
		if arm == "places/transplanted" {
			runs = 16
		}
		if len(seen[arm]) != runs {
			t.Fatalf("%s has %d runs, want %d", arm, len(seen[arm]), runs)
		}
		for i, got := range seen[arm] {
			if want := fmt.Sprintf(want, 40+i, 100+i); got != strings.Split(want, "%!")[0] {
				t.Errorf("%s:\n%s, want\n%s", arm, got, want)
			}
		}
	}
	if dcls := seen["dilated/dcls"]; len(dcls) != 10 || !strings.HasSuffix(dcls[9], "--lr 0.01 --set train.position_lr=10 --seed 69") ||
		!strings.Contains(dcls[0], "--preset small/dcls --dim 48") {
		t.Errorf("dcls: %q", dcls)
	}
	if far := seen["marks/conv-far"]; len(far) != 5 ||
		!strings.HasSuffix(far[4], "--layers [{}, {dilation: 3}] --epochs 10 --lr 0.0003 --seed 24") {
		t.Errorf("conv-far: %q", far)
	}
	for _, e := range now {
		if followed(e) {
			acceptable(t, e)
		}
	}
}

// followed reports whether a run waits for a search.
func followed(e entry) bool {
	arm, _, _ := strings.Cut(e.Trial, "-seed")
	_, donated := placed[arm]
	return e.Study == "places" && (donated || arm == "frozen" || arm == "grid") ||
		e.Study == "dilated" && arm == "dcls" || e.Study == "marks" && !strings.HasPrefix(arm, "search-")
}

// acceptable checks that the settings of a planned run are valid.
func acceptable(t *testing.T, e entry) {
	t.Helper()
	names := map[string]string{"--model": "model.kind", "--heads": "model.heads", "--layers": "model.layers",
		"--preset": "preset", "--dim": "model.dim", "--ffn": "model.ffn", "--lr": "train.lr",
		"--heads-init": "model.heads_init", "--freeze": "train.freeze", "--seed": "seed", "--epochs": "train.epochs",
		"--data": "data.name"}
	var set []string
	for i := 0; i+1 < len(e.Args); i += 2 {
		value := e.Args[i+1]
		if e.Args[i] == "--freeze" {
			value = "[" + value + "]"
		}
		if name := names[e.Args[i]]; name != "" {
			set = append(set, name+"="+value)
		}
	}
	pick := func(name string) (string, error) { return name, nil }
	if _, err := configs.Resolve(configs.Sources{Set: set}, pick); err != nil {
		t.Errorf("%s: %v", e.Trial, err)
	}
}
