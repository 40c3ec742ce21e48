package sweep

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/internal/shell"
	"github.com/attnconv/attnconv/internal/sweep"
)

func newRetry(c *term.Console) *cobra.Command {
	var o submitOptions
	var failed, unfinished bool
	cmd := &cobra.Command{
		Use:   "retry [SWEEP] --failed [flags]",
		Short: "Submit the runs of a sweep again that failed",
		Long: "Submit the runs again that failed, were lost or are broken: with --unfinished,\n" +
			"also those that a signal stopped. Runs with a checkpoint resume. What is not\n" +
			"given is as in the sweep's latest job: the engine, time, memory, cores.",
		Example: `attnconv sweep retry --failed
attnconv sweep retry sweeps/mine --failed --memory 8G
attnconv sweep retry sweeps/mine --unfinished --print`,
		Args:              refs.Arguments(1),
		ValidArgsFunction: complete,
		RunE: func(cmd *cobra.Command, args []string) error {
			if failed == unfinished {
				return term.Usagef("--failed: failed, lost and broken runs; --unfinished: those and the stopped ones",
					"want one of --failed and --unfinished")
			}
			p, err := open(c, args)
			if err != nil {
				return err
			}
			pick := func(v *sweep.Overview) []int { return v.Retry(unfinished) }
			if err := o.inherit(c, cmd, p, pick); err != nil {
				return err
			}
			term.Saving(cmd.Context())
			return o.submit(c, p, pick, "runs that are in no job: "+term.Program()+" sweep submit")
		},
	}
	o.flags(c, cmd)
	f := term.FlagsIn(cmd.Flags(), "Runs")
	f.Boolean(&failed, "failed", "", "runs that failed, were lost or are broken")
	f.Boolean(&unfinished, "unfinished", "", "these, and runs that a signal stopped")
	return cmd
}

// inherit takes from the sweep's latest job what the flags do not say, and says so. The job may be another person's:
// what decides which code the engine runs is taken only if the user agrees.
func (o *submitOptions) inherit(c *term.Console, cmd *cobra.Command, p *sweep.Plan,
	pick func(*sweep.Overview) []int) error {
	v, err := p.Submissions()
	if err != nil {
		return err
	}
	if len(v) == 0 {
		if o.engine == "" {
			return term.Usagef("to train them here: "+term.Command("sweep", "run", p.Path),
				"--engine is missing: %s has no job", p.Path)
		}
		return nil
	}
	job := v[len(v)-1]
	before, given := job.Request(), cmd.Flags().Changed
	if o.engine == "" {
		o.Engine = before.Engine
	} else if before.Engine == nil || before.Engine.Name != o.engine {
		return nil
	}
	var taken, code []string
	for _, of := range []struct {
		flag string
		show []string // values, without those that say nothing
		take func()
		code bool // it decides what is run
	}{
		{"engine", values(job.Engine), func() {}, false},
		{"pack", values(before.Pack), func() { o.Pack = before.Pack }, false},
		{"at-most", values(before.AtMost), func() { o.AtMost = before.AtMost }, false},
		{"time", values(before.Time), func() { o.Time = before.Time }, false},
		{"memory", values(before.Memory), func() { o.Memory = before.Memory }, false},
		{"cores", values(before.Cores), func() { o.Cores = before.Cores }, false},
		{"queue", values(before.Queue), func() { o.Queue = before.Queue }, false},
		{"ranks", values(before.Ranks), func() { o.Ranks = before.Ranks }, false},
		{"account", values(before.Account), func() { o.Account = before.Account }, false},
		{"arg", before.Extra, func() { o.Extra = before.Extra }, true},
		{"image", values(before.Image), func() { o.Image = before.Image }, true},
		{"claim", values(before.Claim), func() { o.Claim = before.Claim }, false},
	} {
		if given(of.flag) {
			continue
		}
		of.take()
		for _, value := range of.show {
			flag := "--" + of.flag + "=" + shell.Line(value)
			if taken = append(taken, flag); of.code {
				code = append(code, flag)
			}
		}
	}
	c.Note("as in %s: %s", job.Path, strings.Join(taken, " "))
	if len(code) == 0 || o.print {
		return nil
	}
	if v, err := p.Overview(); err != nil || len(pick(v)) == 0 { // submit says so
		return err
	}
	return c.Confirm(cmd.Context(), fmt.Sprintf("submit with %s of %s?", strings.Join(code, " "), job.Path),
		"nothing was submitted", "give these options yourself to use others")
}

// values returns the text of a value unless it is zero.
func values[T comparable](v T) []string {
	var zero T
	if v == zero {
		return nil
	}
	return []string{fmt.Sprint(v)}
}
