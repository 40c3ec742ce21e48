package cmd

import (
	"fmt"
	"math"
	"strings"

	"github.com/attnconv/attnconv/internal/progress"
	"github.com/attnconv/attnconv/run"
)

// A demoStop is one stop of the tour: commands, and words around them. To add one, write its entry in demoStops.
type demoStop struct {
	title    string
	before   string                      // what is going to happen, and why
	commands func(*demo) [][]string      // none: they were run before
	after    func(*demo) (string, error) // what they showed
}

var demoStops = []demoStop{
	{
		title: "train a network",
		before: "Ten kinds of shapes, drawn by the program itself. A network that is made of self-attention, with no " +
			"convolution in it, learns to tell them apart. In each layer nine heads look at the image, each around a " +
			"place beside the pixel in question; place and width are learnt.",
		commands: func(d *demo) [][]string { return d.training },
		after:    (*demo).aboutTraining,
	},
	{
		title:    "test it",
		before:   "How many images does it name rightly that it was not trained on, shape by shape?",
		commands: func(d *demo) [][]string { return [][]string{{"eval", d.run()}} },
		after: always("The last column is how many of 100 images of a shape it names rightly. The same command with " +
			"--confusion says what it takes the others for."),
	},
	{
		title: "look at its heads",
		before: "Each head of this network is a Gaussian: it looks at a place so many rows down and columns to the right " +
			"of the pixel in question, and the larger α, the closer around that place. (A pixel is here a block of 4 × 4 of " +
			"the image's.)",
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
		before: "A convolution with a 3 × 3 kernel looks at nine places around each pixel. So nine heads that look at one " +
			"of these places each should be able to do the same. Here random kernels become attention, and the results " +
			"of both are compared.",
		commands: func(*demo) [][]string {
			return [][]string{{"prove", "--kernel", "3", "--channels", "4:8", "--size", "8", "--trials", "5"}}
		},
		after: always("The numbers under each α are how far attention is from the convolution. Wide heads (α = 1) see " +
			"the neighbours, too, and differ; from α = 46 on nothing is left but the rounding of the numbers: attention " +
			"with nine heads is the convolution. This is Theorem 1 of the paper (arXiv:1911.03584)."),
	},
}

// always says the same whatever came out.
func always(words string) func(*demo) (string, error) {
	return func(*demo) (string, error) { return words, nil }
}

// aboutTraining says how well the network does.
func (d *demo) aboutTraining() (string, error) {
	s, err := (&run.Dir{Path: d.run()}).ReadSummary()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("After %s it names %.0f of 100 new images rightly; guessing would get 10. The longer it learns, "+
		"the more: this is the smallest of the presets.", progress.Duration(seconds(s.WallS)), 100*s.TestAcc), nil
}

// aboutHeads says how the heads have changed in training.
func (d *demo) aboutHeads() (string, error) {
	records, err := (&run.Dir{Path: d.run()}).Records()
	if err != nil {
		return "", err
	}
	var all []run.Heads
	for _, r := range records {
		if h, ok := r.Event.(run.Heads); ok {
			all = append(all, h)
		}
	}
	if len(all) == 0 {
		return "", &run.Corrupt{Path: d.run(), Reason: "it does not say where its heads look"}
	}
	first, last := all[0], all[len(all)-1]
	heads, sharper, moved := 0, 0, 0
	for l, layer := range last.Layers {
		for h, alpha := range layer.Alpha {
			heads++
			from, to := first.Layers[l].Centers[h], layer.Centers[h]
			if alpha > first.Layers[l].Alpha[h] {
				sharper++
			}
			if math.Hypot(to[0]-from[0], to[1]-from[1]) > 0.5 {
				moved++
			}
		}
	}
	return strings.Join([]string{
		fmt.Sprintf("At the start all heads were about equally narrow, at random places. Of the %d heads, %d are sharper", heads,
			sharper),
		fmt.Sprintf("now and the others wider, and %d have moved by more than half a pixel. A sharp head looks where", moved),
		"one entry of a convolution's kernel does; a wide one takes a mean over much of the image. The first file is drawn",
		"after the last epoch; the second shows how the heads came there.",
	}, " "), nil
}
