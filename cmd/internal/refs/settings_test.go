package refs

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/train"
)

// Help and validation list the same choices.
func TestHelpListsTheChoicesThereAre(t *testing.T) {
	for _, s := range configs.Settings() {
		if s.Choices == nil {
			continue
		}
		_, err := configs.Resolve(configs.Sources{Flags: []configs.Flag{{Name: "--" + s.Flag, Key: s.Key, Text: "?"}}},
			nil)
		var bad *configs.Error
		if !errors.As(err, &bad) {
			t.Errorf("--%s ? is taken: %v", s.Flag, err)
			continue
		}
		listed := strings.Join(term.ChoiceNames(s.Choices), ", ")
		if s.Flag == "augment" {
			listed = strings.TrimSuffix(listed, ", none")
		}
		if want := fmt.Sprintf("--%s \"?\": not one of %s", s.Flag, listed); bad.Error() != want {
			t.Errorf("help lists %s; validation says %s", listed, bad)
		}
	}
}

// A line in a table is all that help, completion and validation need to know of a thing.
func TestChoicesAddedByALine(t *testing.T) {
	schedules, solvers, datasets, augmentations := train.Schedules, train.Solvers, sets.Kinds, data.Augmentations
	t.Cleanup(func() {
		train.Schedules, train.Solvers, sets.Kinds, data.Augmentations = schedules, solvers, datasets, augmentations
	})
	train.Schedules = append(slices.Clone(schedules), train.Schedule{Name: "newest", Help: "added here"})
	train.Solvers = append(slices.Clone(solvers), train.SolverKind{Name: "newest", Help: "added here",
		Reads: []string{"train.momentum"}})
	sets.Kinds = append(slices.Clone(datasets), sets.Kind{Name: "newest", Help: "added here", Train: 30, Test: 10,
		ValSize: 5,
		Classes: []string{"a", "b"}, Make: func(data.Options) *data.Set { return nil }})
	data.Augmentations = append(slices.Clone(augmentations), data.Augmentation{Name: "newest", Help: "added here"})

	sources := configs.Sources{}
	cmd := &cobra.Command{Use: "train"}
	SourceFlags(cmd, &sources)
	Finish(&term.Console{}, cmd)
	for _, flag := range []string{"schedule", "optimizer", "data", "augment"} {
		f := cmd.Flags().Lookup(flag)
		if words := term.FlagHelp(f); !strings.Contains(words, ", newest") {
			t.Errorf("help of --%s: %q", flag, words)
		}
		complete, _ := cmd.GetFlagCompletionFunc(flag)
		if lines, _ := complete(cmd, nil, ""); !slices.Contains(lines, "newest\tadded here") {
			t.Errorf("completion of --%s: %q", flag, lines)
		}
		if err := cmd.Flags().Set(flag, "newest"); err != nil {
			t.Error(err)
		}
	}
	if words := term.FlagHelp(cmd.Flags().Lookup("momentum")); words != "momentum (sgd, muon, newest)" {
		t.Errorf("help of --momentum: %q", words)
	}
	r, err := configs.Resolve(sources, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := []string{r.Run.Train.Schedule, r.Run.Train.Optimizer, r.Run.Data.Name,
		r.Run.Data.Augment[0]}; !slices.Equal(got,
		slices.Repeat([]string{"newest"}, 4)) {
		t.Errorf("resolved %v", got)
	}
	if preset := configs.DefaultPreset("newest"); preset != "tiny" {
		t.Errorf("a built-in set has the preset %s", preset)
	}
}

// Options of a registered kind have flags where the settings of their section have.
func TestFlagsOfRegisteredKinds(t *testing.T) {
	encodings, losses := posenc.Kinds, train.Losses
	posenc.Kinds, train.Losses = slices.Clone(encodings), slices.Clone(losses)
	t.Cleanup(func() { posenc.Kinds, train.Losses = encodings, losses })
	posenc.Register(posenc.Kind{Name: "window", New: posenc.NewLearned, Options: &struct {
		Side int    `yaml:"side" help:"tokens along a side"`
		Edge string `yaml:"edge" choice:"hard,soft"`
	}{5, "hard"}})
	train.RegisterLoss(train.LossKind{Name: "brier", Help: "squares",
		New: func(train.Options) train.Loss { return nil }})
	var sources configs.Sources
	cmd, other := &cobra.Command{Use: "train"}, &cobra.Command{Use: "eval"}
	SourceFlags(cmd, &sources)
	other.Flags().String("augment", "", "no setting")
	if err := errors.Join(Finish(&term.Console{}, cmd), Finish(&term.Console{}, other)); err != nil {
		t.Fatal(err)
	}
	for flag, words := range map[string]string{
		"window-side": "of encoding window: tokens along a side", "window-edge": "of encoding window: hard, soft",
		"loss": "what training minimizes: cross-entropy, brier",
	} {
		if f := cmd.Flags().Lookup(flag); f == nil || term.FlagHelp(f) != words {
			t.Errorf("--%s has the help %q, want %q", flag, term.FlagHelp(f), words)
		}
		if other.Flags().Lookup(flag) != nil {
			t.Errorf("a command without settings has --%s", flag)
		}
	}
	for flag, text := range map[string]string{"window-side": "7", "encoding": "window", "loss": "brier"} {
		if err := cmd.Flags().Set(flag, text); err != nil {
			t.Error(err)
		}
	}
	r, err := configs.Resolve(sources, nil)
	if err != nil || r.Run.Model.Own["window_side"] != 7 || r.Run.Train.Loss != "brier" {
		t.Errorf("Resolve: %v, options %v, loss %s", err, r.Run.Model.Own, r.Run.Train.Loss)
	}
}

// A registered option whose flag a command has already is an error that names both, and what to do.
func TestFlagsThatAreTaken(t *testing.T) {
	encodings := posenc.Kinds
	posenc.Kinds = slices.Clone(encodings)
	t.Cleanup(func() { posenc.Kinds = encodings })
	posenc.Register(posenc.Kind{Name: "data", New: posenc.NewLearned, Options: &struct {
		Dir int `yaml:"dir"`
	}{1}})
	c := &term.Console{}
	root, cmd := &cobra.Command{Use: "attnconv"}, &cobra.Command{Use: "train"}
	term.GlobalFlags(c, root, new(bool))
	SourceFlags(cmd, &configs.Sources{})
	root.AddCommand(cmd)
	err := Finish(c, root)
	want := "option model.data_dir of encoding data: attnconv train has a flag --data-dir already\n  give the kind " +
		"or its option another name"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
