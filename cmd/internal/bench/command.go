// Package bench is the commands bench and, for its child processes, bench-point.
package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/internal/kernel/threads"
)

// benchOptions holds the flags and arguments of `attnconv bench`. It measures every combination of the lists.
type benchOptions struct {
	Presets []string
	Modes   []string
	Batches []int
	Threads []int
	Steps   int // 0: as many as fit into 8 s
	Warmup  int
	Profile bool
	Sources configs.Sources // change the model of each preset

	Report   string // of reports
	Accuracy accuracyOptions
}

// New returns the command.
func New(c *term.Console) *cobra.Command {
	o := benchOptions{
		Presets: []string{"tiny", "small", "paper/quadratic"}, Modes: []string{"train"}, Batches: []int{32},
		Threads: []int{runtime.GOMAXPROCS(0)}, Warmup: 2,
	}
	cmd := &cobra.Command{
		Use:   "bench [RUN...] [flags]",
		Short: "Measure speed and memory, or report the time to an accuracy",
		Long: "Measure speed and memory of training or inference on made-up images, each model\n" +
			"in a process of its own, and compare it with the speed of the matrix product.\n" +
			"Flags that take lists measure every combination, on an otherwise idle machine.\n\n" +
			"With --report time-to-accuracy it trains and measures nothing, but reads from\n" +
			"runs, finished or not, after how many minutes and images their accuracy on\n" +
			"validation images was as high as the targets. Without RUN it takes all runs with\n" +
			"the data of the latest. Runs that differ only in the seed are one model.",
		Example: `attnconv bench
attnconv bench --preset paper/quadratic --batch 32,100 --threads 1,4
attnconv bench --preset small --mode train,infer --json
attnconv bench --preset paper/quadratic --dim 128 --ffn 256 --profile
attnconv bench --preset small --device gpu --set train.precision=tf32
attnconv bench --report time-to-accuracy
attnconv bench --report time-to-accuracy quadratic resnet18 --targets 80,90`,
		ValidArgsFunction: refs.CompleteRuns(c, 1<<20),
		Args: func(cmd *cobra.Command, args []string) error {
			if err := checkReport(cmd, o.Report); err != nil {
				return err
			}
			most := 0
			if o.Report == timeToAccuracy {
				most = 1 << 20
			}
			return refs.Arguments(most)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.Report == timeToAccuracy {
				o.Accuracy.Refs = args
				return o.Accuracy.run(c)
			}
			o.Sources.Env = c.Env
			points, err := o.points(c)
			if err != nil {
				return err
			}
			return runBench(cmd.Context(), c, points)
		},
	}
	o.flags(c, cmd)
	return cmd
}

func (o *benchOptions) flags(c *term.Console, cmd *cobra.Command) {
	f := term.FlagsIn(cmd.Flags(), "Report")
	term.Choice(f.Common(), &o.Report, "report", reports.Default(), "NAME", "what to report", reports)
	o.Accuracy.flags(f)

	f = term.FlagsIn(cmd.Flags(), "Model")
	f.Common().List(&o.Presets, "preset", "models to measure, of config ls", configs.PresetChoices())
	for _, s := range configs.Settings() {
		if s.Group == "Model" {
			refs.AddSetting(f, &o.Sources.Flags, s, false)
		}
	}
	refs.AnySetting(f, &o.Sources)

	f = term.FlagsIn(cmd.Flags(), "Measurement")
	f.Common().List(&o.Modes, "mode", "what a step does", modes.Completions())
	f.Common().Ints(&o.Batches, "batch", "images per step", 100_000)
	f.Common().Ints(&o.Threads, "threads", "cores to use (default: all that the process may use)", threads.Most)
	refs.DeviceFlag(c, f)
	f.Number(&o.Steps, "steps", "N", "steps to time (default: what 8 s hold, 5 to 100)", 1)
	f.Number(&o.Warmup, "warmup", "N", "steps before the timed ones", 1)
	f.Common().Boolean(&o.Profile, "profile", "", "show where the time goes, by kernel and by operation")
}

// points lists all combinations in the order of the table, each with a valid model.
func (o *benchOptions) points(c *term.Console) (points []Point, err error) {
	for _, m := range o.Modes {
		if err := modes.Check("--mode", m); err != nil {
			return nil, err
		}
	}
	warned := map[string]bool{}
	for _, name := range o.Presets {
		p, warnings, err := o.preset(c, name)
		if err != nil {
			return nil, err
		}
		for _, w := range warnings {
			if !warned[w] {
				warned[w] = true
				c.Warn(w)
			}
		}
		for _, p.Mode = range o.Modes {
			for _, p.Batch = range o.Batches {
				for _, p.Threads = range o.Threads {
					points = append(points, p)
				}
			}
		}
	}
	return points, nil
}

