package cmd

import (
	"fmt"

	"github.com/attnconv/attnconv/heads"
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/session"
	"github.com/attnconv/attnconv/viz"
)

// figures are what a run draws of itself.
var figures = []session.Figure{
	{Name: "curves.svg", When: session.WhileTraining, Draw: drawCurves},
	{Name: "heads.svg", When: session.WhileTraining, Draw: drawHeads},
	{Name: "maps.svg", When: session.AtEnd, Draw: drawMaps},
	{Name: "heads.gif", When: session.WhenDone, Draw: drawPaths},
}

func drawPaths(s *session.Session) ([]byte, error) {
	if heads, _ := s.Net().Heads(); heads == nil {
		return nil, nil
	}
	snapshots, err := readSnapshots(s.Dir(), "")
	if err != nil {
		return nil, err
	}
	a, err := viz.Animate(thinOut(snapshots, 100), viz.AnimateOptions{})
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

func drawCurves(s *session.Session) ([]byte, error) {
	records, err := s.Dir().Records()
	if err != nil {
		return nil, err
	}
	one := curveRun{dir: s.Dir().Path, status: s.Dir().Status(), config: s.Settings()}
	for _, r := range records {
		if e, ok := r.Event.(run.Epoch); ok {
			one.epochs = append(one.epochs, e)
		}
	}
	groups := []curveGroup{{runs: []curveRun{one}}}
	nameGroups(groups)
	var panels []viz.Panel
	for _, name := range []string{"acc", "loss", "lr"} {
		for _, q := range quantities {
			if q.name == name {
				panels = append(panels, q.panels(groups, 0)...)
			}
		}
	}
	figure, err := viz.Curves(panels, viz.CurvesOptions{})
	if err != nil {
		return nil, err
	}
	figure.Caption = curvesCaption(groups)
	return figure.Encode("figure.svg", viz.Output{})
}

func headsFigure(heads [][]posenc.Head) (*viz.Figure, error) {
	layers, err := pickLayers(heads, "")
	if err != nil {
		return nil, err
	}
	return viz.Heads(layers, viz.HeadsOptions{})
}

func drawHeads(s *session.Session) ([]byte, error) {
	heads, _ := s.Net().Heads()
	if heads == nil {
		return nil, nil
	}
	figure, err := headsFigure(heads)
	if err != nil {
		return nil, err
	}
	figure.Caption = s.Caption()
	return figure.Encode("figure.svg", viz.Output{})
}

// drawMaps draws attention maps of heads that are not Gaussian. Maps that depend on the image are averaged over some
// test images.
func drawMaps(s *session.Session) ([]byte, error) {
	const some = 20
	if heads, _ := s.Net().Heads(); heads != nil || !s.Net().Attends() {
		return nil, nil
	}
	l, err := heads.NewReader(s.Net())
	if err != nil {
		return nil, err
	}
	defer l.Close()
	var images [][]float32
	if l.ByImage {
		if images, err = inputs(s.Test(), some); err != nil {
			return nil, err
		}
	}
	o := attentionOptions{Part: scoreParts.Default()}
	views, err := o.views(l, s.Net(), images)
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
	figure.Caption = s.Caption()
	return figure.Encode("figure.svg", viz.Output{})
}
