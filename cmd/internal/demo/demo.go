// Package demo is the command demo: a tour of other commands.
package demo

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/internal/disk"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
)

// demoOptions holds the flags and arguments of `attnconv demo`.
type demoOptions struct {
	Out   string
	Force bool
}

// New returns the demo command, whose steps are commands of this program: command runs one with its arguments.
func New(c *term.Console, command func(ctx context.Context, c *term.Console, args []string) error) *cobra.Command {
	o := demoOptions{}
	cmd := &cobra.Command{
		Use:   "demo [flags]",
		Short: "A tour: train, test, look at the heads, prove the theorem",
		Long: "A tour of a minute or two, without downloads: train a small self-attention\n" +
			"network on built-in images, test it, draw where its heads attend, and prove that\n" +
			"attention can be a convolution. Each step shows its command. All files are in\n" +
			"one folder. Ctrl-C saves and stops; the same command goes on.",
		Example: "attnconv demo\nattnconv demo --out tour --force",
		Args:    refs.Arguments(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return (&demo{c: c, command: command, out: filepath.Clean(o.Out)}).tour(cmd.Context(), o.Force)
		},
	}
	f := term.FlagsIn(cmd.Flags(), "Output")
	f.Text(&o.Out, "out", "demo", "DIR", "folder of all files", nil)
	f.Boolean(&o.Force, "force", "", "start again, overwriting an earlier demo in that folder")
	return cmd
}

type demo struct {
	c        *term.Console
	command  func(ctx context.Context, c *term.Console, args []string) error
	out      string
	training [][]string // the command that trains or resumes; nil: training is done
	done     []DemoStep
}

func (d *demo) tour(ctx context.Context, force bool) error {
	if err := d.ready(force); err != nil {
		return err
	}
	for i, s := range demoStops {
		d.say("\n%d of %d   %s\n", i+1, len(demoStops), s.title)
		d.paragraph(s.before)
		commands := s.commands(d)
		for _, args := range commands {
			if err := d.call(ctx, args); err != nil {
				return err
			}
		}
		if commands == nil {
			d.say("\nThis was done before, in %s.\n", d.run())
		}
		after, err := s.after(d)
		if err != nil {
			return err
		}
		d.paragraph(after)
	}
	return d.end()
}

// ready checks that the folder is new or an earlier demo's, and whether its training must be resumed.
func (d *demo) ready(force bool) error {
	train := []string{"train", "--data", "shapes32", "--preset", "smoke", "--out", d.run()}
	d.training = [][]string{train}
	list, err := os.ReadDir(d.out)
	if err != nil || len(list) == 0 {
		return nil // if the folder cannot be made or read, train reports it
	}
	if _, err := disk.Folder(d.out).ReadDir("run"); term.Is[*disk.FileTypeError](err) {
		return err
	}
	earlier, err := run.Open(d.run(), d.out)
	if err != nil || earlier.Status().Preset != "smoke" || earlier.Status().Data != "shapes32" {
		return term.Usagef("choose another one: --out DIR", "--out %s: the folder is not empty, and not a demo's", d.out)
	}
	status := earlier.Status()
	state, _ := status.Judge(time.Now())
	switch {
	case force:
		d.training = [][]string{append(train, "--force")}
	case state == event.Done:
		d.training = nil
	case state != event.Diverged:
		d.training = [][]string{{"train", "--resume", d.run()}}
	}
	return nil
}

// over completes a command with the file that it writes, and with --force if the file exists.
func (d *demo) over(file string, command ...string) []string {
	path := filepath.Join(d.out, file)
	if command = append(command, path); term.Exists(path) {
		command = append(command, "--force")
	}
	return command
}

func (d *demo) run() string { return filepath.Join(d.out, "run") }

// say prints text, except with --json.
func (d *demo) say(format string, args ...any) {
	if !d.c.JSON {
		fmt.Fprintf(d.c.Out, format, args...)
	}
}

func (d *demo) paragraph(paragraph string) {
	d.say("\n%s\n", strings.Join(table.Wrap(paragraph, term.HelpWidth), "\n"))
}

// call shows a command and runs it, without settings from the environment.
func (d *demo) call(ctx context.Context, args []string) error {
	command := term.Command(args...)
	d.say("\n$ %s\n", command)
	c, said := *d.c, bytes.Buffer{}
	if c.Env = refs.ChildEnv(d.c.Env); c.JSON {
		c.Out = &said
	}
	all := append(args, "--runs", d.out, "--color", c.Color, "--progress", c.ProgressMode)
	for _, global := range []struct {
		on   bool
		flag string
	}{{c.JSON, "--json"}, {c.Quiet, "--quiet"}, {args[0] == "train", "--part"}} {
		if global.on {
			all = append(all, global.flag)
		}
	}
	err := d.command(ctx, &c, all)
	if ctx.Err() != nil {
		d.c.Note("to go on with the tour: %s", term.Command(append([]string{"demo"}, d.flag()...)...))
	}
	d.done = append(d.done, DemoStep{Command: command, Result: bytes.TrimSpace(said.Bytes())})
	return err
}

// flag returns --out for a demo outside its default folder.
func (d *demo) flag() []string {
	if d.out == "demo" {
		return nil
	}
	return []string{"--out", d.out}
}

// end lists the files of the demo and what to do next.
func (d *demo) end() error {
	if d.c.JSON {
		return d.c.Result(Demo{V: 1, Folder: d.out, Steps: d.done})
	}
	d.say("\nAll files are in %s:\n", d.out)
	for _, f := range [][2]string{
		{"heads.png", "where the heads attend"}, {"heads.gif", "how they moved there, epoch by epoch"},
		{"run", "the run: settings, weights, curves; " + filepath.Join("run", "figures", "curves.svg")},
	} {
		d.say("  %-11s %s\n", f[0], f[1])
	}
	d.say("\nnext:\n")
	for _, n := range []struct{ command, purpose string }{
		{term.Command("serve", d.run(), "--open"), "the heads in the browser: drag one"},
		{term.Command("data", "get", "cifar10"), "the images of the paper"},
		{term.Command("train", "--encoding", "quadratic"), "an hour of training on them"},
		{term.Command("compare", "--baseline", "resnet18"), "against a convolutional network"},
	} {
		d.say("  %-37s # %s\n", n.command, n.purpose)
	}
	return nil
}
