package train

import (
	"github.com/attnconv/attnconv/cmd/internal/figures"
	"github.com/attnconv/attnconv/session"
	"github.com/attnconv/attnconv/viz"
)

// runFigures are what a run of the command line draws of itself: its curves, where its Gaussian heads attend, attention
// maps of heads that are not Gaussian, and how Gaussian heads moved.
var runFigures = []session.Figure{
	{Name: "curves.svg", When: session.WhileTraining, Draw: drawCurves},
	{Name: "heads.svg", When: session.WhileTraining, Draw: drawHeads},
	{Name: "maps.svg", When: session.AtEnd, Draw: drawMaps},
	{Name: "heads.gif", When: session.WhenDone, Draw: drawPaths},
}

func drawCurves(t session.Training) ([]byte, error) {
	one, err := figures.ReadRun(t.Dir)
	if err != nil {
		return nil, err
	}
	figure, err := figures.Curves(figures.Each(one), figures.CurvesOptions{Show: []string{"acc", "loss", "lr"}})
	if err != nil {
		return nil, err
	}
	return figure.Encode(".svg", viz.Output{})
}

func drawHeads(t session.Training) ([]byte, error) {
	if heads, _ := t.Net.Heads(); heads == nil {
		return nil, nil
	}
	return drawAttention(t)
}

func drawMaps(t session.Training) ([]byte, error) {
	if heads, _ := t.Net.Heads(); heads != nil {
		return nil, nil
	}
	return drawAttention(t)
}

func drawAttention(t session.Training) ([]byte, error) {
	figure, err := figures.Attention(t.Net, figures.Start(t.Dir), t.Test)
	if figure == nil || err != nil {
		return nil, err
	}
	figure.Source, figure.Caption = t.Source, t.Caption
	return figure.Encode(".svg", viz.Output{})
}

func drawPaths(t session.Training) ([]byte, error) {
	const most = 100 // epochs
	if heads, _ := t.Net.Heads(); heads == nil {
		return nil, nil
	}
	snapshots, err := figures.Snapshots(t.Dir, nil)
	if err != nil {
		return nil, err
	}
	a, err := figures.Paths(t.Dir, thinOut(snapshots, most), viz.AnimateOptions{})
	if err != nil {
		return nil, err
	}
	return a.Encode(viz.Output{DPI: 72})
}

// thinOut returns about n evenly spaced snapshots, including the last.
func thinOut(snapshots []viz.Snapshot, n int) (some []viz.Snapshot) {
	step := max(1, (len(snapshots)+n-1)/n)
	for i := (len(snapshots) - 1) % step; i < len(snapshots); i += step {
		some = append(some, snapshots[i])
	}
	return some
}
