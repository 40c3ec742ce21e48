package configs

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/attnconv/attnconv/option"
)

// write puts files into a new folder, makes it the current one, and returns nothing: errors then name bare files.
func write(t *testing.T, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

// here settles auto to the given data set.
func here(name string) func(string) (string, error) {
	return func(asked string) (string, error) {
		if asked == "auto" {
			return name, nil
		}
		return asked, nil
	}
}

func ask(name string) []Flag { return []Flag{{"--preset", "preset", name}} }

func TestLayersLieOverEachOther(t *testing.T) {
	write(t, map[string]string{
		"a.yaml": "train:\n  lr: 0.1\n  batch: 11\n",
		"b.yaml": "train: {lr: 0.2}\nmodel: {heads: [1, 2, 3], layers: 3}\n",
	})
	lr := Flag{"--lr", "train.lr", "0.4"}
	env := "ATTNCONV_TRAIN_LR=0.3"
	for _, tt := range []struct {
		name   string
		s      Sources
		lr     float64
		origin string
	}{
		{"default preset", Sources{}, 1e-3, "preset small/quadratic"},
		{"preset asked for", Sources{Flags: ask("paper/quadratic")}, 0.1, "preset paper/quadratic"},
		{"preset below a preset", Sources{Flags: ask("paper/many-heads")}, 0.1, "preset paper/quadratic"},
		{"file", Sources{Files: []string{"a.yaml"}}, 0.1, "a.yaml:2"},
		{"later file", Sources{Files: []string{"a.yaml", "b.yaml"}}, 0.2, "b.yaml:1"},
		{"files the other way", Sources{Files: []string{"b.yaml", "a.yaml"}}, 0.1, "a.yaml:2"},
		{"environment", Sources{Files: []string{"b.yaml"}, Env: []string{env}}, 0.3, "env ATTNCONV_TRAIN_LR"},
		{"empty variable", Sources{Files: []string{"b.yaml"}, Env: []string{"ATTNCONV_TRAIN_LR="}}, 0.2, "b.yaml:1"},
		{"flag", Sources{Env: []string{env}, Flags: []Flag{lr}}, 0.4, "flag --lr"},
		{"set", Sources{Env: []string{env}, Flags: []Flag{lr}, Set: []string{"train.lr=0.5"}}, 0.5, "--set train.lr"},
		{"last set", Sources{Set: []string{"train.lr=0.5", "train.lr = 0.6"}}, 0.6, "--set train.lr"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := Resolve(tt.s, here("cifar10"))
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Origins["train.lr"].String(); r.Run.Train.LR != tt.lr || got != tt.origin {
				t.Errorf("lr %v from %s, want %v from %s", r.Run.Train.LR, got, tt.lr, tt.origin)
			}
		})
	}
}

func TestFilesMergeDeeply(t *testing.T) {
	write(t, map[string]string{
		"a.yaml": "train:\n  lr: 0.1\n  batch: 11\nmodel:\n",
		"b.yaml": "train: {lr: 0.2}\nmodel: {heads: [1, 2, 3], layers: 3}\n",
	})
	r, err := Resolve(Sources{Files: []string{"a.yaml", "b.yaml"}}, here("cifar10"))
	if err != nil {
		t.Fatal(err)
	}
	if r.Run.Train.Batch != 11 || r.Run.Train.LR != 0.2 || !reflect.DeepEqual([]int(r.Run.Model.Heads),
		[]int{1, 2, 3}) {
		t.Errorf("got %+v", r.Run)
	}
}

func TestPresetFollowsDataAndEncoding(t *testing.T) {
	flag := func(name, key, text string) Flag { return Flag{"--" + name, key, text} }
	general := flag("encoding", "model.encoding", "quadratic-general")
	for _, tt := range []struct {
		name, here   string
		flags        []Flag
		preset, data string
	}{
		{"photographs", "cifar10", nil, "small/quadratic", "cifar10"},
		{"drawn images", "shapes32", nil, "tiny", "shapes32"},
		{"by encoding", "cifar10", []Flag{general}, "small/quadratic-general", "cifar10"},
		{"by encoding, heads that the default's channels do not suit", "cifar10",
			[]Flag{flag("encoding", "model.encoding", "content-only"), flag("dim", "model.dim", "8")},
			"small/content-only", "cifar10"},
		{"group by encoding", "shapes32", append(ask("paper"), general), "paper/quadratic-general", "cifar10"},
		{"alias", "cifar10", []Flag{flag("encoding", "model.encoding", "gaussian")}, "small/quadratic", "cifar10"},
		{"preset with its own data", "cifar10", ask("tiny"), "tiny", "shapes32"},
		{"preset for any data", "cifar10", ask("smoke"), "smoke", "cifar10"},
		{"data over preset", "cifar10", append(ask("tiny"), flag("data", "data.name", "cifar10")), "tiny", "cifar10"},
		{"folder", "cifar10", []Flag{flag("data", "data.name", "./images")}, "small/quadratic", "./images"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := Resolve(Sources{Flags: tt.flags}, here(tt.here))
			if err != nil {
				t.Fatal(err)
			}
			if r.Run.Preset != tt.preset || r.Run.Data.Name != tt.data {
				t.Errorf("preset %q on %q, want %q on %q", r.Run.Preset, r.Run.Data.Name, tt.preset, tt.data)
			}
		})
	}
}

