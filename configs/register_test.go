package configs

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/train"
)

type windowOptions struct {
	Side  int    `yaml:"side" help:"of the window"`
	Edge  string `yaml:"edge" choice:"hard,soft"`
	Sizes []int  `yaml:"sizes"`
}

func (o *windowOptions) Validate() error { return option.Between("side", o.Side, 1, 99) }

// withKinds registers an encoding, a solver and a data set, each with options.
func withKinds(t testing.TB) {
	encodings, solvers, datasets := posenc.Kinds, train.Solvers, sets.Kinds
	posenc.Kinds, train.Solvers, sets.Kinds = slices.Clone(encodings), slices.Clone(solvers), slices.Clone(datasets)
	t.Cleanup(func() { posenc.Kinds, train.Solvers, sets.Kinds = encodings, solvers, datasets })
	posenc.Register(posenc.Kind{Name: "my-window", Options: &windowOptions{Side: 5, Edge: "hard", Sizes: []int{1, 2}},
		New: func(s nn.Scope, o posenc.Options) posenc.Encoding { return posenc.NewQuadratic(s, o.Heads) }})
	train.RegisterSolver(train.SolverKind{Name: "lion", Options: &struct {
		Beta float64 `yaml:"beta"`
	}{0.9}, New: func(train.Options, []*nn.Param) train.Solver { return nil }})
	sets.Register(sets.Kind{Name: "gray", Classes: []string{"a"}, Train: 9, Test: 1, ValSize: 1,
		Make: func(data.Options) *data.Set { return nil }, Options: &struct {
			Level uint64 `yaml:"level"`
		}{7}})
}

