package train

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/session/trained"
	"github.com/attnconv/attnconv/study"
	"github.com/attnconv/attnconv/train"
)

// reportEnd reports how a run ended and what to do next, and returns the error of the command.
func (j *Job) reportEnd(ctx context.Context, s run.Summary, err error) error {
	if j.c.JSON {
		if jsonErr := j.c.Result(s); jsonErr != nil {
			return errors.Join(err, jsonErr)
		}
	}
	diverged := (*train.DivergenceError)(nil)
	switch {
	case errors.Is(err, train.ErrStopped):
		j.stopped(s)
		if ctx.Err() == nil { // --time-budget
			return nil
		}
	case errors.As(err, &diverged):
		last := "no checkpoint was saved"
		if s.Checkpoint != "" {
			last = "the last good checkpoint is " + s.Checkpoint
		}
		return fmt.Errorf("%w\n  %s\n  a smaller --lr, or --clip 1, may help", err, last)
	case err == nil:
		j.finished(ctx, s)
	}
	if err == nil {
		err = term.Require(j.o.Require, map[string]float64{"test_acc": s.TestAcc, "val_acc": s.ValAcc,
			"train_loss": s.TrainLoss, "img_s": s.ImgS, "wall_s": s.WallS})
	}
	return err
}

// finished reports accuracy and files of a finished run, and what to do next.
func (j *Job) finished(ctx context.Context, s run.Summary) {
	if !j.c.JSON {
		j.c.Print("%s\n", folded(j.Outcome(s), j.c.OutWidth()))
		j.describeLayers(ctx)
	}
	switch {
	case j.c.Streams():
		j.c.Stream("saved", SavedFiles{Checkpoint: s.Checkpoint, Figure: j.drawnHeads()})
	case j.c.JSON:
		return
	default:
		j.c.Wrote(s.Checkpoint)
		if path := j.drawnHeads(); path != "" {
			j.c.Wrote(path)
		}
	}
	j.advise()
}

// describeLayers says what training made of the layers. The run has ended as it did, so a failure is a note.
func (j *Job) describeLayers(ctx context.Context) {
	if j.c.Quiet || j.c.Streams() {
		return
	}
	m, err := trained.Open(j.Dir().Path)
	text := ""
	if err == nil {
		text, _, err = m.Summarize(ctx)
	}
	switch {
	case ctx.Err() != nil:
		j.c.Note("the layers were not measured: stopped")
	case err != nil:
		j.c.Note("the layers were not measured: %v", err)
	case text != "":
		j.c.WriteText(j.c.Paragraph(text))
	}
}

// stopped reports where a run stopped, and the command that resumes it.
func (j *Job) stopped(s run.Summary) {
	resume := term.Command("train", "--resume", j.ref())
	if j.c.Streams() {
		j.c.Stream("stopped", StopPoint{Step: s.Steps, Steps: j.Plan().Steps, Resume: resume})
		return
	}
	if s.Steps == 0 {
		j.c.Note("stopped before the first step\nto start again: %s", resume)
		return
	}
	j.c.Note("stopped at step %s of %s, in epoch %d of %d (%.0f %% of the run)\nresume: %s", table.Thousands(s.Steps),
		table.Thousands(j.Plan().Steps), min(j.Cursor().Epoch+1, j.Settings().Train.Epochs), j.Settings().Train.Epochs,
		100*float64(s.Steps)/float64(j.Plan().Steps), resume)
}

// advise lists commands to try next.
func (j *Job) advise() {
	switch rows := j.nextCommands(); {
	case j.o.OneOfMany:
	case j.c.Streams():
		commands := []string{}
		for _, r := range rows {
			commands = append(commands, r[0])
		}
		j.c.Stream("next", NextCommands{Commands: commands})
	default:
		j.c.Next(rows...)
	}
}

// Outcome describes the result of a finished run in one line.
func (j *Job) Outcome(s run.Summary) string {
	took := table.Seconds(s.WallS)
	if j.Overfits() {
		return fmt.Sprintf("acc %.2f %% on the %s training images, in epoch %d of %d   %s", 100*s.ValAcc,
			table.Thousands(j.Plan().Val), s.BestEpoch, j.Settings().Train.Epochs, took)
	}
	part := study.NewPart(j.test.N, j.Plan().Test).Aside("test")
	best := fmt.Sprintf("best epoch %d of %d", s.BestEpoch, j.Settings().Train.Epochs)
	if s.BestEpoch == 0 {
		best = "not trained"
	}
	return fmt.Sprintf("test acc %.2f %%%s   loss %.3f   %s (val acc %.2f %%)   %s", 100*s.TestAcc, part, j.test.Loss,
		best, 100*s.ValAcc, took)
}

// folded breaks a line at its gaps of three spaces where it is wider than width; 0 is any width.
func folded(line string, width int) string {
	var lines []string
	for i, part := range strings.Split(line, "   ") {
		switch last := len(lines) - 1; {
		case i == 0:
			lines = []string{part}
		case table.Fits(lines[last]+"   "+part, width):
			lines[last] += "   " + part
		default:
			lines = append(lines, "  "+part)
		}
	}
	return strings.Join(lines, "\n")
}

// nextCommands lists commands to try after a run.
func (j *Job) nextCommands() [][2]string {
	longer := []string{"train", "--resume", j.ref(), "--extend-epochs",
		strconv.Itoa(max(1, j.Settings().Train.Epochs/2))}
	if len(j.Settings().Train.Resolutions) > 0 { // its epochs are shared out
		longer = []string{"train", "--from", j.ref(), "--resolutions", "none"}
	}
	rows := [][2]string{{term.Command("eval", j.ref()), "accuracy, class by class"},
		{term.Command(longer...), "train longer"}}
	if j.Overfits() {
		rows[0] = [2]string{term.Command("train", "-c", j.Dir().Path+"/config.yaml", "--overfit-batches", "0"),
			"train on all images"}
	}
	page := [2]string{term.Command("serve", j.ref()), "the run in the browser"}
	return slices.Concat([][2]string{page}, j.figureCommands(), rows)
}

// drawnHeads returns the path of the figure of the heads, or "".
func (j *Job) drawnHeads() string {
	for _, name := range []string{"heads.svg", "maps.svg"} {
		if path := filepath.Join(j.Dir().Path, "figures", name); term.Exists(path) {
			return path
		}
	}
	return ""
}

// figureCommands lists commands that draw figures of the run.
func (j *Job) figureCommands() [][2]string {
	heads, _ := j.Net().Heads()
	switch {
	case heads != nil:
		return [][2]string{{term.Command("plot-heads", j.ref()), "where the heads attend"}}
	case j.Net().Attends():
		return [][2]string{{term.Command("plot-heads", j.ref()), "attention maps"},
			{term.Command("plot-maps", j.ref(), "cat.jpg"), "the same on your image"}}
	}
	return [][2]string{{term.Command("plot-curves", j.ref()), "how it learned"}}
}

func (j *Job) ref() string { return refs.RunName(j.c, j.Dir().Path, j.Dir().Status().ID) }
