package cli

import (
	"cmp"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/internal/accelerator"
	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/internal/progress"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/train"
)

// Globals holds the flags of every command.
type Globals struct {
	JSON         bool
	Quiet        bool
	Verbose      int
	Color        string
	ProgressMode string
	Runs         string
	DataDir      string
	Threads      int
	Device       string // of the commands that have --device
	Yes          bool
	Debug        bool
}

var colors = option.List[option.Word]{"auto", "always", "never"}

// GlobalFlags adds the flags of every command to root. all is set by --help-all.
func GlobalFlags(c *Console, root *cobra.Command, all *bool) {
	f := FlagsIn(root.PersistentFlags(), "Global")
	f.Common().Boolean(&c.JSON, "json", "", "print the result as one JSON document")
	f.Boolean(&c.Quiet, "quiet", "q", "results and errors only: no notes, warnings or progress")
	f.CountVarP(&c.Verbose, "verbose", "v", "show settings and their origins; -vv: also the defaults")
	f.Describe("verbose", "", nil)
	Choice(f, &c.Color, "color", "auto", "WHEN", "color of messages", colors)
	Choice(f, &c.ProgressMode, "progress", "auto", "HOW", "how progress is shown", progress.Modes)
	f.Text(&c.Runs, "runs", "", "DIR", "folder of the runs (default: $ATTNCONV_RUNS, else ./runs)", nil)
	f.Text(&c.DataDir, "data-dir", "", "DIR",
		"folder of the data sets (default: $ATTNCONV_DATA, else attnconv in the user's cache)", nil)
	f.Common().Number(&c.Threads, "threads", "N", "cores to use (default: all that the process may use)", 1)
	f.Boolean(&c.Yes, "yes", "y", "answer all questions with yes")
	f.Boolean(&c.Debug, "debug", "", "show a stack trace with internal errors")
	f.Value(value{set: func(string) error { *all = true; return pflag.ErrHelp }}, "help-all", "", "",
		"help with every flag", nil)
	root.PersistentFlags().Lookup("help-all").NoOptDefVal = "true"
}

// Family returns a command that only groups subcommands.
func Family(name, short, examples string, children ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use:                   name + " COMMAND",
		Short:                 short,
		Example:               examples,
		DisableFlagsInUseLine: true,
		Args:                  KnownCommand,
		RunE:                  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(children...)
	return cmd
}

// takeThreads applies --threads, and warns if it exceeds the number of cores.
func (c *Console) takeThreads() error {
	switch cores := runtime.NumCPU(); {
	case c.Threads == 0:
		return nil
	case c.Threads > threads.Most:
		return Usagef(fmt.Sprintf("this process may use %s", table.Count(cores, "core")), "--threads %d: want 1 to %s",
			c.Threads, table.Thousands(threads.Most))
	case c.Threads > cores:
		c.Warn(fmt.Sprintf("--threads %d: this process may use %s; more threads than cores wait for each other",
			c.Threads, table.Count(cores, "core")))
	}
	runtime.GOMAXPROCS(c.Threads)
	return nil
}

// ResolveGlobals validates the global flags, and sets those that were not given to their defaults.
func (c *Console) ResolveGlobals() error {
	c.Device = cmp.Or(c.Device, c.Getenv(DeviceVariable), "auto")
	if err := accelerator.Devices.Check(DeviceVariable, c.Device); err != nil {
		return err
	}
	c.Runs = cmp.Or(c.Runs, c.Getenv("ATTNCONV_RUNS"), "runs")
	if c.DataDir == "" {
		c.DataDir = sets.Dir()
	}
	if err := c.takeThreads(); err != nil {
		return err
	}
	if err := kernel.Choose(c.Getenv(kernel.Variable)); err != nil {
		return Usagef("", "%s", err)
	}
	return nil
}

// DeviceVariable is the environment variable that sets the default of --device.
const DeviceVariable = "ATTNCONV_DEVICE"

// DeviceFlag adds --device to a command whose steps can run on a GPU. It is not a setting of a run: a run can be
// resumed on another device.
func (c *Console) DeviceFlag(f Flags) {
	Choice(f, &c.Device, "device", "", "NAME",
		"where steps run (default: $"+DeviceVariable+", else auto: a GPU (experimental) if there is one)",
		accelerator.Devices)
}

// OpenDevice opens what --device names, for steps at this precision.
func (c *Console) OpenDevice(precision string) (*accelerator.Device, error) {
	d, err := accelerator.Open(c.Device, precision, c.Getenv)
	return d, c.OfDevice(err)
}

// Devices returns a function that opens what --device names, or nil for the CPU, and one that releases all that it
// opened.
func (c *Console) Devices() (open func(precision string) (train.Device, error), release func()) {
	var opened []*accelerator.Device
	open = func(precision string) (train.Device, error) {
		d, err := c.OpenDevice(precision)
		if err != nil || !d.GPU() {
			return nil, err
		}
		opened = append(opened, d)
		return d.Accelerator, nil
	}
	return open, func() {
		for _, d := range opened {
			d.Close()
		}
	}
}

// OfDevice adds the flag to an error of the GPU that the user asked for.
func (c *Console) OfDevice(err error) error {
	if c.Device == "gpu" && (Is[*accelerator.MissingError](err) || Is[*accelerator.PluginError](err)) {
		return fmt.Errorf("--device gpu: %w", err)
	}
	return err
}
