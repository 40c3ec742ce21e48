package eval

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/internal/visible"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/session/trained"
	"github.com/attnconv/attnconv/train"
)

// flags are those of the options that are checked against the run.
var flags = map[string]string{"split": "--split", "calibrate": "--calibrate", "train.precision": "--precision"}

// nameFlag gives the option that is wrong, if err is about one of flags, the name of its flag.
func nameFlag(err error) error {
	if wrong := (*option.Error)(nil); errors.As(err, &wrong) {
		wrong.Key = cmp.Or(flags[wrong.Key], wrong.Key)
	}
	return err
}

// Run evaluates, and writes what o asks for.
func Run(ctx context.Context, c *term.Console, o Options) error {
	if len(o.Refs) > 1 {
		return evaluateEach(ctx, c, o)
	}
	e, err := evaluate(ctx, c, o, refs.First(o.Refs))
	if err != nil {
		return err
	}
	switch {
	case o.Plot.ToStdout():
	case c.JSON:
		err = c.Result(e.Scores)
	case o.Predictions != "-":
		err = printScores(c, e)
	}
	if err != nil {
		return err
	}
	return term.Require(o.Require, e.Metrics())
}

// evaluateEach evaluates several networks, and prints a line for each. Each has files of its own.
func evaluateEach(ctx context.Context, c *term.Console, o Options) error {
	paths, err := refs.Checkpoints(c, o.Refs, refs.AnyRun)
	if err != nil {
		return err
	}
	each := make([]Options, len(paths))
	for i, path := range paths {
		one, name := o, refs.NameOf(c, path)
		if o.Predictions != "" {
			one.Predictions = term.FileOf(o.Predictions, name)
		}
		one.Plot = o.Plot.Of(name)
		if err := one.check(c); err != nil {
			return err
		}
		each[i] = one
	}
	var all []*Evaluation
	var unmet error
	err = c.EachOf(len(paths), func(c *term.Console, i int) error {
		path := paths[i]
		e, err := evaluate(ctx, c, each[i], path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := term.Require(o.Require, e.Metrics()); err != nil {
			unmet = cmp.Or(unmet, fmt.Errorf("%s: %w", refs.NameOf(c, path), err))
		}
		all = append(all, e)
		if c.JSON {
			return c.Result(e.Scores)
		}
		return nil
	})
	if err == nil && !c.JSON {
		err = c.WriteText(scoreTable(c, o, all).Text(c.OutWidth()))
	}
	return cmp.Or(err, unmet)
}

// scoreTable has a line for each evaluation.
func scoreTable(c *term.Console, o Options, all []*Evaluation) *table.Table {
	type field = table.Field[*Evaluation]
	text := func(head string, of func(e *Evaluation) string) field {
		return table.For(table.Column{Head: head}, func(e *Evaluation) table.Cell { return table.Words(of(e)) })
	}
	fraction := func(head string, of func(e *Evaluation) float64) field {
		return table.For(table.Column{Head: head, Right: true}, func(e *Evaluation) table.Cell {
			return table.Words(fmt.Sprintf("%.2f %%", 100*of(e)))
		})
	}
	fields := []field{
		text("run", func(e *Evaluation) string { return refs.NameOf(c, e.Checkpoint) }),
		text("model", func(e *Evaluation) string { return e.Network }),
		text("images", func(e *Evaluation) string {
			return fmt.Sprintf("%s %s of %s", table.Thousands(e.N), e.Split, e.Data)
		}),
		fraction("acc", func(e *Evaluation) float64 { return e.Acc }),
		fraction("top-5", func(e *Evaluation) float64 { return e.Top5 }),
		text("loss", func(e *Evaluation) string { return fmt.Sprintf("%.4f", e.Loss) }),
	}
	if o.Shift != [2]int{} {
		fields = append(fields,
			fraction("unshifted", func(e *Evaluation) float64 { return e.Shift.Unshifted }),
			fraction("same", func(e *Evaluation) float64 { return e.Shift.Same }))
	}
	if o.Calibrate {
		fields = append(fields,
			fraction("ECE", func(e *Evaluation) float64 { return e.Calibration.Before.ECE }),
			fraction("scaled", func(e *Evaluation) float64 { return e.Calibration.After.ECE }))
	}
	return table.Fill(&table.Table{}, fields, all)
}

// evaluate evaluates the network that a reference names, and writes its files.
func evaluate(ctx context.Context, c *term.Console, o Options, ref string) (*Evaluation, error) {
	m, err := refs.LoadModel(c, ref, refs.AnyRun)
	if err != nil {
		return nil, err
	}
	set, err := openData(c, m, o)
	if err != nil {
		return nil, err
	}
	d, err := refs.OpenDevice(c, cmp.Or(o.Precision, train.Float32))
	if err != nil {
		return nil, nameFlag(err)
	}
	defer d.Close()
	if caution := d.Caution(); caution != "" {
		c.Note("note   on %s: %s", d, caution)
	}
	o.Device = d.Accelerator
	e, err := measure(ctx, m, set, o.EvaluationOptions)
	if err != nil {
		return nil, nameFlag(err)
	}
	if o.Predictions != "" {
		if err := writePredictions(c, o.Predictions, e); err != nil {
			return nil, err
		}
	}
	if len(o.Plot.Output) > 0 {
		if err := plot(c, o, m, e); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// openData opens the images to evaluate, and says what those in files lose that the user names.
func openData(c *term.Console, m *trained.Model, o Options) (set *data.Set, err error) {
	if o.Labels != "" {
		set, err = m.OpenArrays(o.Data, o.Labels, c.DataDir)
	} else {
		set, err = refs.OpenData(c, m, o.Data)
	}
	if err != nil || o.Data == "" { // an import or a run has said it
		return set, err
	}
	for _, l := range set.Inventory.Losses {
		c.Note("note   %s %s", table.Count(l.N, "picture"), l.Why)
	}
	return set, nil
}

// writePredictions writes a line for each image to a file, or to standard output for "-".
func writePredictions(c *term.Console, name string, e *Evaluation) error {
	if name == "-" {
		return writeCSV(c.Out, e)
	}
	var b bytes.Buffer
	if err := writeCSV(&b, e); err != nil {
		return err
	}
	if err := term.WriteFile(name, b.Bytes()); err != nil {
		return err
	}
	c.Wrote(name)
	return nil
}

// writeCSV writes a line for each image: index, label, prediction, its probability, and the logits in full precision.
// Predictions of logits that are not finite are empty.
func writeCSV(w io.Writer, e *Evaluation) error {
	o, out := e.Outputs, csv.NewWriter(w)
	head := []string{"index", "label", "predicted", "probability"}
	for _, class := range e.Classes {
		head = append(head, "logit_"+class)
	}
	if err := out.Write(head); err != nil {
		return err
	}
	for i, label := range o.Labels {
		line := []string{strconv.Itoa(i), e.Classes[label], "", ""}
		if p := o.Predicted(i); p >= 0 {
			line[2], line[3] = e.Classes[p], strconv.FormatFloat(o.Probability(i, p), 'g', 6, 64)
		}
		for _, v := range o.Row(i) {
			line = append(line, strconv.FormatFloat(float64(v), 'g', -1, 32))
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// plot draws the confusion matrix, or with --worst the images that are most wrong.
func plot(c *term.Console, o Options, m *trained.Model, e *Evaluation) error {
	draw := confusion
	if o.Worst > 0 {
		if draw = worst; len(e.Worst) == 0 {
			c.Note("note   %s: every image is classified correctly, so no sheet is drawn", refs.NameOf(c, e.Checkpoint))
			return nil
		}
	}
	figure, err := draw(m, e, o.Plot.Width)
	if err != nil {
		return err
	}
	return o.Plot.WriteNoted(c, figure)
}

func printScores(c *term.Console, e *Evaluation) error {
	about := fmt.Sprintf("%s  %s %s images of %s", e.Checkpoint, table.Thousands(e.N), e.Split, e.Data)
	if s := e.Shift; s != nil {
		about += fmt.Sprintf(", shifted by %d right, %d down", s.Right, s.Down)
	}
	if e.Permute != 0 {
		about += fmt.Sprintf(", pixels permuted by seed %d", e.Permute)
	}
	if e.Views != nil {
		about += fmt.Sprintf(", by %s", e.Views)
	}
	c.Print("%s\nacc %.2f %%   top-5 %.2f %%   loss %.4f\n", about, 100*e.Acc, 100*e.Top5, e.Loss)
	if s := e.Shift; s != nil {
		c.Print("unshifted: acc %.2f %%   the same prediction for %.2f %% of the images\n", 100*s.Unshifted, 100*s.Same)
	}
	if e.Severities != nil {
		var severities table.Right
		severities.Add("severity", "images", "acc %")
		for _, s := range e.Severities {
			severities.Add(strconv.Itoa(s.Severity), strconv.Itoa(s.N), fmt.Sprintf("%.1f", 100*s.Acc))
		}
		fmt.Fprintf(c.Out, "\n%s", severities.String())
	}
	var classes table.Right
	classes.Add("class", "images", "acc %")
	names := visible.Apart(e.Classes)
	for i, p := range e.PerClass {
		acc := "–"
		if p.N > 0 {
			acc = fmt.Sprintf("%.1f", 100*p.Acc)
		}
		classes.Add(names[i], strconv.Itoa(p.N), acc)
	}
	fmt.Fprintf(c.Out, "\n%s", classes.String())
	if k := e.Calibration; k != nil {
		printCalibration(c, k, e.Split)
	}
	if e.Confusion != nil {
		if err := printConfusion(c, e.Confusion, names); err != nil {
			return err
		}
	}
	return printWorst(c, e, names)
}

// printWorst prints a line for each of the most wrong images.
func printWorst(c *term.Console, e *Evaluation, names []string) error {
	if len(e.Worst) == 0 {
		return nil
	}
	lines := [][]string{{"index", "class", "its p %", "predicted", "p %"}}
	for _, w := range e.Worst {
		class, predicted := names[e.Outputs.Labels[w.Index]], names[e.Outputs.Predicted(w.Index)]
		lines = append(lines, []string{strconv.Itoa(w.Index), class, fmt.Sprintf("%.2g", 100*w.PClass), predicted,
			fmt.Sprintf("%.1f", 100*w.P)})
	}
	fmt.Fprintln(c.Out)
	return c.Table(lines)
}

func printCalibration(c *term.Console, k *CalibrationResult, split string) {
	c.Print("\ntemperature %.3f, fitted on %s validation images; on %s:\n", k.Temperature, table.Thousands(k.FittedN),
		split)
	c.Print("NLL %.4f, scaled %.4f   ECE %.2f %%, scaled %.2f %%\n", k.Before.NLL, k.After.NLL, 100*k.Before.ECE,
		100*k.After.ECE)
	c.Print("mean confidence %.2f %%, scaled %.2f %%\n", 100*meanConfidence(k.Before), 100*meanConfidence(k.After))
}

// meanConfidence is the mean probability of the predicted classes.
func meanConfidence(c train.Calibration) float64 {
	sum, n := 0.0, 0
	for _, bin := range c.Bins {
		sum, n = sum+bin.Conf*float64(bin.N), n+bin.N
	}
	return sum / float64(max(1, n))
}

// printConfusion prints the confusion matrix, if it fits on a screen, and the ten most frequent mistakes.
func printConfusion(c *term.Console, counts [][]int, classes []string) error {
	const wide = 16 // classes
	if len(classes) <= wide {
		head := []string{`class \ predicted`}
		for i, name := range classes {
			if name = visible.Clip(name, 5); slices.Contains(head, name) { // the columns are in the order of the rows
				name = strconv.Itoa(i)
			}
			head = append(head, name)
		}
		matrix := table.Right{Gap: 1} // ten classes fit 80 columns
		matrix.Add(head...)
		for i, name := range classes {
			row := []string{name}
			for _, n := range counts[i] {
				row = append(row, strconv.Itoa(n))
			}
			matrix.Add(row...)
		}
		fmt.Fprintf(c.Out, "\n%s", matrix.String())
	}
	type mistake struct{ class, predicted, n int }
	var mistakes []mistake
	for class, row := range counts {
		for predicted, n := range row {
			if class != predicted && n > 0 {
				mistakes = append(mistakes, mistake{class, predicted, n})
			}
		}
	}
	slices.SortStableFunc(mistakes, func(a, b mistake) int { return cmp.Compare(b.n, a.n) })
	lines := [][]string{{"class", "predicted", "images"}}
	for _, m := range mistakes[:min(10, len(mistakes))] {
		lines = append(lines, []string{classes[m.class], classes[m.predicted], strconv.Itoa(m.n)})
	}
	fmt.Fprintln(c.Out)
	return c.Table(lines)
}
