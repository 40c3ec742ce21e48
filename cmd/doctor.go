package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/spf13/cobra"
)

// The outcomes of a check.
const (
	pass = "PASS"
	warn = "WARN" // works, but could work better
	fail = "FAIL"
)

// A finding is the outcome of one check of doctor.
type finding struct {
	Name   string `json:"name"`
	Status string `json:"status"`
	Detail string `json:"detail"`
}

// doctorChecks lists the checks in the order of the output.
var doctorChecks = []struct {
	name string
	run  func(context.Context, *cli.Console) (status, detail string) // status "": not applicable
}{
	{"program", checkProgram},
	{"machine", checkMachine},
	{"arithmetic", checkArithmetic},
	{"speed", checkSpeed},
	{"data", checkData},
	{"runs", checkRuns},
	{"disk", checkDisk},
	{"terminal", checkTerminal},
	{"resume", checkResume},
	{"gpu", checkGPU},
	{"parity", checkParity},
}

func newDoctor(c *cli.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check this machine: arithmetic, data, disk, a run that is killed",
		Long: "Check this machine: the program, the arithmetic and its speed, data sets,\n" +
			"folders, the terminal, that a run that is killed and resumed ends with the same\n" +
			"weights, and the GPU, if there is one. It takes a few seconds. The exit code is\n" +
			"5 if a check fails.",
		Example: "attnconv doctor\nattnconv doctor --json\nattnconv doctor --device gpu",
		Args:    cli.Arguments(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := examine(c, cmd.Context())
			if err != nil {
				return err
			}
			var failed []string
			for _, f := range all {
				if f.Status == fail {
					failed = append(failed, f.Name)
				}
			}
			if c.JSON {
				if err := c.Result(struct {
					V      int       `json:"v"`
					OK     bool      `json:"ok"`
					Checks []finding `json:"checks"`
				}{1, len(failed) == 0, all}); err != nil {
					return err
				}
			}
			if len(failed) > 0 {
				return cli.Unmetf("%s", "failed checks: "+strings.Join(failed, ", "))
			}
			return nil
		},
	}
	c.DeviceFlag(cli.FlagsIn(cmd.Flags(), "Measurement"))
	return cmd
}

// examine runs the checks and prints each result at once.
func examine(c *cli.Console, ctx context.Context) (all []finding, err error) {
	for _, check := range doctorChecks {
		status, detail := check.run(ctx, c)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if status == "" {
			continue
		}
		all = append(all, finding{check.name, status, detail})
		if c.JSON {
			continue
		}
		const left = 18
		lines := table.Wrap(detail, max(cli.HelpWidth, c.OutWidth())-left)
		_, err := fmt.Fprintf(c.Out, "%s  %-12s%s\n", status, check.name,
			strings.Join(lines, "\n"+strings.Repeat(" ", left)))
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}
