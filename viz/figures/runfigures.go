package figures

import (
	"fmt"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/heads"
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/viz"
)

// A RunFigure is redrawn in the folder figures of a run while it trains, or drawn at its end.
type RunFigure struct {
	Name string // of the file
	When When
	// Draw returns the file, or nil if there is nothing to draw. Its error is a warning: training goes on.
	Draw func(t Training) ([]byte, error)
}

// When says when a RunFigure is drawn.
type When int

const (
	WhileTraining When = iota // after epochs, as session.Options.Draw says, and at the end
	AtEnd                     // however the run ends, if an epoch is finished
	WhenDone                  // at the end of a run that is done and has three epochs or more
)

// A Training is a run that trains in this process, as its figures see it.
type Training struct {
	Dir             *run.Dir
	Net             *model.Network // with its weights as they are now
	Test            data.Split     // the test images
	Source, Caption string         // of its figures: the run, and which weights these are
}

// RunFigures are what a run draws of itself, unless session.Options.Figures says otherwise: its curves, where its
// Gaussian heads attend, attention maps of heads that are not, and how Gaussian heads moved.
var RunFigures = []RunFigure{
	{"curves.svg", WhileTraining, drawCurves},
	{"heads.svg", WhileTraining, drawHeads},
	{"maps.svg", AtEnd, drawMaps},
	{"heads.gif", WhenDone, drawPaths},
}

func drawCurves(t Training) ([]byte, error) {
	one, err := ReadRun(t.Dir)
	if err != nil {
		return nil, err
	}
	return svg(Curves(Each(one), CurvesOptions{Show: []string{"acc", "loss", "lr"}}))
}

// Attention draws where the heads of a network look: Gaussian heads as circles, others as maps, over some test images
// if they depend on the image. It returns nil for a network without attention.
func Attention(t Training) (*viz.Figure, error) {
	if heads, _ := t.Net.Heads(); heads != nil {
		return gaussianHeads(t)
	}
	return headMaps(t)
}

func drawHeads(t Training) ([]byte, error) { return svg(gaussianHeads(t)) }

func drawMaps(t Training) ([]byte, error) {
	if heads, _ := t.Net.Heads(); heads != nil {
		return nil, nil
	}
	return svg(headMaps(t))
}

func gaussianHeads(t Training) (*viz.Figure, error) {
	heads, _ := t.Net.Heads()
	if heads == nil {
		return nil, nil
	}
	figure, err := viz.Heads(viz.Layers(heads), viz.HeadsOptions{})
	if err != nil {
		return nil, err
	}
	figure.Source, figure.Caption = t.Source, t.Caption
	return figure, nil
}

// headMaps draws attention maps. Maps that depend on the image are averaged over some test images.
func headMaps(t Training) (*viz.Figure, error) {
	const some = 20
	if !t.Net.Attends() {
		return nil, nil
	}
	l, err := heads.NewReader(t.Net)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	var images [][]float32
	if l.ByImage {
		if images, err = Inputs(t.Test, some); err != nil {
			return nil, err
		}
	}
	views, err := Views(l, images, ViewOptions{})
	if err != nil {
		return nil, err
	}
	for i := range views {
		if l.ByImage {
			views[i].Title += fmt.Sprintf(", mean over %d test images", len(images))
		}
	}
	figure, err := viz.Maps(views, viz.MapsOptions{})
	if err != nil {
		return nil, err
	}
	figure.Source, figure.Caption = t.Source, t.Caption
	return figure, nil
}

func drawPaths(t Training) ([]byte, error) {
	const most = 100 // epochs
	if heads, _ := t.Net.Heads(); heads == nil {
		return nil, nil
	}
	snapshots, err := Snapshots(t.Dir, nil)
	if err != nil {
		return nil, err
	}
	a, err := Paths(t.Dir, thinOut(snapshots, most), viz.AnimateOptions{})
	if err != nil {
		return nil, err
	}
	return a.Encode(viz.Output{DPI: 72})
}

// svg encodes a figure; nil: there is none.
func svg(figure *viz.Figure, err error) ([]byte, error) {
	if figure == nil || err != nil {
		return nil, err
	}
	return figure.Encode(".svg", viz.Output{})
}

// boardDPI keeps the images of the heads small: TensorBoard loads all of them.
const boardDPI = 48

// BoardHeads draws Gaussian heads as a PNG for TensorBoard.
func BoardHeads(layers [][]posenc.Head) ([]byte, error) {
	figure, err := viz.Heads(viz.Layers(layers), viz.HeadsOptions{})
	if err != nil {
		return nil, err
	}
	return figure.Encode("heads.png", viz.Output{DPI: boardDPI})
}
