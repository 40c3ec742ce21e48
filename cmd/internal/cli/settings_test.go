package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/train"
	"github.com/spf13/cobra"
)

// Help and validation list the same choices.
func TestHelpListsTheChoicesThereAre(t *testing.T) {
	for _, s := range Settings() {
		if s.Choices == nil {
			continue
		}
		_, err := configs.Resolve(configs.Sources{Flags: []configs.Flag{{Name: "--" + s.Flag, Key: s.Key, Text: "?"}}}, nil)
		var bad *configs.Error
		if !errors.As(err, &bad) {
			t.Errorf("--%s ? is taken: %v", s.Flag, err)
			continue
		}
		listed := strings.Join(ChoiceNames(s.Choices), ", ")
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
	schedules, solvers, sets, augmentations := train.Schedules, train.Solvers, data.Kinds, data.Augmentations
	t.Cleanup(func() {
		train.Schedules, train.Solvers, data.Kinds, data.Augmentations = schedules, solvers, sets, augmentations
	})
	train.Schedules = append(slices.Clone(schedules), train.Schedule{Name: "newest", Help: "added here"})
	train.Solvers = append(slices.Clone(solvers), train.SolverKind{Name: "newest", Help: "added here",
		Reads: []string{"train.momentum"}})
	data.Kinds = append(slices.Clone(sets), data.Kind{Name: "newest", Help: "added here", Train: 30, Test: 10, ValSize: 5,
		Classes: []string{"a", "b"}, Make: func(data.Options) *data.Set { return nil }})
	data.Augmentations = append(slices.Clone(augmentations), data.Augmentation{Name: "newest", Help: "added here"})

	sources := configs.Sources{}
	cmd := &cobra.Command{Use: "train"}
	SourceFlags(cmd, &sources)
	Finish(&Console{}, cmd)
	for _, flag := range []string{"schedule", "optimizer", "data", "augment"} {
		f := cmd.Flags().Lookup(flag)
		if words := FlagHelp(f); !strings.Contains(words, ", newest") {
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
	if words := FlagHelp(cmd.Flags().Lookup("momentum")); words != "of sgd, newest" {
		t.Errorf("help of --momentum: %q", words)
	}
	r, err := configs.Resolve(sources, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := []string{r.Run.Train.Schedule, r.Run.Train.Optimizer, r.Run.Data.Name, r.Run.Data.Augment[0]}; !slices.Equal(got,
		slices.Repeat([]string{"newest"}, 4)) {
		t.Errorf("resolved %v", got)
	}
	if preset := configs.DefaultPreset("newest"); preset != "tiny" {
		t.Errorf("a built-in set has the preset %s", preset)
	}
}
