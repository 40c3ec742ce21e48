package demo

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/model/heads"
	"github.com/attnconv/attnconv/run"
)

// A demoStop is one stop of the tour: commands, with text before and after.
type demoStop struct {
	title    string
	before   string                      // what will happen, and why
	commands func(*demo) [][]string      // nil: they were run before
	after    func(*demo) (string, error) // what they have shown
}

var demoStops = []demoStop{
	{
		title: "train a network",
		before: "The images are ten kinds of shapes, drawn by the program. A network of self-attention, without any " +
			"convolution, learns to tell them apart. Each layer has nine heads; each attends to a place at some shift " +
			"from the pixel in question. Shift and width are learned.",
		commands: func(d *demo) [][]string { return d.training },
		after:    (*demo).aboutTraining,
	},
	{
		title:    "test it",
		before:   "How many images that it was not trained on does it classify correctly, shape by shape?",
		commands: func(d *demo) [][]string { return [][]string{{"eval", d.run()}} },
		after: always("The last column is the percentage of images of a shape that it classifies correctly. The same " +
			"command with --confusion shows the classes predicted for the others."),
	},
	{
		title: "look at its heads",
		before: "Each head of this network is a Gaussian: its center is some rows down and columns to the right of the " +
			"pixel in question, and the larger α, the narrower it is. (A pixel is here a token of 4 × 4 pixels of the " +
			"image.)",
		commands: func(d *demo) [][]string {
			return [][]string{
				d.over("heads.png", "plot-heads", d.run(), "-o"),
				d.over("heads.gif", "plot-heads", d.run(), "--animate"),
			}
		},
		after: (*demo).aboutHeads,
	},
	{
		title: "prove the theorem",
		before: "A convolution with a 3 × 3 kernel reads nine pixels around each pixel. Nine heads that attend to " +
			"one of them each should be able to do the same. Here random convolutions are turned into attention, and " +
			"the outputs of both are compared.",
		commands: func(*demo) [][]string {
			return [][]string{{"prove", "--kernel", "3", "--channels", "4:8", "--size", "8", "--trials", "5"}}
		},
		after: always("The rows are the relative errors for each α. Wide heads (α = 1) also attend to the " +
			"neighbors, and differ; from α = 46 on only rounding errors remain: attention with nine heads is the " +
			"convolution. This is Theorem 1 of the paper (arXiv:1911.03584)."),
	},
}

// always returns the same text, whatever the commands have shown.
func always(text string) func(*demo) (string, error) {
	return func(*demo) (string, error) { return text, nil }
}

func (d *demo) aboutTraining() (string, error) {
	s, err := (&run.Dir{Path: d.run()}).ReadSummary()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("After %s it classifies %.0f %% of new images correctly; guessing would give 10 %%. Longer "+
		"training gives a higher accuracy: this is the smallest of the presets.", table.Seconds(s.WallS),
		100*s.TestAcc), nil
}

func (d *demo) aboutHeads() (string, error) {
	dir := &run.Dir{Path: d.run()}
	s, err := dir.ReadSummary()
	if err != nil {
		return "", err
	}
	first, err := run.ReadHeads(dir.HeadsPath(0))
	if err != nil {
		return "", err
	}
	last, err := run.ReadHeads(dir.HeadsPath(s.Epochs))
	if err != nil {
		return "", err
	}
	change := heads.Changed(heads.Recorded(first), heads.Recorded(last))
	return fmt.Sprintf("At the start all heads were about equally narrow, at random places. Of the %d heads, %d are "+
		"narrower now and the others wider, and %d have moved by more than half a pixel. A narrow head does what one "+
		"entry of a convolution's kernel does; a wide one averages over much of the image. The first file shows the "+
		"heads after the last epoch, the second how they moved there.", change.Heads, change.Narrower,
		change.Moved), nil
}
