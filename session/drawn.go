package session

import (
	"fmt"

	"github.com/attnconv/attnconv/figures"
	"github.com/attnconv/attnconv/heads"
	"github.com/attnconv/attnconv/viz"
)

// Figures are what a run draws of itself, unless Options.Figures says otherwise: its curves, where its Gaussian heads
// attend, attention maps of heads that are not, and how Gaussian heads moved.
var Figures = []Figure{
	{"curves.svg", WhileTraining, drawCurves},
	{"heads.svg", WhileTraining, drawHeads},
	{"maps.svg", AtEnd, drawMaps},
	{"heads.gif", WhenDone, drawPaths},
}

func drawCurves(s *Session) ([]byte, error) {
	one, err := figures.ReadRun(s.dir)
	if err != nil {
		return nil, err
	}
	figure, err := figures.Curves(figures.Each(one), figures.CurvesOptions{Show: []string{"acc", "loss", "lr"}})
	if err != nil {
		return nil, err
	}
	return svg(figure)
}

func drawHeads(s *Session) ([]byte, error) {
	heads, _ := s.net.Heads()
	if heads == nil {
		return nil, nil
	}
	figure, err := viz.Heads(viz.Layers(heads), viz.HeadsOptions{})
	if err != nil {
		return nil, err
	}
	figure.Source, figure.Caption = s.Source(), s.Caption()
	return svg(figure)
}

// drawMaps draws attention maps of heads that are not Gaussian. Maps that depend on the image are averaged over some
// test images.
func drawMaps(s *Session) ([]byte, error) {
	const some = 20
	if heads, _ := s.net.Heads(); heads != nil || !s.net.Attends() {
		return nil, nil
	}
	l, err := heads.NewReader(s.net)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	var images [][]float32
	if l.ByImage {
		if images, err = figures.Inputs(s.test, some); err != nil {
			return nil, err
		}
	}
	views, err := figures.Views(l, images, figures.ViewOptions{})
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
	figure.Source, figure.Caption = s.Source(), s.Caption()
	return svg(figure)
}

func drawPaths(s *Session) ([]byte, error) {
	const most = 100 // epochs
	if heads, _ := s.net.Heads(); heads == nil {
		return nil, nil
	}
	snapshots, err := figures.Snapshots(s.dir, nil)
	if err != nil {
		return nil, err
	}
	a, err := figures.Paths(s.dir, figures.ThinOut(snapshots, most), viz.AnimateOptions{})
	if err != nil {
		return nil, err
	}
	return a.Encode(viz.Output{DPI: 72})
}

func svg(figure *viz.Figure) ([]byte, error) { return figure.Encode(".svg", viz.Output{}) }
