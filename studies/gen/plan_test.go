package main

import (
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/attnconv/attnconv/configs"
)

// The commands of studies/README.md, with studies/recipe.yaml, have the settings that the runs had. Settings that the
// program has got since are not compared: their defaults do what was done before.
func TestPlansRepeatTheRuns(t *testing.T) {
	all, err := read(filepath.Join(repository, "studies"))
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, s := range studies[:5] {
		for _, r := range all.of[s.name] {
			set := []string{"preset=small/" + strings.TrimSuffix(r.arm, tuned)}
			if layers, ok := hybridLayers[r.arm]; ok {
				set = []string{"preset=small/quadratic", "model.layers=" + layers, "model.border=replicate"}
			}
			if slices.Contains(prunings, r.arm) {
				set = []string{"preset=small/quadratic-general"}
			}
			rate, epochs := r.rate, 15
			switch s.name {
			case "search":
				epochs = 4
			case "half":
				epochs = 4
				if set = append(set, "model.dim=48", "model.ffn=96"); r.arm == "resnet18" {
					set = append(set[:1], "model.width=8")
				}
			}
			if r.seed < 0 {
				r.seed = 100
			} else {
				rate = chosen(t, s.name, all, r.arm)
			}
			set = append(set, fmt.Sprintf("seed=%d", r.seed))
			if r.size > 0 {
				set = append(set, fmt.Sprintf("data.train_size=%d", r.size),
					fmt.Sprintf("train.eval_every=%d", 45000/r.size))
				epochs *= 45000 / r.size
			}
			switch r.arm {
			case "general-kept", "general-random":
				epochs = 2
			case "general-pruned":
				epochs = 2
				set = append(set, "train.surgery=[prune heads:degenerate]")
			}
			set = append(set, fmt.Sprintf("train.epochs=%d", epochs))
			set = append(set, fmt.Sprintf("train.lr=%v", rate))
			now, err := configs.Resolve(configs.Sources{Set: set,
				Files: []string{filepath.Join(repository, "studies/recipe.yaml")}},
				func(name string) (string, error) { return name, nil })
			if err != nil {
				t.Fatal(err)
			}
			settings := flat(t, now.Run.YAML())
			for key, was := range flat(t, []byte(r.Config)) {
				is, known := settings[key]
				chance := key == "train.surgery" && r.arm == "general-random"
				if known && !chance && !reflect.DeepEqual(is, was) && !strings.HasSuffix(key, "val_size") {
					t.Errorf("%s/%s: %s is %v in the plan, and was %v", s.name, r.Trial, key, is, was)
				}
				compared++
			}
		}
	}
	if compared < 1000 {
		t.Errorf("only %d settings were compared", compared)
	}
}

// hybridLayers are the blocks of hybrids.
var hybridLayers = map[string]string{"conv-first": "conv*3,quadratic*3", "attention-first": "quadratic*3,conv*3"}

// chosen returns the learning rate of a model in a study. In study half, models of the control have the rate that the
// search at full width chose. All other models have the rate that the search at half width chose. Pruned networks train
// on at a tenth of their first rate.
func chosen(t *testing.T, study string, all *runs, arm string) float64 {
	t.Helper()
	if study == "half" && (strings.HasSuffix(arm, tuned) || !slices.Contains(controlled, arm)) {
		all, arm = all.half(), strings.TrimSuffix(arm, tuned)
	}
	if slices.Contains(prunings, arm) {
		return 0.001
	}
	rate, ok := all.chosen(arm)
	if !ok {
		t.Fatalf("%s has no learning rate", arm)
	}
	return rate
}

// flat lists settings by their full key.
func flat(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var tree map[string]any
	if err := yaml.Unmarshal(text, &tree); err != nil {
		t.Fatal(err)
	}
	all := map[string]any{}
	var walk func(prefix string, tree map[string]any)
	walk = func(prefix string, tree map[string]any) {
		for key, v := range tree {
			if sub, ok := v.(map[string]any); ok {
				walk(prefix+key+".", sub)
			} else {
				all[prefix+key] = v
			}
		}
	}
	walk("", tree)
	return all
}

// studies/README.md names the rate that the search chose, in the command of each model.
func TestCommandsHaveTheChosenRates(t *testing.T) {
	all, err := read(filepath.Join(repository, "studies"))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, m := range regexp.MustCompile(`--preset small/([a-z0-9-]+) --lr ([0-9.]+) --seeds`).
		FindAllStringSubmatch(readPage(t, "studies/README.md"), -1) {
		found++
		if want := fmt.Sprint(chosen(t, "search", all, m[1])); m[2] != want {
			t.Errorf("studies/README.md trains %s at %s, the search chose %s", m[1], m[2], want)
		}
	}
	if found < 6 {
		t.Errorf("studies/README.md has %d commands with a rate, want one for each model of the control", found)
	}
}