// What other texts call an encoding is taken everywhere; config.yaml has our name for it.
func TestAliases(t *testing.T) {
	for alias, name := range map[string]string{
		"gaussian": "quadratic", "generalized": "quadratic-general", "quadratic-generalized": "quadratic-general",
		"learned-content": "content", "content-based": "content",
	} {
		l := layer{}
		if err := l.assign("model.encoding=" + alias); err != nil || l.word("model.encoding", "") != name {
			t.Errorf("--set model.encoding=%s is %q (%v), want %q", alias, l.word("model.encoding", ""), err, name)
		}
		r, err := Parse("my.yaml", []byte("model: {encoding: "+alias+"}"))
		if err != nil || r.Model.Encoding != name {
			t.Errorf("%s in a file is %q (%v), want %q", alias, r.Model.Encoding, err, name)
		}
	}
}

func TestSettleErrorPasses(t *testing.T) {
	missing := errors.New("no such data")
	if _, err := Resolve(Sources{}, func(string) (string, error) { return "", missing }); err != missing {
		t.Errorf("got %v", err)
	}
}

func TestEveryPresetIsValid(t *testing.T) {
	for _, name := range Presets() {
		r, err := Resolve(Sources{Flags: ask(name)}, here("cifar10"))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if r.Run.Preset != name {
			t.Errorf("%s calls itself %q", name, r.Run.Preset)
		}
		text, _ := PresetText(name)
		if !strings.HasPrefix(string(text), "# ") || !strings.Contains(string(text), "# Source ") {
			t.Errorf("%s does not say on top what it is and where it comes from", name)
		}
	}
}

