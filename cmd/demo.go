package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/run"
)

// demoOptions holds the flags and arguments of `attnconv demo`.
type demoOptions struct {
	Out   string
	Force bool
}

// newDemo is the demo command. Its steps are commands of the program itself, with the bodies b.
func newDemo(c *console, b bodies) *cobra.Command {
	o := demoOptions{}
	cmd := &cobra.Command{
		Use:   "demo [flags]",
		Short: "A tour: train, test, look at the heads, prove the theorem",
		Long: "A tour in a minute or two, with nothing to download: train a small network of\n" +
			"self-attention on built-in images, test it, draw where its heads look, and\n" +
			"prove that attention can be a convolution. Each step says which command does it.\n" +
			"All files are in one folder. Ctrl-C saves and stops, the same command goes on.",
		Example: "attnconv demo\nattnconv demo --out tour --force",
		Args:    arguments(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return (&demo{c: c, b: b, out: filepath.Clean(o.Out)}).tour(cmd.Context(), o.Force)
		},
	}
	f := flags{cmd.Flags(), "Output"}
	f.text(&o.Out, "out", "demo", "DIR", "folder of all files", nil)
	f.boolean(&o.Force, "force", "", "begin anew, over an earlier demo in that folder")
	return cmd
}

// A demo is one tour.
type demo struct {
	c        *console
	b        bodies
	out      string
	training [][]string // the command that trains, or goes on with it; none: that is done
	done     []demoStep
}

// A demoStep is a step that has been taken, as --json tells it.
type demoStep struct {
	Command string          `json:"command"`
	Result  json.RawMessage `json:"result"` // what the command says with --json
}

// tour goes from stop to stop.
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

// ready looks at the folder: it is new, or an earlier demo's, whose training goes on where it stopped.
func (d *demo) ready(force bool) error {
	train := []string{"train", "--data", "shapes32", "--preset", "smoke", "--out", d.run()}
	d.training = [][]string{train}
	list, err := os.ReadDir(d.out)
	if err != nil || len(list) == 0 {
		return nil // where the folder cannot be made or read, the training says so
	}
	earlier, err := run.Open(d.run(), d.out)
	if err != nil || earlier.Status().Preset != "smoke" || earlier.Status().Data != "shapes32" {
		return usagef("choose another one: --out DIR", "--out %s: the folder holds something else than a demo", d.out)
	}
	status := earlier.Status()
	state, _ := status.Judge(time.Now())
	switch {
	case force:
		d.training = [][]string{append(train, "--force")}
	case state == run.Done:
		d.training = nil
	case state != run.Diverged:
		d.training = [][]string{{"train", "--resume", d.run()}}
	}
	return nil
}

// over is a command that writes a file of the demo, over that of an earlier one.
func (d *demo) over(file string, command ...string) []string {
	path := filepath.Join(d.out, file)
	if command = append(command, path); exists(path) {
		command = append(command, "--force")
	}
	return command
}

func (d *demo) run() string { return filepath.Join(d.out, "run") }

// say tells the user something, unless all must be in one document.
func (d *demo) say(format string, args ...any) {
	if !d.c.JSON {
		fmt.Fprintf(d.c.Out, format, args...)
	}
}

// paragraph says a paragraph.
func (d *demo) paragraph(paragraph string) {
	d.say("\n%s\n", strings.Join(wrap(paragraph, helpWidth), "\n"))
}

// call shows a command and runs it, by the settings of the demo alone.
func (d *demo) call(ctx context.Context, args []string) error {
	command := program() + " " + strings.Join(args, " ")
	d.say("\n$ %s\n", command)
	c, said := *d.c, bytes.Buffer{}
	if c.env = withoutSettings(d.c.env); c.JSON {
		c.Out = &said
	}
	all := append(args, "--runs", d.out, "--color", c.Color, "--progress", c.Progress)
	for _, global := range []struct {
		on   bool
		flag string
	}{{c.JSON, "--json"}, {c.Quiet, "--quiet"}, {args[0] == "train", "--part"}} {
		if global.on {
			all = append(all, global.flag)
		}
	}
	root := newRoot(&c, d.b)
	root.SetArgs(all)
	err := root.ExecuteContext(ctx)
	if ctx.Err() != nil {
		d.c.note("the tour goes on from here with: %s demo%s", program(), d.flag())
	}
	d.done = append(d.done, demoStep{command, bytes.TrimSpace(said.Bytes())})
	return err
}

// flag is what a demo that is not in its usual folder is called with.
func (d *demo) flag() string {
	if d.out == "demo" {
		return ""
	}
	return " --out " + d.out
}

// end says what there is now, and what could be done next.
func (d *demo) end() error {
	if d.c.JSON {
		return d.c.result(struct {
			V      int        `json:"v"`
			Folder string     `json:"folder"`
			Steps  []demoStep `json:"steps"`
		}{1, d.out, d.done})
	}
	d.say("\nAll files are in %s:\n", d.out)
	for _, f := range [][2]string{
		{"heads.png", "where the heads look"}, {"heads.gif", "how they came there, epoch by epoch"},
		{"run", "the run: settings, weights, curves; " + filepath.Join("run", "figures", "curves.svg")},
	} {
		d.say("  %-11s %s\n", f[0], f[1])
	}
	d.say("\nnext:\n")
	for _, n := range [][2]string{
		{"data get cifar10", "the images of the paper"},
		{"train --encoding quadratic", "an hour on them"},
		{"compare --baseline resnet18", "beside a convolutional network"},
	} {
		d.say("  %s %-28s # %s\n", program(), n[0], n[1])
	}
	return nil
}
