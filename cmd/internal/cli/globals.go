package cli

import (
	"cmp"
	"fmt"
	"runtime"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/choice"
	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/internal/pjrt"
	"github.com/attnconv/attnconv/internal/progress"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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

var colors = choice.List[choice.Word]{"auto", "always", "never"}

// GlobalFlags adds the flags of every command to root. all is set by --help-all.
func GlobalFlags(c *Console, root *cobra.Command, all *bool) {
	f := FlagsIn(root.PersistentFlags(), "Global")
	f.Common().Boolean(&c.JSON, "json", "", "print the result as one JSON document")
	f.Boolean(&c.Quiet, "quiet", "q", "results and errors only: no notes, warnings or progress")
	f.CountVarP(&c.Verbose, "verbose", "v", "show settings and their origins; -vv: the defaults, too")
	f.Describe("verbose", "", nil)
	f.Text(&c.Color, "color", "auto", "WHEN", "colour of messages", colors.Completions())
	f.Text(&c.ProgressMode, "progress", "auto", "HOW", "how progress is shown", progress.Modes.Completions())
	f.Text(&c.Runs, "runs", "", "DIR", "folder of the runs (default: $ATTNCONV_RUNS, else ./runs)", nil)
	f.Text(&c.DataDir, "data-dir", "", "DIR",
		"folder of the data sets (default: $ATTNCONV_DATA, else attnconv in the user's cache)", nil)
	f.Common().Number(&c.Threads, "threads", "N", "cores to use (default: all that the process may use)", 1)
	f.Boolean(&c.Yes, "yes", "y", "answer all questions with yes")
	f.Boolean(&c.Debug, "debug", "", "show a stack trace with internal errors")
	f.Value(value{set: func(string) error { *all = true; return pflag.ErrHelp }}, "help-all", "", "", "help with every flag", nil)
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

// mostThreads catches typos: it is more than any machine has cores.
const mostThreads = 1024

// takeThreads applies --threads, and warns if it exceeds the number of cores.
func (c *Console) takeThreads() error {
	switch cores := runtime.NumCPU(); {
	case c.Threads == 0:
		return nil
	case c.Threads > mostThreads:
		return Usagef(fmt.Sprintf("this process may use %s", table.Count(cores, "core")), "--threads %d: want 1 to %s", c.Threads,
			table.Thousands(mostThreads))
	case c.Threads > cores:
		c.Warn(fmt.Sprintf("--threads %d: this process may use %s; more threads than cores wait for each other", c.Threads,
			table.Count(cores, "core")))
	}
	runtime.GOMAXPROCS(c.Threads)
	return nil
}

// ResolveGlobals validates the global flags, and sets those that were not given to their defaults.
func (c *Console) ResolveGlobals() error {
	from := "--device"
	if c.Device == "" {
		c.Device, from = cmp.Or(c.Getenv(DeviceVariable), "auto"), DeviceVariable
	}
	if err := cmp.Or(colors.Check("--color", c.Color), progress.Modes.Check("--progress", c.ProgressMode),
		pjrt.Devices.Check(from, c.Device)); err != nil {
		return err
	}
	if c.Runs == "" {
		c.Runs = c.Getenv("ATTNCONV_RUNS")
	}
	if c.Runs == "" {
		c.Runs = "runs"
	}
	if c.DataDir == "" {
		c.DataDir = data.Dir()
	}
	if err := c.takeThreads(); err != nil {
		return err
	}
	if err := kernel.Choose(c.Getenv(kernel.Variable)); err != nil {
		return Usagef("", "%s", err)
	}
	return nil
}
