// Package eval is the command eval: flags and words.
package eval

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/output"
	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/session/trained"
	"github.com/attnconv/attnconv/train"
)

// Options holds the flags and arguments of `attnconv eval`.
type Options struct {
	Refs []string // checkpoints or runs; nil: the latest run
	Data string   // "": what the checkpoint was trained on
	// labels of the images in Data, both arrays of NumPy (.npy)
	Labels string
	EvaluationOptions
	Predictions string         // CSV file to write; "-": standard output
	Plot        output.Options // of the confusion matrix
	Require     []term.Requirement
}

// mostWorst is how many images a sheet has at most.
const mostWorst = 400

// New returns the command.
func New(c *term.Console) *cobra.Command { return newCommand(c, Run) }

// newCommand returns the command, which runs body once its flags are parsed.
func newCommand(c *term.Console, body func(context.Context, *term.Console, Options) error) *cobra.Command {
	var o Options
	metrics := []string{"acc", "loss", "top5", "ece", "nll"}
	for _, split := range data.Splits.Names() {
		for _, name := range metrics[:5] {
			metrics = append(metrics, split+"_"+name)
		}
	}
	cmd := &cobra.Command{
		Use:   "eval [CKPT|RUN...] [flags]",
		Short: "Measure the accuracy of checkpoints",
		Long: "Measure the accuracy of a checkpoint, or of the best one of a run. The default\n" +
			"is the latest run. Several are a table with a line each; -o and --predictions\n" +
			"then write a file for each, with its name in that of the file (confusion.svg\n" +
			"becomes confusion-k3f9.svg). --data also takes a file of arrays: .npz,\n" +
			"or .npy with --labels.",
		Example: `attnconv eval run.ckpt
attnconv eval k3f9 p8d2 --split val
attnconv eval runs/latest --json
attnconv eval k3f9 --shift 2,0 --require 'test_acc>=0.80'
attnconv eval k3f9 -o confusion.svg
attnconv eval k3f9 --worst 24 -o worst.png
attnconv eval k3f9 --data CIFAR-10-C/fog.npy --labels CIFAR-10-C/labels.npy
attnconv eval k3f9 --predictions k3f9.csv --confusion --calibrate`,
		Args:              refs.Arguments(1 << 20),
		ValidArgsFunction: refs.CompleteRuns(c, 1<<20),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Refs = args
			if err := o.check(c); err != nil {
				return err
			}
			return body(cmd.Context(), c, o)
		},
	}
	f := term.FlagsIn(cmd.Flags(), "Data")
	refs.DataFlag(f, &o.Data)
	f.Text(&o.Labels, "labels", "", "FILE",
		"labels (.npy) of the images in --data FILE.npy, as CIFAR-10-C and CIFAR-10.1 have them", nil)
	term.Choice(f, &o.Split, "split", "test", "NAME", "images to evaluate", data.Splits)
	f.Number(&o.Batch, "batch", "N", "images at a time; the result does not depend on it", 1)
	term.Flag(f, &o.Shift, "shift", "DX,DY", "shift the images right and down by so many pixels, with black borders",
		parseShift)
	term.Flag(f, &o.Permute, "permute", "SEED",
		"apply one random permutation to the pixels of all images, as train --permute (0: that of the run)",
		parseSeed)
	term.Choice(f, &o.Views, "views", trained.Views.Default(), "NAME",
		"average the logits of several views of each image; results of runs and compare have one", trained.Views)
	term.Choice(f, &o.Precision, "precision", "", "NAME",
		"of matrix products and convolutions (default: the run's; on a GPU float32)", train.Precisions)
	refs.DeviceFlag(c, f)

	f = term.FlagsIn(cmd.Flags(), "Output")
	f.Boolean(&o.Confusion, "confusion", "", "print the confusion matrix")
	f.Number(&o.Worst, "worst", "N", "list the N images that are most wrong; -o then draws them", 1)
	f.Boolean(&o.Calibrate, "calibrate", "",
		"expected calibration error and NLL, before and after a temperature fitted on the validation images")
	f.Text(&o.Predictions, "predictions", "", "FILE",
		"a CSV of every image's prediction and logits; - is standard output", nil)
	term.Each(f, &o.Require, "require", "METRIC>=N",
		"exit with code 5 unless this holds, such as test_acc>=0.80; may be repeated",
		func(text string) (term.Requirement, error) { return term.ParseRequirement(text, metrics, false) })
	o.Plot.Flags(f, "the confusion matrix, or the images of --worst, as a figure", "")
	cmd.Flags().Lookup("force").Usage = "overwrite the files of -o, --values and --predictions"
	c.Renamed(cmd.Flags(), "plot", "output", nil)
	return cmd
}

