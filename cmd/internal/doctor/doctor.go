// Package doctor is the command doctor.
package doctor

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/doctor"
	"github.com/attnconv/attnconv/internal/pjrt"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/report"
)

// New returns the command.
func New(c *cli.Console) *cobra.Command {
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
			all, err := examine(cmd.Context(), c)
			if err != nil {
				return err
			}
			var failed []string
			for _, f := range all {
				if f.Status == string(doctor.Fail) {
					failed = append(failed, f.Name)
				}
			}
			if c.JSON {
				if err := c.Result(report.Doctor{V: 1, OK: len(failed) == 0, Checks: all}); err != nil {
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
func examine(ctx context.Context, c *cli.Console) (all []report.Finding, err error) {
	o := doctor.Options{Runs: c.Runs, Data: c.DataDir, Device: c.Device, Getenv: c.Getenv, Message: func(err error) string { return message(c, err) }}
	self, err := cli.Self()
	if err != nil {
		return nil, err
	}
	o.Program = func(ctx context.Context, args ...string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, self, args...)
		cmd.Env = cli.ChildEnv(c.Env)
		return cmd
	}
	for f := range doctor.Run(ctx, o, checks(c)) {
		if all = append(all, report.Finding{Name: f.Name, Status: string(f.Status), Detail: f.Detail}); c.JSON {
			continue
		}
		const left = 18
		lines := table.Wrap(f.Detail, max(cli.HelpWidth, c.OutWidth())-left)
		_, err := fmt.Fprintf(c.Out, "%s  %-12s%s\n", f.Status, f.Name, strings.Join(lines, "\n"+strings.Repeat(" ", left)))
		if err != nil {
			return nil, err
		}
	}
	return all, ctx.Err()
}

// checks returns those of package doctor, and those of this program and its terminal.
func checks(c *cli.Console) []doctor.Check {
	all := append([]doctor.Check{{Name: "program", Run: program}}, doctor.Checks()...)
	own := doctor.Check{Name: "terminal", Run: func(context.Context, doctor.Options) (doctor.Status, string) { return terminal(c) }}
	at := slices.IndexFunc(all, func(check doctor.Check) bool { return check.Name == "resume" })
	return slices.Insert(all, at, own)
}

// message words an error, with advice where it is about a device.
func message(c *cli.Console, err error) string {
	if !cli.Is[*pjrt.Missing](err) && !cli.Is[*pjrt.Unfit](err) {
		return cli.ShortMessage(err)
	}
	return cli.UserMessage(c.OfDevice(err))
}

// program tells the versions of this binary.
func program(context.Context, doctor.Options) (doctor.Status, string) {
	b := cli.ReadBuild()
	modules := ""
	for _, path := range cli.ShownModules {
		if v := b.Modules[path]; v != "" {
			modules += ", " + path[strings.LastIndexByte(path, '/')+1:] + " " + v
		}
	}
	return doctor.Pass, fmt.Sprintf("attnconv %s, %s %s/%s%s", b.Short(), b.Go, b.OS, b.Arch, modules)
}

// terminal tells what can be shown.
func terminal(c *cli.Console) (doctor.Status, string) {
	w := c.ErrWidth()
	switch {
	case w == 0:
		return doctor.Pass, "standard error is no terminal: plain lines"
	case w < 80:
		return doctor.Warn, fmt.Sprintf("%d columns: tables need 80", w)
	}
	color := "no colour"
	if c.Colored() {
		color = "colour"
	}
	return doctor.Pass, fmt.Sprintf("%d columns, %s", w, color)
}
