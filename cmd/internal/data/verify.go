package data

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/data"
)

func newDataVerify(c *cli.Console) *cobra.Command {
	return &cobra.Command{
		Use:   "verify [NAME...]",
		Short: "Check data sets against their digests",
		Long: "Read every byte of data sets, by default of all, and compare their SHA-256 with\n" +
			"the published digests or, for imported sets, with those recorded on import. The\n" +
			"exit code is 5 if one differs.",
		Example:           "attnconv data verify\nattnconv data verify cifar10 --json",
		Args:              cli.Arguments(1 << 20),
		ValidArgsFunction: completeStored(c),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := toVerify(c, args)
			if err != nil {
				return err
			}
			return verify(cmd.Context(), c, list)
		},
	}
}

// toVerify lists the named sets, or all.
func toVerify(c *cli.Console, names []string) (list []data.Stored, err error) {
	if len(names) == 0 {
		if list, err = data.List(c.DataDir); err != nil || len(list) > 0 {
			return list, err
		}
		names = []string{"cifar10"} // missing: its error says how to get it
	}
	for _, name := range names {
		found, err := data.Find(c.DataDir, name)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

// verified is the result for one set.
type verified struct {
	Name   string       `json:"name"`
	Form   string       `json:"form"`
	Path   string       `json:"path"`
	Checks []data.Check `json:"checks"`
	Exact  bool         `json:"published"` // the images are the published ones
	Holds  bool         `json:"holds"`
}

func verify(ctx context.Context, c *cli.Console, list []data.Stored) error {
	var all []verified
	bad := ""
	for _, s := range list {
		if !c.JSON {
			fmt.Fprintf(c.Out, "%s  %s\n%s\n", s.Name, s.Layout, s.Path)
		}
		checks, err := untilDone(ctx, s.Verify)
		if err != nil {
			return err
		}
		v := verified{s.Name, s.Layout, s.Path, checks, data.Exact(s.Name, checks), true}
		for _, check := range checks {
			if v.Holds = v.Holds && check.Holds; !check.Holds {
				bad = fmt.Sprintf("%s: its %s differs from the one that was %s: %s", s.Name, check.What, check.By, s.Path)
			}
		}
		all = append(all, v)
		if !c.JSON {
			v.print(c)
		}
	}
	if c.JSON {
		if err := c.Result(struct {
			V    int        `json:"v"`
			Sets []verified `json:"sets"`
		}{1, all}); err != nil {
			return err
		}
	}
	if bad != "" {
		return cli.Unmetf("%s", bad+"\n  to replace it: attnconv data get NAME --force, or data import PATH --force")
	}
	return nil
}

// print writes a line for each digest, with its verdict.
func (v verified) print(c *cli.Console) {
	for _, check := range v.Checks {
		verdict := "as " + check.By
		switch {
		case check.Want == "":
			verdict = "no published one is known"
		case !check.Holds:
			verdict = "DIFFERS\n  " + check.By + strings.Repeat(" ", max(1, 9-len(check.By))) + check.Want
		}
		fmt.Fprintf(c.Out, "  %-9s%s  %s\n", check.What, check.Got, verdict)
	}
	if data.HasDigest(v.Name) && v.Holds && !v.Exact {
		fmt.Fprintln(c.Out, "  not the published images: accuracies cannot be compared with others'")
	}
}
