package sweep

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/internal/sweep"
	"github.com/attnconv/attnconv/internal/sweep/engine"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/option"
)

// submitOptions holds the flags of submit and retry.
type submitOptions struct {
	sweep.Request
	engine    string
	print     bool
	again     bool
	noCollect bool
}

func newSubmit(c *term.Console) *cobra.Command {
	var o submitOptions
	cmd := &cobra.Command{
		Use:   "submit [SWEEP] --engine NAME [flags]",
		Short: "Submit the unfinished runs of a sweep to the engine of a cluster",
		Long: "Submit the unfinished runs of a sweep, by default the latest, to the engine of a\n" +
			"cluster as a job array. Time and memory are those that sweep plan measured, with\n" +
			"a margin: 1.5 times both, and 5 minutes. A task ends before its limit, having\n" +
			"saved, and the engine runs it again. Runs that are in a job are not submitted\n" +
			"twice, unless --again is given. --print shows the text, and submits nothing.",
		Example: `attnconv sweep submit --engine slurm
attnconv sweep submit mine --engine slurm --pack 4 --cores 8 --queue long
attnconv sweep submit --engine sge --time 12h --memory 4G --print
attnconv sweep submit --engine slurm --ranks 4 --cores 8
attnconv sweep submit --engine kubernetes --image attnconv:1 --claim work`,
		Args:              refs.Arguments(1),
		ValidArgsFunction: complete,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.engine == "" {
				return term.Usagef("one of "+strings.Join(engine.Engines.Names(), ", "), "--engine is missing")
			}
			p, err := open(c, args)
			if err != nil {
				return err
			}
			term.Saving(cmd.Context()) // the id that the engine gives
			return o.submit(c, p, func(v *sweep.Overview) []int { return v.Idle(o.again) },
				"to submit runs that are in a job once more: --again")
		},
	}
	o.flags(c, cmd)
	term.FlagsIn(cmd.Flags(), "Runs").Boolean(&o.again, "again", "",
		"also runs that are in a job that has not begun them")
	return cmd
}

func (o *submitOptions) flags(c *term.Console, cmd *cobra.Command) {
	f := term.FlagsIn(cmd.Flags(), "Job")
	term.Choice(f, &o.engine, "engine", "", "NAME", "of the cluster", engine.Engines)
	f.Boolean(&o.print, "print", "", "show what would be submitted")
	f.Number(&o.Pack, "pack", "N", "runs of a task, one after the other (default 1)", 1)
	f.Number(&o.Ranks, "ranks", "N", "MPI ranks of each run, with --cores and --memory each", 1)
	f.Number(&o.AtMost, "at-most", "N", "tasks at a time (default: as the engine likes)", 1)
	f.Period(&o.Time, "time", "limit of a task (default: measured, with a margin)")
	term.Flag(f, &o.Memory, "memory", "SIZE", "of a task, such as 4G (default: measured, with a margin)", parseSize)
	f.Number(&o.Cores, "cores", "N", "of a task (default: those of the machine that planned)", 1)
	f.Text(&o.Queue, "queue", "", "NAME", "partition or queue of the engine", nil)
	f.Text(&o.Account, "account", "", "NAME", "account or project that is charged", nil)
	f.Texts(&o.Extra, "arg", "", "OPTION", "one more option in the engine's own words; may be repeated")
	f.Text(&o.Image, "image", "", "IMAGE", "Kubernetes: container image; see Containerfile", nil)
	f.Text(&o.Claim, "claim", "", "NAME", "Kubernetes: volume claim, mounted at the current folder's path", nil)
	f.Boolean(&o.noCollect, "no-collect", "", "submit no job that collects afterwards")
	refs.DeviceFlag(c, f)
}

// parseSize reads a size of memory in bytes, with K, M, G or T for powers of 1024.
func parseSize(text string) (int64, error) {
	digits, unit := strings.TrimRight(text, "KMGTiB"), 1.0
	if letter := strings.TrimSuffix(strings.TrimSuffix(text[len(digits):], "B"), "i"); letter != "" {
		unit = math.Pow(1024, float64(strings.Index("KMGT", letter)+1))
		if len(letter) > 1 {
			unit = 0
		}
	}
	x, err := strconv.ParseFloat(digits, 64)
	if bytes := x * unit; err == nil && bytes >= 1<<20 && bytes < 1<<50 {
		return int64(bytes), nil
	}
	return 0, errors.New("want a size from 1M, such as 500M or 4G")
}

// resolve completes the request by what this machine says.
func (o *submitOptions) resolve(c *term.Console) (err error) {
	if o.engine != "" {
		o.Engine = engine.Engines.Find(o.engine)
	}
	if o.Engine == nil {
		return term.Usagef("one of "+strings.Join(engine.Engines.Names(), ", "),
			"--engine is missing: the job before has one that is unknown here")
	}
	path, err := term.Self()
	if err != nil {
		return err
	}
	if o.Program, err = filepath.Abs(path); err != nil {
		return err
	}
	if o.Dir, err = os.Getwd(); err != nil {
		return err
	}
	o.Collect = !o.noCollect
	if c.Device != "auto" {
		o.RunArgs = []string{"--device", c.Device}
	}
	o.Args, err = o.globals(c)
	return err
}

