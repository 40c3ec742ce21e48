package eval

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/attnconv/attnconv/ckpt"
	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/pjrt"
	"github.com/attnconv/attnconv/session"
	"github.com/attnconv/attnconv/study"
	"github.com/attnconv/attnconv/train"
	"github.com/attnconv/attnconv/viz"
)

// Result is the output of eval --json.
type Result struct {
	V          int          `json:"v"`
	Checkpoint string       `json:"checkpoint"`
	Data       string       `json:"data"`
	Split      string       `json:"split"`
	N          int          `json:"n"`
	Loss       float64      `json:"loss"`
	Acc        float64      `json:"acc"`
	Top5       float64      `json:"top5"`
	PerClass   []classScore `json:"per_class"`
	Shift      *shifted     `json:"shift,omitempty"`
	Confusion  [][]int      `json:"confusion,omitempty"`   // (class, prediction)
	Calibrated *Calibrated  `json:"calibration,omitempty"` // with --calibrate
}

type classScore struct {
	Class string  `json:"class"`
	N     int     `json:"n"`
	Acc   float64 `json:"acc"`
}

// shifted compares the predictions for shifted images with those for the images as they are.
type shifted struct {
	Right     int     `json:"right"` // pixels
	Down      int     `json:"down"`
	Unshifted float64 `json:"acc_unshifted"`
	Same      float64 `json:"same"` // fraction of images whose prediction the shift does not change
}

func Run(ctx context.Context, c *cli.Console, o Options) error {
	m, err := c.LoadModel(o.Ref, study.AnyRun)
	if err != nil {
		return err
	}
	set, err := m.OpenData(o.Data, c.DataDir)
	if err != nil {
		return err
	}
	warnOfClasses(c, m.Config.Data.Name, set)
	d, err := c.OpenDevice(train.Float32)
	if err != nil {
		return err
	}
	defer d.Close()
	if d.GPU() {
		c.Note("note   on %s: %s", d, pjrt.Experimental)
	}
	out, other, err := measure(ctx, m, set, d.Accelerator, o)
	if err != nil {
		return err
	}
	score := out.Score()
	if cli.Finite(score.Loss) == nil {
		return &ckpt.Corrupt{Path: m.Path, Reason: "its outputs for some images are not finite"}
	}
	r := Result{V: 1, Checkpoint: m.Path, Data: set.Name, Split: o.Split, N: score.N, Loss: score.Loss, Acc: score.Acc,
		Top5: score.Top5}
	for i, s := range score.PerClass {
		r.PerClass = append(r.PerClass, classScore{set.Classes[i], s.N, float64(s.Correct) / float64(max(1, s.N))})
	}
	if o.Shift != [2]int{} {
		r.Shift = &shifted{o.Shift[1], o.Shift[0], other.unshifted.Score().Acc, out.Agreement(other.unshifted)}
	}
	if o.Confusion {
		r.Confusion = out.Confusion()
	}
	if o.Calibrate {
		r.Calibrated = calibrate(other.heldOut, out)
	}
	if o.Predictions != "" {
		if err := writePredictions(c, o, out, set.Classes); err != nil {
			return err
		}
	}
	if len(o.Plot.Output) > 0 {
		if err := r.plot(c, m, o, out.Confusion(), set.Classes); err != nil {
			return err
		}
	}
	switch {
	case o.Plot.ToStdout():
	case c.JSON:
		err = c.Result(r)
	case o.Predictions != "-":
		err = r.print(c, set.Classes)
	}
	if err != nil {
		return err
	}
	return study.Require(o.Require, r.metrics())
}

// plot draws the confusion matrix.
func (r Result) plot(c *cli.Console, m *session.Model, o Options, counts [][]int, classes []string) error {
	figure, err := viz.Confusion(counts, classes, viz.ConfusionOptions{Width: o.Plot.Width})
	if err != nil {
		return err
	}
	figure.Caption = fmt.Sprintf("%s · on %s %s images of %s: acc %.1f %%", m.Caption(), cli.Thousands(r.N), r.Split, r.Data, 100*r.Acc)
	files, err := o.Plot.Write(c, figure, "")
	for _, name := range files {
		c.Note("figure: %s", name)
	}
	return err
}

