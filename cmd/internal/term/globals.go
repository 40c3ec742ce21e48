package term

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/attnconv/attnconv/internal/progress"
	"github.com/attnconv/attnconv/option"
)

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
