package data

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/data/sets"
)

func newDataVerify(c *term.Console) *cobra.Command {
	return &cobra.Command{
		Use:   "verify [NAME...]",
		Short: "Check data sets against their digests",
		Long: "Read every byte of data sets, by default of all, and compare their SHA-256 with\n" +
			"the published digests or, for imported sets, with those recorded on import. The\n" +
			"exit code is 5 if one differs.",
		Example:           "attnconv data verify\nattnconv data verify cifar10 --json",
		Args:              refs.Arguments(1 << 20),
		ValidArgsFunction: completeStored(c),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := sets.Stores(c.DataDir, args...)
			if err != nil {
				return err
			}
			if len(list) == 0 {
				c.Note("no data sets in %s: nothing to verify\n  to get one: %s data get cifar10", c.DataDir,
					term.Program())
			}
			return verify(cmd.Context(), c, list)
		},
	}
}

func verify(ctx context.Context, c *term.Console, list []sets.StoredSet) error {
	r, bad := DataChecks{V: 1, Sets: []sets.Verification{}}, ""
	for _, s := range list {
		if !c.JSON {
			fmt.Fprintf(c.Out, "%s  %s\n%s\n", s.Name, s.Layout, s.Path)
		}
		v, err := s.Verify(ctx)
		if err != nil {
			return err
		}
		for _, check := range v.Checks {
			if !check.Holds {
				bad = fmt.Sprintf("%s: its %s differs from the one that was %s: %s", s.Name, check.What, check.By,
					s.Path)
			}
		}
		if r.Sets = append(r.Sets, v); !c.JSON {
			printChecks(c, v)
		}
	}
	if c.JSON {
		if err := c.Result(r); err != nil {
			return err
		}
	}
	if bad != "" {
		return term.Unmetf("%s\n  to replace it: attnconv data get NAME --force, or data import PATH --force", bad)
	}
	return nil
}

// printChecks prints a line for each digest, with its verdict.
func printChecks(c *term.Console, v sets.Verification) {
	for _, check := range v.Checks {
		verdict := "as " + check.By
		switch {
		case check.Want == "":
			verdict = "no published one is known"
		case !check.Holds:
			verdict = fmt.Sprintf("DIFFERS\n  %-9s%s", check.By, check.Want)
		}
		fmt.Fprintf(c.Out, "  %-9s%s\n           %s\n", check.What, check.Got, verdict)
	}
	if sets.HasDigest(v.Name) && v.Holds && !v.Exact {
		c.Print("  %s\n", sets.NotPublished)
	}
}