// warnOfClasses warns if the class names of a set differ from those that a network was trained on. This is not an error:
// the same classes may have other names in another copy of the data.
func warnOfClasses(c *cli.Console, trained string, set *data.Set) {
	known := data.ClassNames(trained, c.DataDir)
	if known == nil || slices.Equal(known, set.Classes) {
		return
	}
	ends := func(names []string) string { return names[0] + " … " + names[len(names)-1] }
	c.Warn(fmt.Sprintf("the network was trained on %s (%s), and %s has other classes (%s): the accuracy is meaningless unless "+
		"they are the same classes, in the same order, under other names", trained, ends(known), set.Name, ends(set.Classes)))
}

// metrics returns the measured ones of evalMetrics.
func (r Result) metrics() map[string]float64 {
	values := map[string]float64{"acc": r.Acc, "loss": r.Loss, "top5": r.Top5}
	if k := r.Calibrated; k != nil {
		values["ece"], values["nll"] = k.Before.ECE, k.Before.NLL
	}
	for name, v := range maps.Clone(values) {
		values[r.Split+"_"+name] = v
	}
	return values
}

// references are outputs to compare those of an evaluation with.
type references struct {
	heldOut   train.Outputs // for --calibrate
	unshifted train.Outputs // of the same images, for --shift
}

// measure runs m on the split of o, and on the references that o needs.
func measure(ctx context.Context, m *session.Model, set *data.Set, on train.Device, o Options) (
	out train.Outputs, other references, err error,
) {
	config := m.Config.Data
	if o.Data != "" {
		config.Name = o.Data
	}
	trainSplit, val, test, err := set.Split(config)
	if err != nil {
		return out, other, err
	}
	if (o.Calibrate || o.Split == "val") && config.OnTest() {
		flag := "--calibrate"
		if !o.Calibrate {
			flag = "--split val"
		}
		return out, other, cli.Usagef("it was trained with --protocol paper, which holds out no images",
			"%s needs held-out images", flag)
	}
	split := map[string]data.Split{"train": trainSplit, "val": val, "test": test}[o.Split]
	eo := session.EvaluateOptions{Batch: o.Batch, Shift: o.Shift, Device: on}
	plain := session.EvaluateOptions{Batch: o.Batch, Device: on}
	if out, err = m.Evaluate(ctx, split, eo); err == nil && o.Calibrate {
		other.heldOut, err = m.Evaluate(ctx, val, plain)
	}
	if err == nil && o.Shift != [2]int{} {
		other.unshifted, err = m.Evaluate(ctx, split, plain)
	}
	return out, other, err
}

// print writes the scores as a table.
func (r Result) print(c *cli.Console, classes []string) error {
	fmt.Fprintf(c.Out, "%s  %s %s images of %s", r.Checkpoint, cli.Thousands(r.N), r.Split, r.Data)
	if r.Shift != nil {
		fmt.Fprintf(c.Out, ", shifted by %d right, %d down", r.Shift.Right, r.Shift.Down)
	}
	fmt.Fprintln(c.Out)
	fmt.Fprintf(c.Out, "acc %.2f %%   top-5 %.2f %%   loss %.4f\n", 100*r.Acc, 100*r.Top5, r.Loss)
	if r.Shift != nil {
		fmt.Fprintf(c.Out, "unshifted: acc %.2f %%   the same prediction for %.2f %% of the images\n", 100*r.Shift.Unshifted,
			100*r.Shift.Same)
	}
	fmt.Fprintln(c.Out)
	w := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "class\timages\tacc %\t\n")
	for _, p := range r.PerClass {
		fmt.Fprintf(w, "%s\t%d\t%.1f\t\n", p.Class, p.N, 100*p.Acc)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if r.Calibrated != nil {
		r.Calibrated.print(c, r.Split)
	}
	if r.Confusion != nil {
		return printConfusion(c, r.Confusion, classes)
	}
	return nil
}