// globals returns the global flags of a task.
func (o *submitOptions) globals(c *term.Console) (args []string, err error) {
	folder, err := filepath.Abs(c.DataDir)
	if err != nil {
		return nil, err
	}
	inside, err := filepath.Rel(o.Dir, folder)
	if outside := err != nil || !filepath.IsLocal(inside); outside && o.Claim != "" {
		c.Warn(fmt.Sprintf("the folder of the data sets, %s, is not in the current one, where the claim is mounted: "+
			"only built-in images are there", folder))
	} else {
		args = []string{"--data-dir", folder}
	}
	return args, nil
}

// submit submits the runs that pick chooses, or prints the job. hint is the advice if there are none.
func (o *submitOptions) submit(c *term.Console, p *sweep.Plan, pick func(*sweep.Overview) []int, hint string) error {
	if err := o.resolve(c); err != nil {
		return err
	}
	job, err := o.job(p, pick)
	refused, wrong, absent := (*engine.SubmitError)(nil), (*option.Error)(nil), (*engine.MissingError)(nil)
	switch {
	case errors.Is(err, sweep.ErrNothing):
		return term.Usagef("how far they are: "+term.Command("sweep", "status", p.Path)+"\n  "+hint,
			"no run of %s is left to submit", p.Path)
	case errors.As(err, &wrong):
		what := "--" + wrong.Key
		if wrong.Key == "folder" || wrong.Key == "command" {
			what = "the " + wrong.Key
		}
		return term.Usagef("", "%s %s", what, wrong.Complaint())
	case errors.As(err, &absent):
		return fmt.Errorf("%w\n  on a machine that has it: the same command\n  or add --print here, and there: %s %s",
			err, o.Engine.Program, strings.Join(o.Engine.Submit("FILE"), " "))
	case errors.As(err, &refused) && job == nil:
		advice := "nothing was submitted; what was to be: add --print"
		if wanted, e := p.Preview(o.Request, pick); e == nil {
			if why := o.tooMany(wanted); why != "" {
				advice = "nothing was submitted\n  " + why
			}
		}
		return fmt.Errorf("%w\n  %s", err, advice)
	case err != nil && job == nil:
		return err
	case err != nil:
		c.Warn(term.ShortMessage(err))
	}
	return o.show(c, p, job)
}

// job submits the job or, to be printed, only renders it.
func (o *submitOptions) job(p *sweep.Plan, pick func(*sweep.Overview) []int) (*sweep.JobScript, error) {
	if o.print {
		return p.Preview(o.Request, pick)
	}
	return p.Submit(o.Request, pick)
}

// tooMany returns why the engine refuses the tasks of a job or may do so, and what to do; "": it accepts them.
func (o *submitOptions) tooMany(job *sweep.JobScript) string {
	tasks := job.Document().Tasks
	why, most := o.Engine.TooMany(tasks)
	if why == "" {
		return ""
	}
	return why + "\n  fewer tasks: --pack " + strconv.Itoa(max(1, job.Pack)*((tasks+most-1)/most))
}

// show prints a job, or says that it was submitted.
func (o *submitOptions) show(c *term.Console, p *sweep.Plan, job *sweep.JobScript) error {
	d := job.Document()
	if d.ID == "" {
		if why := o.tooMany(job); why != "" {
			c.Warn(why)
		}
	}
	if d.ID != "" {
		c.Note("job %s of %s: %s in %s", d.ID, o.Engine.Title, table.Count(job.Runs(), "run"),
			table.Count(d.Tasks, "task"))
	}
	c.Note("each task: about %s on %s; asks for %s, %d MB", table.Seconds(job.Needs.Seconds()),
		table.Count(d.Cores, "core"), table.Duration(time.Duration(d.TimeS)*time.Second), d.Memory>>20)
	watch := ""
	if d.ID != "" {
		watch = o.Engine.Watch(d.ID)
	}
	if c.JSON {
		return c.Result(sweep.SubmissionReport{V: 1, Job: d, Text: string(job.Text), Watch: watch})
	}
	if d.ID == "" {
		out := c.Out
		if c.OutWidth() == 0 { // for a shell and not for a terminal: what is escaped names other folders
			out = c.Raw()
		}
		_, err := out.Write(job.Text)
		return err
	}
	fmt.Fprintln(c.Out, d.ID)
	switch {
	case d.Collect != "":
		c.Note("job %s collects its runs afterwards, to %s", d.Collect, filepath.Join(p.Path, "collected.csv"))
	case o.Engine.After == nil:
		c.Note("%s runs no job after another: once it has ended, %s", o.Engine.Title,
			term.Command("sweep", "collect", p.Path))
	}
	c.Note("\nnext:\n  %s\n  %s", term.Command("sweep", "status", p.Path), watch)
	if p.Halving != nil {
		c.Note("halving: this job trains one rung; once it has ended, the same command submits the next")
	}
	return nil
}
