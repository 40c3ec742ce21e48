// Package doctor is the command doctor.
package doctor

import (
	"context"
	"fmt"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/internal/accelerator"
	"github.com/attnconv/attnconv/internal/table"
)

// New returns the command.
func New(c *term.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check this machine: arithmetic, data, disk, a run that is killed",
		Long: "Check this machine: the program, the arithmetic and its speed, data sets,\n" +
			"folders, the terminal, that a run that is killed and resumed ends with the same\n" +
			"weights, and the GPU, if there is one. It takes a few seconds. The exit code is\n" +
			"5 if a check fails.",
		Example: "attnconv doctor\nattnconv doctor --json\nattnconv doctor --device gpu",
		Args:    refs.Arguments(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := examine(cmd.Context(), c)
			if err == nil && c.JSON {
				err = c.Result(r)
			}
			if err != nil || r.OK {
				return err
			}
			var failed []string
			for _, f := range r.Checks {
				if f.Status == Fail {
					failed = append(failed, f.Name)
				}
			}
			return term.Unmetf("failed checks: %s", strings.Join(failed, ", "))
		},
	}
	refs.DeviceFlag(c, term.FlagsIn(cmd.Flags(), "Measurement"))
	return cmd
}

// examine runs the checks and prints each result at once.
func examine(ctx context.Context, c *term.Console) (Doctor, error) {
	r := Doctor{V: 1, OK: true}
	self, err := term.Self()
	if err != nil {
		return r, err
	}
	stages, err := c.Stages()
	if err != nil {
		return r, err
	}
	defer stages.Close()
	o := Options{
		Tell: func(check string) { stages.Next("checking " + check) },
		Runs: c.Runs, Data: c.DataDir, Device: c.Device, Getenv: c.Getenv,
		Terminal: &Terminal{Columns: c.ErrWidth(), Color: c.Colored()},
		Message:  func(err error) string { return message(c, err) },
		Program: func(ctx context.Context, args ...string) *exec.Cmd {
			cmd := exec.CommandContext(ctx, self, args...)
			cmd.Env = refs.ChildEnv(c.Env)
			return cmd
		},
	}
	for f := range Run(ctx, o, Checks()) {
		stages.Close()
		r.OK = r.OK && f.Status != Fail
		if r.Checks = append(r.Checks, f); c.JSON {
			continue
		}
		const left = 18
		lines := table.Wrap(f.Detail, max(term.HelpWidth, c.OutWidth())-left)
		if _, err := fmt.Fprintf(c.Out, "%s  %-12s%s\n", f.Status, f.Name,
			strings.Join(lines, "\n"+strings.Repeat(" ", left))); err != nil {
			return r, err
		}
	}
	return r, ctx.Err()
}

// message words an error, with advice where it is about a device.
func message(c *term.Console, err error) string {
	if !term.Is[*accelerator.MissingError](err) && !term.Is[*accelerator.PluginError](err) {
		return term.ShortMessage(err)
	}
	return refs.UserMessage(refs.OfDevice(c, err))
}
