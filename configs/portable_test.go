package configs

import (
	"encoding/json"
	"math"
	"os/exec"
	"reflect"
	"strings"
	"testing"
)

// words look like something else to a reader of YAML 1.1 or 1.2.
var words = []string{"=", "<<", "~", "y", "N", "yes", "No", "ON", "off", "true", "null", "Null", "0b1", "0x1f", "017",
	"1:30", "1:30.5", "1_000", "1_0.5", "1e5", "1e-05", "1.0e-05", "1.5e+3", ".5", "-.inf", ".NaN", "2026-11-27",
	"2026-11-27 10:00:00", "2026-1-2T10:00:00Z", "a: b", "a #b", "- a", "[a]", "{a}", "'a'", "a'b", "!a", "&a", "*a", "%a",
	"@a", "a\tb", "größe", "1.2.3", "v1", "--"}

// floats are numbers that strconv writes with and without a dot, an exponent and its sign.
var floats = []float64{0, 1, 100, 0.1, 1e-5, 1e-6, 2e-5, 1.5e-7, 1e20, 1e21, 1.5e21, 5e-324, math.MaxFloat64}

// What config.yaml holds is what PyYAML reads in it, which docs/python.md recommends: it reads YAML 1.1.
func TestPyYAMLReadsWhatIsMeant(t *testing.T) {
	var all []Run
	for i := range max(len(words), len(floats)) {
		r := Default()
		r.Preset, r.Data.Name = words[i%len(words)], words[(i+1)%len(words)]
		x := floats[i%len(floats)]
		r.Train.LR, r.Train.WeightDecay, r.Train.Clip, r.Train.Betas = x, x, x, [2]float64{x, 1e-5}
		again, err := Parse("config.yaml", r.YAML())
		if err != nil || !reflect.DeepEqual(again.YAML(), r.YAML()) || again.Preset != r.Preset || again.Train.LR != x {
			t.Errorf("%q, %g: parsed as %q, %g, %v", r.Preset, x, again.Preset, again.Train.LR, err)
		}
		all = append(all, r)
	}
	r := all[4] // 1e-05
	text := string(r.YAML())
	for _, want := range []string{"\n  lr: 1.0e-05\n", "\n  betas: [1.0e-05, 1.0e-05]\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
	if text := string(all[0].YAML()); !strings.HasPrefix(text, "preset: \"=\"\n") {
		t.Errorf("a preset = begins with %.20q", text)
	}

	python := ""
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if path, err := exec.LookPath(name); err == nil && exec.Command(path, "-c", "import yaml").Run() == nil {
			python = path
		}
	}
	if python == "" {
		t.Skip("no Python with PyYAML: on Debian, apt-get install python3-yaml")
	}
	var documents []string
	for _, r := range all {
		documents = append(documents, string(r.YAML()))
	}
	cmd := exec.Command(python, "-c", "import json, sys, yaml\n"+
		"json.dump([yaml.safe_load(t) for t in json.load(sys.stdin)], sys.stdout)")
	in, err := json.Marshal(documents)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin = strings.NewReader(string(in))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var read []struct {
		Preset string
		Data   struct{ Name string }
		Train  struct {
			LR, Clip float64
			Decay    float64 `json:"weight_decay"`
			Betas    [2]float64
		}
	}
	if err := json.Unmarshal(out, &read); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for i, got := range read {
		want := all[i]
		if got.Preset != want.Preset || got.Data.Name != want.Data.Name || got.Train.LR != want.Train.LR ||
			got.Train.Clip != want.Train.Clip || got.Train.Decay != want.Train.WeightDecay ||
			got.Train.Betas != want.Train.Betas {
			t.Errorf("PyYAML reads %+v in\n%s", got, want.YAML())
		}
	}
}