// The published values: the table of hyper-parameters in the paper's appendix and the reference's config.yaml.
func TestPaperPreset(t *testing.T) {
	r, err := Resolve(Sources{Flags: ask("paper/many-heads")}, here("cifar10"))
	if err != nil {
		t.Fatal(err)
	}
	m, o := r.Run.Model, r.Run.Train
	got := []any{m.Layers.Count(), m.Heads[0], m.Dim, m.FFN, m.Pool, m.Dropout, m.AttentionDropout, o.Epochs, o.Batch,
		o.Optimizer,
		o.LR, o.Momentum, o.WeightDecay, o.DecayAll, o.Schedule, o.Warmup, o.PerEpoch, o.LabelSmoothing, o.Clip,
		o.PositionLR}
	want := []any{6, 16, 400, 512, 2, 0.1, 0.1, 300, 100, "sgd",
		0.1, 0.9, 1e-4, true, "cosine", 0.05, true, 0.0, 0.0, 1.0}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestConfigRepeatsTheRun(t *testing.T) {
	write(t, nil)
	for _, s := range []Sources{
		{},
		{Flags: ask("paper"), Set: []string{"seed=18446744073709551615"}},
		{Set: []string{"model.heads=[9,9,4]", "model.layers=3", "data.augment=none", "train.milestones=[]"}},
		{Set: []string{"data.name=/pic tures/#1: x", "train.lr=3.0000000000000004e-05", "train.betas=0.5,0.25"}},
	} {
		first, err := Resolve(s, here("cifar10"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("config.yaml", first.Run.YAML(), 0o644); err != nil {
			t.Fatal(err)
		}
		again, err := Resolve(Sources{Files: []string{"config.yaml"}}, here("shapes32"))
		if err != nil {
			t.Fatalf("%v\n%s", err, first.Run.YAML())
		}
		if diff := cmp.Diff(first.Run, again.Run); diff != "" {
			t.Errorf("-c config.yaml gives another run (-want +got):\n%s", diff)
		}
		parsed, err := Parse("config.yaml", first.Run.YAML())
		if diff := cmp.Diff(first.Run, parsed); err != nil || diff != "" {
			t.Errorf("Parse: %v\n%s", err, diff)
		}
	}
}

func TestBranchKeepsTheRunsValues(t *testing.T) {
	old, err := Resolve(Sources{Set: []string{"train.lr=0.25", "train.epochs=7"}}, here("shapes32"))
	if err != nil {
		t.Fatal(err)
	}
	s := Sources{Base: &Document{Name: "run k3f9", Text: old.Run.YAML()},
		Flags: []Flag{{"--epochs", "train.epochs", "9"}}}
	r, err := Resolve(s, here("cifar10"))
	if err != nil {
		t.Fatal(err)
	}
	want := old.Run
	want.Train.Epochs = 9
	if diff := cmp.Diff(want, r.Run); diff != "" {
		t.Error(diff)
	}
	if got := r.Origins["train.lr"].String(); got != "run k3f9" {
		t.Errorf("lr comes from %s", got)
	}
}

func TestUnknownVariablesWarn(t *testing.T) {
	env := []string{"ATTNCONV_TRAIN_LRR=1", "PATH=/bin", "ATTNCONV_DATA=/d", "ATTNCONV_SEED=3", "ATTNCONV_ZZZZZZZZZZ=1"}
	r, err := Resolve(Sources{Env: env}, here("cifar10"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"the environment variable ATTNCONV_TRAIN_LRR sets nothing\n  did you mean ATTNCONV_TRAIN_LR?",
		"the environment variable ATTNCONV_ZZZZZZZZZZ sets nothing",
	}
	if diff := cmp.Diff(want, r.Warnings); diff != "" || r.Run.Seed != 3 {
		t.Errorf("seed %d, warnings %s", r.Run.Seed, diff)
	}
}

func TestDifferences(t *testing.T) {
	old, err := Resolve(Sources{}, here("shapes32"))
	if err != nil {
		t.Fatal(err)
	}
	s := Sources{
		Env:   []string{"ATTNCONV_DATA_NAME=auto"},
		Flags: []Flag{{"--preset", "preset", "tiny"}, {"--lr", "train.lr", "0.05"}, {"--heads", "model.heads", "9"}},
		Set:   []string{"data.augment=flip"},
	}
	got, err := s.Differences(old.Run)
	if err != nil {
		t.Fatal(err)
	}
	want := []Difference{
		{"data.augment", "[flip]", "[crop, flip]", Origin{Kind: FromSet, Name: "data.augment"}},
		{"train.lr", "0.05", "0.003", Origin{Kind: FromFlag, Name: "--lr"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestExplain(t *testing.T) {
	write(t, map[string]string{"my.yaml": "data:\n\n  val_size: 7\n"})
	r, err := Resolve(Sources{Files: []string{"my.yaml"}}, here("cifar10"))
	if err != nil {
		t.Fatal(err)
	}
	bad := option.Errorf("data.val_size", "7: want no more than the set has")
	if got := r.Explain(bad).Error(); got != "my.yaml:3: data.val_size 7: want no more than the set has" {
		t.Errorf("got %q", got)
	}
	if r.Explain(nil) != nil {
		t.Error("Explain(nil) is an error")
	}
}

// The parameters of table 1 of the appendix, 9.7 M: 15 heads fewer, each with a 400 × 400 matrix and 6 numbers of its
// own.
func TestPrunedPreset(t *testing.T) {
	whole, err := Preset("paper/quadratic-general")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Preset("paper/quadratic-general-pruned")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := whole.Model.Params()-r.Model.Params(), 15*(400*400+6); got != want ||
		r.Model.Params() != 9_686_916 {
		t.Errorf("%d parameters, %d fewer; want 9,686,916, %d fewer", r.Model.Params(), got, want)
	}
	if r.Train.LR != 0.01 || r.Train.Epochs != 100 || r.Train.Warmup != 0.05 {
		t.Errorf("trains with %+v", r.Train)
	}
}

// What a file of settings can cost is bounded: a list of 65,536 values, in 128 kB, took seven seconds to write back.
func TestParseIsBounded(t *testing.T) {
	list := func(n int) []byte {
		return []byte("model: {heads: [" + strings.TrimSuffix(strings.Repeat("9,", n), ",") + "]}")
	}
	if _, err := Parse("f.yaml", list(1000)); err != nil {
		t.Errorf("1,000 layers: %v", err)
	}
	for want, text := range map[string][]byte{
		"a list of 1001: want at most 1000 values": list(1001),
		"want a YAML file of at most 64 KiB":       bytes.Repeat([]byte("# a\n"), 1<<15),
	} {
		if _, err := Parse("f.yaml", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// The errors of several files are reported at once.
func TestErrorsOfAllFiles(t *testing.T) {
	write(t, map[string]string{"a.yaml": "train:\n  lrr: 1\n", "b.yaml": "model:\n  width: wide\n",
		"good.yaml": "train:\n  lr: 0.1\n"})
	err := Sources{Files: []string{"a.yaml", "good.yaml", "b.yaml", "c.yaml"}}.Check("")
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"a.yaml:2: ", "b.yaml:2: ", "c.yaml: "} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in\n%v", want, err)
		}
	}
}
