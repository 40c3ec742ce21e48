package runs

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/listing"
	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/internal/visible"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/run/event"
)

func newShow(c *term.Console) *cobra.Command {
	watch := false
	cmd := &cobra.Command{
		Use:   "show [RUN] [flags]",
		Short: "Show a run: state, settings, epochs",
		Long: "Show a run, by default the latest: its state, the settings that differ from the\n" +
			"preset, and its last epochs.",
		Example:           "attnconv runs show\nattnconv runs show k3f9 --json\nattnconv runs show --watch",
		Args:              refs.Arguments(1),
		ValidArgsFunction: refs.CompleteRuns(c, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if watch {
				return watchRun(cmd.Context(), c, refs.First(args))
			}
			s, err := readRun(c, refs.First(args))
			if err != nil {
				return err
			}
			return c.Show(s.RunDetails, s.print)
		},
	}
	f := term.FlagsIn(cmd.Flags(), "Output")
	f.Boolean(&watch, "watch", "", "refresh every 2 seconds, until the run ends")
	return cmd
}

// runDetails is what runs show prints.
type runDetails struct {
	listing.RunDetails
	listed listing.ListRow
}

// readRun reads a run for runs show.
func readRun(c *term.Console, ref string) (s runDetails, err error) {
	f, err := refs.AnyRun.Lookup(c.Runs).Find(ref) // without a note, since the output names the run
	if err == nil {
		err = f.Err
	}
	if err != nil {
		return s, err
	}
	s.RunDetails, s.listed, err = listing.Details(f.Entry)
	if err != nil {
		c.Warn(refs.UserMessage(err)) // shows what could be read
	}
	return s, nil
}

// images says what images a network takes, unless they are 32 × 32 RGB, and whether they are padded.
// It is empty for settings that cannot be read.
func images(r *configs.Run) string {
	if r == nil {
		return ""
	}
	m, said := r.Model, ""
	if m.Image != model.Default().Image {
		said = "   images " + data.FormatOf(m.Image[0], m.Image[1], m.Image[2]).String()
	}
	kind := model.Kinds.Find(m.Kind) // nil: another program's
	if rows, cols, padded := m.Padded(); padded && kind != nil && kind.Block != "" {
		said += fmt.Sprintf(" padded to %d × %d", rows, cols)
	}
	return said
}

// lastEpochs is the number of epochs in the output.
const lastEpochs = 12

func (s runDetails) print(c *term.Console) error {
	line := func(name, format string, args ...any) {
		c.Print("%-9s%s\n", name, visible.Word(fmt.Sprintf(format, args...)))
	}
	line("run", "%s", s.Path)
	state, resume := s.State, ""
	if s.Why != "" {
		state += " (" + s.Why + ")"
	}
	if s.State == event.Stopped || s.State == event.Failed {
		resume = "   resume: " + term.Command("train", "--resume", refs.RunName(c, s.Path, s.ID))
	}
	line("state", "%s%s", state, resume)
	line("started", "%s   trained %s", s.Started.Local().Format("2 Jan 2006 15:04"), table.Period(s.WallS))
	line("model", "%s   %s params   preset %s", s.listed.Network(), table.SI(float64(s.Params), ""),
		term.Dash(s.Preset))
	line("differs", "%s", term.Dash(s.listed.Differences()))
	line("data", "%s   seed %d%s", s.Data, s.Seed, images(s.listed.Config))
	if i := s.Images; i != nil {
		line("digests", "train %.8s, test %.8s   %s", i.Train, i.Test, table.Count(len(i.Classes), "class"))
	} else {
		line("digests", "not recorded: the run is of an earlier version")
	}
	if len(s.Tags) > 0 {
		line("tags", "%s", strings.Join(s.Tags, " "))
	}
	name := "note"
	for text := range strings.Lines(s.Note) {
		line(name, "%s", strings.TrimSpace(text))
		name = ""
	}
	for _, done := range s.Surgery {
		line("surgery", "%s", done)
	}
	line("done", "epoch %d/%d   step %s/%s", s.Epoch, s.Epochs, table.Thousands(s.Step), table.Thousands(s.Steps))
	best := ""
	if s.Best > 0 {
		best = fmt.Sprintf(" (epoch %d)", s.Best)
	}
	line("best", "val acc %s%s   test acc %s", table.Percent(s.ValAcc), best, table.Percent(s.TestAcc))
	if on := slices.DeleteFunc([]string{s.ValOn, s.TestOn}, func(on string) bool { return on == "" }); len(on) > 0 {
		line("", "on %s", strings.Join(on, ", "))
	}
	line("files", "%s   checkpoint %s", table.Size(s.Bytes), term.Dash(s.Checkpoint))
	if len(s.EpochRows) == 0 {
		return nil
	}
	fmt.Fprintln(c.Out)
	lines := [][]string{{"epoch", "train loss", "train acc", "val loss", "val acc", "lr", "img/s", "time", ""}}
	for _, e := range s.EpochRows[max(0, len(s.EpochRows)-lastEpochs):] {
		mark := ""
		if e.Epoch == s.Best {
			mark = "best"
		}
		lines = append(lines, []string{fmt.Sprint(e.Epoch), number4(e.TrainLoss), table.Percent(e.TrainAcc),
			number4(e.ValLoss),
			table.Percent(e.ValAcc), number4(e.LR), number4(e.ImgS), table.Period(e.WallS), mark})
	}
	if err := c.Table(lines); err != nil || len(s.Nulls) == 0 {
		return err
	}
	return c.WriteText("\n" + listing.NullTable(s.Nulls).Text(c.OutWidth()))
}

// number4 formats a value with four significant digits; an unknown one is a dash.
func number4(x null.Float) string {
	if !x.Known() {
		return "-"
	}
	return fmt.Sprintf("%.4g", x)
}

// watchEvery is the time between two refreshes.
const watchEvery = 2 * time.Second

// watchRun refreshes the output in place until the run ends.
func watchRun(ctx context.Context, c *term.Console, ref string) error {
	if c.JSON || c.OutWidth() == 0 || c.Getenv("TERM") == "dumb" || c.Getenv("ACCESSIBLE") != "" {
		return term.Usagef("without --watch the run is shown once; its metrics.jsonl can be followed by programs",
			"--watch redraws in place: it needs a terminal, without --json and ACCESSIBLE")
	}
	up := ""
	for {
		s, err := readRun(c, ref)
		if err != nil {
			return err
		}
		var b strings.Builder
		shown := *c
		var accuracies []float64
		for _, e := range s.EpochRows[max(0, len(s.EpochRows)-60):] {
			accuracies = append(accuracies, float64(e.ValAcc))
		}
		if shown.Out = &b; accuracies != nil {
			fmt.Fprintf(&b, "%-9s%s\n", "val acc", table.Cut(table.Spark(accuracies), max(0, c.OutWidth()-9)))
		}
		if err := s.print(&shown); err != nil {
			return err
		}
		visible.Control(c.Out, up+"\x1b[J")
		if _, err := io.WriteString(c.Out, b.String()); err != nil || s.State != event.Running {
			return err
		}
		up = fmt.Sprintf("\x1b[%dA", strings.Count(b.String(), "\n")) // no line wraps
		ref = s.Path                                                  // latest stays the same run
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(watchEvery):
		}
	}
}
