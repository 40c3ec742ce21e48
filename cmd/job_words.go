package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/internal/progress"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/train"
)

// banner says what is about to be trained, on what and where.
func (j *job) banner() {
	if j.c.JSON && j.c.Progress == "json" {
		return
	}
	j.c.note("attnconv %s   %s   seed %d", readBuild().short(), j.where(), j.run.Seed)
	sizes := fmt.Sprintf("%s train / %s val / %s test", thousands(j.trainer.Train.Len()), thousands(j.val),
		thousands(j.test.Len()))
	if j.overfits() {
		sizes = thousands(j.val) + " of its training pictures"
	}
	if d := j.set.Digest.Train; d != "" {
		sizes += fmt.Sprintf("   digest %.8s%s", d, published(j.set))
	}
	j.c.note("data   %s  %s", j.set.Name, sizes)
	m := j.run.Model
	words := "model  " + m.String()
	size := fmt.Sprintf("%s params   %s a picture", strings.TrimSpace(short(float64(m.Params()), "")),
		short(float64(j.net.MACs().Run), "MAC"))
	between := "   "
	if w := j.c.errWidth(); w > 0 && len([]rune(words+between+size)) > w {
		between = "\n       "
	}
	j.c.note("%s", words+between+size)
	if j.dir != nil {
		j.c.note("run    %s", j.dir.Path)
	}
	if j.device.Why != "" {
		j.c.note("note   on the CPU: %s (%s doctor)", j.device.Why, program())
	}
	if j.overfits() {
		j.c.note("check  --overfit-batches: the same pictures every epoch, not augmented, and \"val\" is\n" +
			"       measured on them, too: it says that the model can learn, and no more")
	}
	if j.set.Note != "" {
		j.c.note("note   %s", j.set.Note)
	}
	if origin, fresh := j.o.Config.Origins["preset"]; fresh && j.run.Preset != "" && !origin.Given() {
		_, name, _ := strings.Cut(j.run.Preset, "/")
		if _, known := configs.PresetText("paper/" + name); known {
			name = " The paper's setting: --preset paper/" + name
		} else {
			name = ""
		}
		j.c.note("note   preset %q.%s", j.run.Preset, name)
	}
	j.c.note("")
}

// where names the device that trains.
func (j *job) where() string {
	if j.device.GPU() {
		return fmt.Sprintf("gpu: %s, %s", j.device, j.run.Train.Precision)
	}
	return fmt.Sprintf("cpu, %d threads, %s", kernel.Threads(), kernel.Name())
}

// published says whether pictures are the published ones, where that is known.
func published(s *data.Set) string {
	switch {
	case s.Published:
		return " ok"
	case strings.HasPrefix(s.Name, "cifar"):
		return " (not the published pictures: a lossy copy?)"
	}
	return ""
}

// farewell says how a run ended and what can be done next, and returns the error to end with.
func (j *job) farewell(ctx context.Context, s run.Summary, err error) error {
	if j.c.JSON {
		if jsonErr := j.c.result(s); jsonErr != nil {
			return errors.Join(err, jsonErr)
		}
	}
	diverged := (*train.Diverged)(nil)
	switch {
	case errors.Is(err, train.ErrStopped):
		j.c.note("stopped at step %d (epoch %d, %.0f %%).   resume: %s train --resume %s", s.Steps,
			j.trainer.Cursor.Epoch+1, 100*float64(s.Steps)/float64(j.trainer.Steps()), program(), j.ref())
		if ctx.Err() == nil { // the time budget, as asked
			return nil
		}
	case errors.As(err, &diverged):
		last := "nothing was saved before"
		if s.Checkpoint != "" {
			last = "the last good checkpoint is " + s.Checkpoint
		}
		return fmt.Errorf("%w\n  %s\n  a smaller --lr, or --clip 1, may help", err, last)
	case err == nil && !j.c.JSON:
		fmt.Fprintln(j.c.Out, j.outcome(s))
		j.c.note("saved    %s", s.Checkpoint)
		if !j.o.part {
			j.c.note("\nnext:\n  %s", strings.Join(j.next(), "\n  "))
		}
	}
	if err == nil {
		err = unmet(j.o.Require, map[string]float64{"test_acc": s.TestAcc, "val_acc": s.ValAcc, "train_loss": s.TrainLoss,
			"img_s": s.ImgS, "wall_s": s.WallS})
	}
	return err
}