// check reports bad flags and contradictions before anything is computed.
func (o Options) check(c *term.Console) error {
	if err := o.checkData(c); err != nil {
		return err
	}
	if o.Predictions == "-" && (c.JSON || o.Confusion || o.Calibrate) {
		return term.Usagef("write them to a file", "--predictions - needs standard output for itself")
	}
	if o.Predictions != "-" {
		if err := term.RefuseExisting("--predictions", o.Predictions, o.Plot.Force); err != nil {
			return err
		}
	}
	if o.Predictions == "-" && o.Plot.ToStdout() {
		return term.Usagef("", "--predictions - and -o - or --values -: only one can go to standard output")
	}
	if len(o.Refs) > 1 && (o.Predictions == "-" || o.Plot.ToStdout()) {
		return term.Usagef("one at a time, or name a file", "%d runs: only one can go to standard output", len(o.Refs))
	}
	if len(o.Refs) > 1 && o.Confusion {
		return term.Usagef("as figures, one for each: -o confusion.svg", "--confusion is of one run, not of %d",
			len(o.Refs))
	}
	if len(o.Refs) > 1 && o.Worst > 0 && len(o.Plot.Output) == 0 && !c.JSON {
		return term.Usagef("as figures, one for each: -o worst.png", "--worst is of one run, not of %d", len(o.Refs))
	}
	if o.Worst > mostWorst {
		return term.Usagef("", "--worst %d: want 1 to %d", o.Worst, mostWorst)
	}
	if err := o.Plot.Check(); err != nil {
		return err
	}
	for _, r := range o.Require {
		split, name, ok := strings.Cut(r.Name, "_")
		if !ok {
			name = r.Name
		}
		if ok && split != o.Split {
			return term.Usagef("to evaluate those: --split "+split, "--require %s: the evaluated images are those of %s",
				r.Text, o.Split)
		}
		if (name == "ece" || name == "nll") && !o.Calibrate {
			return term.Usagef("", "--require %s needs --calibrate", r.Text)
		}
	}
	return nil
}

// checkData requires a data set, a file, or two arrays.
func (o Options) checkData(c *term.Console) error {
	array := strings.EqualFold(filepath.Ext(o.Data), ".npy")
	switch info, err := os.Stat(o.Data); {
	case o.Labels != "" && !array:
		return term.Usagef("", "--labels needs the images: --data FILE.npy")
	case array && o.Labels == "":
		return term.Usagef("as by: --labels "+filepath.Join(filepath.Dir(o.Data), "labels.npy"),
			"--data %s: want the labels of its images, too", o.Data)
	case array && o.Split != "test":
		return term.Usagef("", "--split %s: arrays are test images", o.Split)
	case o.Data == "" || array || err == nil && info.Mode().IsRegular():
		return nil
	}
	err := sets.Known(o.Data, c.DataDir)
	if bad := (*option.Error)(nil); errors.As(err, &bad) {
		bad.Key = "--data"
		return bad
	}
	return nil
}

func parseSeed(text string) (uint64, error) {
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("want a whole number of 0 or more")
	}
	return seed, nil
}

// parseShift reads pixels right, pixels down, and returns down, right.
func parseShift(text string) (shift [2]int, err error) {
	right, down, ok := strings.Cut(text, ",")
	dx, errX := strconv.Atoi(strings.TrimSpace(right))
	dy, errY := strconv.Atoi(strings.TrimSpace(down))
	if !ok || errX != nil || errY != nil || max(dx, -dx, dy, -dy) > 31 {
		return shift, fmt.Errorf("want two whole numbers from -31 to 31: pixels to the right and pixels down, such " +
			"as 2,0")
	}
	return [2]int{dy, dx}, nil
}