// preset returns what all points of a preset share.
func (o *benchOptions) preset(c *term.Console, name string) (p Point, warnings []string, err error) {
	sources := o.Sources
	sources.Flags = append([]configs.Flag{{Name: "--preset", Key: "preset", Text: name}}, sources.Flags...)
	r, err := configs.Resolve(sources, nil)
	if err != nil {
		return p, nil, err
	}
	if c.Verbose > 0 {
		c.Note("%s", r.Table(c.Verbose > 1))
	}
	changes, err := changesOf(sources, r.Run.Preset)
	return Point{Preset: r.Run.Preset, Changes: changes, Model: r.Run.Model, Train: r.Run.Train,
		Settings: r.Run.YAML(), Device: c.Device, Steps: o.Steps, Warmup: o.Warmup, Profile: o.Profile}, r.Warnings, err
}

// changesOf lists the settings that affect a step and differ from the preset.
func changesOf(s configs.Sources, preset string) (changes []string, err error) {
	only := configs.Sources{Flags: []configs.Flag{{Name: "--preset", Key: "preset", Text: preset}}}
	plain, err := configs.Resolve(only, nil)
	if err != nil {
		return nil, err
	}
	differ, err := s.Differences(plain.Run)
	for _, d := range differ {
		if strings.HasPrefix(d.Key, "model.") || strings.HasPrefix(d.Key, "train.") && d.Key != "train.batch" {
			changes = append(changes, d.Key+"="+d.Given)
		}
	}
	return changes, err
}

// NewPoint returns the hidden command that bench runs as a child process: it reads a point as JSON from standard input
// and writes its row as JSON to standard output.
func NewPoint(c *term.Console) *cobra.Command {
	return &cobra.Command{
		Use:    "bench-point",
		Short:  "Measure one point of bench",
		Hidden: true,
		Args:   refs.Arguments(0),
		RunE:   func(cmd *cobra.Command, _ []string) error { return runBenchPoint(cmd.Context(), c) },
	}
}

// runBench measures the points one after another and writes each row once it is measured.
func runBench(ctx context.Context, c *term.Console, points []Point) error {
	if err := tryDevice(c, points); err != nil {
		return err
	}
	each := func(Row) {}
	var listing *Listing
	if !c.JSON {
		listing = newListing(c.Out, c.OutWidth(), newReport().Machine, points)
		each = listing.Row
	}
	r, err := measureAll(points, func(p Point) (*Row, error) { return measureApart(ctx, c, p) }, each)
	if err != nil {
		return err
	}
	return c.Show(r, func(c *term.Console) error {
		listing.End(r.Rows, !c.Quiet)
		return nil
	})
}

// tryDevice opens the device once for each precision, so that this process, not a child, reports what is wrong with it.
func tryDevice(c *term.Console, points []Point) error {
	tried := map[string]bool{}
	for _, p := range points {
		if tried[p.Train.Precision] {
			continue
		}
		tried[p.Train.Precision] = true
		d, err := refs.OpenDevice(c, p.Train.Precision)
		if err != nil {
			return err
		}
		d.Close()
		if d.GPU() && p.Profile {
			return term.Usagef("on a GPU a step is one program; --device cpu shows the operations of the CPU",
				"--profile has no operations to show on a GPU")
		}
	}
	return nil
}

// measureApart measures p in a child process, so that rows share neither memory nor the state of the garbage collector.
func measureApart(ctx context.Context, c *term.Console, p Point) (*Row, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("the program's own file: %w", err)
	}
	child := exec.CommandContext(ctx, program, "bench-point")
	child.Env = append(slices.Clone(c.Env), fmt.Sprintf("GOMAXPROCS=%d", p.Threads), "NO_COLOR=1")
	return apart(ctx, child, p)
}

// readPoint reads what apart has written.
func readPoint(in io.Reader) (p Point, err error) {
	if err := json.NewDecoder(in).Decode(&p); err != nil {
		return p, err
	}
	r, err := configs.Parse("bench-point", p.Settings)
	p.Model, p.Train = r.Model, r.Train
	return p, err
}

func runBenchPoint(ctx context.Context, c *term.Console) error {
	p, err := readPoint(c.In)
	if err != nil {
		return term.Usagef("", "bench-point is run by attnconv bench: it reads a point from standard input")
	}
	c.Device = p.Device
	d, err := refs.OpenDevice(c, p.Train.Precision)
	if err != nil {
		return err
	}
	defer d.Close()
	p.Device, p.Train.Device = d.String(), d.Accelerator
	row, err := Measure(ctx, p)
	if err != nil {
		return err
	}
	return c.Result(row)
}
