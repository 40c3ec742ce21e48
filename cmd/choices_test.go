package cmd

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/train"
)

// A line in a table is all that help, completion and validation need to know of a thing.
func TestChoicesAddedByALine(t *testing.T) {
	schedules, solvers := train.Schedules, train.Solvers
	t.Cleanup(func() { train.Schedules, train.Solvers = schedules, solvers })
	train.Schedules = append(slices.Clone(schedules), train.Schedule{Name: "newest", Help: "added here"})
	train.Solvers = append(slices.Clone(solvers), train.SolverKind{Name: "newest", Help: "added here",
		Reads: []string{"train.momentum"}})

	sources := configs.Sources{}
	cmd := &cobra.Command{Use: "train"}
	sourceFlags(cmd, &sources)
	finish(&console{}, cmd)
	for _, flag := range []string{"schedule", "optimizer"} {
		f := cmd.Flags().Lookup(flag)
		if words := flagWords(f); !strings.HasSuffix(words, ", newest") {
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
	if words := flagWords(cmd.Flags().Lookup("momentum")); words != "of sgd, newest" {
		t.Errorf("help of --momentum: %q", words)
	}
	r, err := configs.Resolve(sources, nil)
	if err != nil || r.Run.Train.Schedule != "newest" || r.Run.Train.Optimizer != "newest" {
		t.Errorf("resolved %v, %v", r, err)
	}
}