// Options of registered kinds are set, with their origins, by every source, and written where the kind is chosen.
func TestOptionsOfRegisteredKinds(t *testing.T) {
	withKinds(t)
	r, err := Resolve(Sources{
		Env: []string{"ATTNCONV_MODEL_MY_WINDOW_SIDE=7", "ATTNCONV_TRAIN_LION_BETA=0.5"},
		Flags: []Flag{{"--encoding", "model.encoding", "my-window"},
			{"--my-window-edge", "model.my_window_edge", "soft"},
			{"--optimizer", "train.optimizer", "lion"}, {"--preset", "preset", "smoke"}},
		Set: []string{"data.name=gray", "data.gray_level=9", "model.my_window_sizes=[3]"},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"model.my_window_side         7                 env ATTNCONV_MODEL_MY_WINDOW_SIDE",
		"model.my_window_edge         soft              flag --my-window-edge",
		"train.lion_beta              0.5               env ATTNCONV_TRAIN_LION_BETA",
		"data.gray_level              9                 --set data.gray_level"} {
		if !strings.Contains(squeezed(r.Table(false)), squeezed(line)) {
			t.Errorf("no line %q in\n%s", line, r.Table(false))
		}
	}
	text := r.Run.YAML()
	for _, line := range []string{"  my_window_side: 7\n", "  my_window_edge: soft\n", "  my_window_sizes: [3]\n",
		"  lion_beta: 0.5\n", "  gray_level: 9\n"} {
		if !strings.Contains(string(text), line) {
			t.Errorf("no line %q in\n%s", line, text)
		}
	}
	back, ok := quick(text)
	slow, err := slowly(text)
	if !ok || err != nil || !reflect.DeepEqual(back, r.Run) || !reflect.DeepEqual(slow, r.Run) {
		t.Errorf("%v, %v: the file reads as\n%+v and\n%+v, want\n%+v", ok, err, back, slow, r.Run)
	}
	plain := r.Run
	plain.Model.Encoding, plain.Train.Optimizer, plain.Data.Name = "quadratic", "sgd", "shapes32"
	if bytes.Contains(plain.YAML(), []byte("my_window")) || bytes.Contains(plain.YAML(), []byte("lion")) ||
		bytes.Contains(plain.YAML(), []byte("gray")) {
		t.Errorf("a run without the kinds has their options:\n%s", plain.YAML())
	}
	other := r.Run
	other.Model.Own = nil
	if got := r.Run.Unlike(other); len(got) != 3 || got[0] != (Value{"model.my_window_side", "7"}) {
		t.Errorf("Unlike: %v, want the three options of the encoding", got)
	}
}

func squeezed(s string) string { return strings.Join(strings.Fields(s), " ") }

func TestOptionsOfRegisteredKindsAreRefused(t *testing.T) {
	withKinds(t)
	window := Flag{"--encoding", "model.encoding", "my-window"}
	for _, tt := range []struct {
		s    Sources
		want string
	}{
		{Sources{Flags: []Flag{window, {"--my-window-side", "model.my_window_side", "x"}}},
			`--my-window-side "x": want a whole number`},
		{Sources{Flags: []Flag{window, {"--my-window-side", "model.my_window_side", "100"}}},
			"--my-window-side 100: want 1 to 99"},
		{Sources{Flags: []Flag{window}, Set: []string{"model.my_window_edge=sofft"}},
			"--set model.my_window_edge \"sofft\": not one of hard, soft\n  did you mean \"soft\"?"},
		{Sources{Set: []string{"model.my_window_sied=3"}},
			"--set: unknown key \"model.my_window_sied\"\n  did you mean \"model.my_window_side\"?"},
		{Sources{Flags: []Flag{window}, Set: []string{"model.layers=[{my_window_side: 0}]"}},
			"--set model.layers: model.layers[0].my_window_side 0: want 1 to 99"},
	} {
		_, err := Resolve(tt.s, nil)
		if ours := (*Error)(nil); !errors.As(err, &ours) || err.Error() != tt.want {
			t.Errorf("Resolve: %v, want %s", err, tt.want)
		}
	}
	r, err := Resolve(Sources{Flags: []Flag{{"--my-window-side", "model.my_window_side", "3"}}}, nil)
	if err != nil || !slices.Contains(r.Warnings, "--my-window-side sets nothing: the encoding is not my-window") {
		t.Errorf("Resolve: %v with warnings %q", err, r.Warnings)
	}
}

// Several values of an option are an axis of a sweep, lists in brackets.
func TestOptionsOfRegisteredKindsAreAxes(t *testing.T) {
	withKinds(t)
	_, axes, err := Sources{Flags: []Flag{{"--my-window-side", "model.my_window_side", "3,5"}},
		Set: []string{"model.my_window_sizes=[1,2],[3]"}}.Grid()
	want := []Axis{{"model.my_window_side", "--my-window-side", []string{"3", "5"}, nil},
		{"model.my_window_sizes", "", []string{"[1,2]", "[3]"}, nil}}
	if err != nil || !reflect.DeepEqual(axes, want) {
		t.Errorf("Grid: %v, %v", axes, err)
	}
}

// A registered kind takes the preset of the default encoding in a group of presets.
func TestPresetOfARegisteredKind(t *testing.T) {
	withKinds(t)
	r, err := Resolve(Sources{Flags: []Flag{{"--encoding", "model.encoding", "my-window"},
		{"--preset", "preset", "small"}}}, nil)
	if err != nil || r.Run.Preset != "small/quadratic" || r.Run.Model.Encoding != "my-window" {
		t.Errorf("Resolve: %v, preset %s with encoding %s", err, r.Run.Preset, r.Run.Model.Encoding)
	}
}

// The file of a run says which kind a program lacks that cannot read it.
func TestMissingKind(t *testing.T) {
	for text, want := range map[string]option.MissingError{
		"model: {encoding: window, window_side: 3}": {Key: "model.encoding", Name: "window",
			By: "posenc.Register"},
		"model: {layers: [{encoding: window, window_a: 3}]}": {Key: "model.encoding", Name: "window",
			By: "posenc.Register"},
		"train: {optimizer: lion, lion_beta: 3}": {Key: "train.optimizer", Name: "lion",
			By: "train.RegisterSolver"},
		"train: {schedule: power, power_of: 3}": {Key: "train.schedule", Name: "power",
			By: "train.RegisterSchedule"},
		"train: {loss: brier, brier_of: 3}": {Key: "train.loss", Name: "brier",
			By: "train.RegisterLoss"},
		"data: {name: gray, gray_level: 3}": {Key: "data.name", Name: "gray", By: "sets.Register"},
		"model: {encoding: quadratics, window_side: 3}": {Key: "model.encoding", Name: "quadratics",
			By: "posenc.Register", Near: "quadratic"},
		"train: {optimizer: adamv, adamv_beta: 3}": {Key: "train.optimizer", Name: "adamv",
			By: "train.RegisterSolver", Near: "adamw"},
		"train: {schedule: cosin, cosin_of: 3}": {Key: "train.schedule", Name: "cosin",
			By: "train.RegisterSchedule", Near: "cosine"},
		"train: {loss: crossentropy, of: 3}": {Key: "train.loss", Name: "crossentropy",
			By: "train.RegisterLoss", Near: "cross-entropy"},
		"data: {name: shapes33, level: 3}": {Key: "data.name", Name: "shapes33", By: "sets.Register",
			Near: "shapes32"},
	} {
		_, err := Parse("run/config.yaml", []byte(text))
		if missing := (*option.MissingError)(nil); !errors.As(err, &missing) || *missing != want ||
			!strings.HasPrefix(err.Error(), "run/config.yaml: it needs") {
			t.Errorf("%s: %v, want %+v", text, err, want)
		}
		if _, err := Resolve(Sources{Base: &Document{"run r", []byte(text)}}, nil); err == nil ||
			!strings.HasPrefix(err.Error(), "run r: it needs") {
			t.Errorf("%s: as the base of another run: %v", text, err)
		}
	}
	for _, text := range []string{"model: {encoding: quadratic, window_side: 3}", "data: {name: shapes32, level: 3}"} {
		if _, err := Parse("c.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), "unknown key") {
			t.Errorf("a key of no kind: %v", err)
		}
	}
}

func TestCheckKinds(t *testing.T) {
	if err := CheckKinds(); err != nil {
		t.Fatal(err)
	}
	number := &struct {
		Dim int `yaml:"dim"`
	}{}
	for want, k := range map[string]posenc.Kind{
		"encoding resnet18: a network or a preset has this name":          {Name: "resnet18"},
		"encoding tiny: a network or a preset has this name":              {Name: "tiny"},
		"the key model.head_dim of encoding head is taken by the program": {Name: "head", Options: number},
		"the key model.my_window_side of encoding my is taken by encoding my-window": {Name: "my", Options: &struct {
			Side int `yaml:"window_side"`
		}{}},
	} {
		t.Run(want, func(t *testing.T) {
			withKinds(t)
			k.New = posenc.NewLearned
			posenc.Register(k)
			if err := CheckKinds(); err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("CheckKinds: %v, want %s", err, want)
			}
		})
	}
}

// FuzzRegistered: with options of registered kinds, what Parse takes, YAML writes and Parse reads back as the same run.
func FuzzRegistered(f *testing.F) {
	withKinds(f)
	r := Default()
	r.Model.Encoding, r.Model.Own = "my-window", map[string]any{"my_window_side": 7}
	f.Add(r.YAML())
	for _, text := range []string{
		"model: {my_window_side: 3}", "model: {encoding: my-window, my_window_edge: \"\"}",
		"model: {kind: x, my_window_sizes: []}",
		"model: {layers: [{encoding: my-window, my_window_side: 1}]}",
		"model: {layers: 2000000000, encoding: my-window, heads: []}",
		"model: {layers: [{kind: x, my_window_side: 1}]}", "train: {optimizer: lion, lion_beta: 1e9}",
		"data: {name: gray, gray_level: 1}",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := Parse("f.yaml", text)
		if err != nil {
			return
		}
		again, err := Parse("f.yaml", r.YAML())
		if err != nil || !bytes.Equal(again.YAML(), r.YAML()) {
			t.Errorf("%v\n%s\n---\n%s", err, r.YAML(), again.YAML())
		}
	})
}