// outcome is the accuracy of a finished run, on one line.
func (j *job) outcome(s run.Summary) string {
	took := progress.Duration(seconds(s.WallS))
	if j.overfits() {
		return fmt.Sprintf("acc %.2f %% on the %s pictures learnt by heart, in epoch %d of %d   %s", 100*s.ValAcc,
			thousands(j.val), s.BestEpoch, j.run.Train.Epochs, took)
	}
	return fmt.Sprintf("test acc %.2f %%   best epoch %d of %d (val acc %.2f %%)   %s", 100*s.TestAcc, s.BestEpoch,
		j.run.Train.Epochs, 100*s.ValAcc, took)
}

// next is commands to try after a run.
func (j *job) next() []string {
	rows := [][2]string{
		{"eval " + j.ref(), "accuracy, class by class"},
		{fmt.Sprintf("train --resume %s --extend-epochs %d", j.ref(), max(1, j.run.Train.Epochs/2)), "train on"},
	}
	if j.overfits() {
		rows[0] = [2]string{"train -c " + j.dir.Path + "/config.yaml --overfit-batches 0", "in earnest"}
	}
	if heads, _ := j.net.Heads(); heads != nil {
		rows = slices.Insert(rows, 0, [2]string{"plot-heads " + j.ref(), "where the heads look"})
	}
	var lines []string
	for _, r := range rows {
		line := fmt.Sprintf("%s %-42s # %s", program(), r[0], r[1])
		if w := j.c.errWidth(); w > 0 && len([]rune(line))+2 > w {
			line = program() + " " + r[0] // so that it can be copied whole
		}
		lines = append(lines, line)
	}
	return lines
}

// ref is what the user can call the run by.
func (j *job) ref() string { return j.c.ref(j.dir.Path, j.dir.Status().ID) }

// ref is what the user can call a run by: its id where commands look for it anyway, else its folder.
func (c *console) ref(path, id string) string {
	usual := c.Runs == "runs" || c.Runs == c.getenv("ATTNCONV_RUNS")
	if usual && filepath.Dir(path) == filepath.Clean(c.Runs) {
		return id
	}
	return path
}

// program is how the user calls this program: by name, or with go run, which leaves no program behind.
func program() string {
	if strings.Contains(filepath.ToSlash(os.Args[0]), "/go-build") && filepath.Base(os.Args[0]) == "attnconv" {
		return "go run ./cmd/attnconv"
	}
	return "attnconv"
}

// estimate measures how long a step takes, and says how long the whole run will take, in seconds.
func (j *job) estimate() (step, total float64, err error) {
	step, eval, err := j.trainer.Measure()
	return step, step*float64(j.trainer.Steps()) + eval*float64(j.run.Train.Epochs)/float64(j.run.Train.EvalEvery), err
}

// dryRun says what would be done, and how long it takes.
func (j *job) dryRun() error {
	j.banner()
	step, total, err := j.estimate()
	if err != nil {
		return err
	}
	epochs, steps := j.run.Train.Epochs, j.trainer.Steps()
	plan := struct {
		V      int     `json:"v"`
		Params int     `json:"params"`
		MACs   int     `json:"macs_run"`
		Epochs int     `json:"epochs"`
		Steps  int     `json:"steps"`
		StepS  float64 `json:"step_s"`
		ETA    float64 `json:"eta_s"`
	}{1, j.run.Model.Params(), j.net.MACs().Run, epochs, steps, step, total}
	if j.c.JSON {
		return j.c.result(plan)
	}
	fmt.Fprintf(j.c.Out, "%d epochs of %d steps of %d pictures: about %s here (%.0f img/s, one step measured)\n"+
		"nothing was written\n", epochs, j.trainer.EpochSteps(), j.run.Train.Batch, progress.Duration(seconds(total)), float64(j.run.Train.Batch)/step)
	return nil
}

func (b build) short() string {
	if b.Commit == "" {
		return b.Version
	}
	return fmt.Sprintf("%s (%.7s)", b.Version, b.Commit)
}

// short writes 12086844 as 12.1 M.
func short(n float64, unit string) string {
	for _, p := range []struct {
		size float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if n >= p.size {
			return fmt.Sprintf("%.3g %s%s", n/p.size, p.name, unit)
		}
	}
	return fmt.Sprintf("%.0f %s", n, unit)
}

// thousands writes 45000 as 45,000.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
