package cmd

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/figures"
	"github.com/attnconv/attnconv/heads"
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/viz"
)

// drawEvery is the least time between figures: drawing takes a tenth of a second.
const drawEvery = 10 * time.Second

// draw draws curves and heads after an epoch, if due.
func (j *job) draw(epoch int) {
	if !j.drawsAfter(epoch) {
		return
	}
	j.drawn = time.Now()
	j.writeFigure("curves.svg", j.drawCurves)
	j.writeFigure("heads.svg", j.drawHeads)
}

// drawLast draws the figures of a run that ends: of the tested weights if it is done, and then also an animation of the
// heads if there are enough epochs.
func (j *job) drawLast(done bool) {
	const enough = 3
	if j.trainer.Cursor.Epoch == 0 {
		return
	}
	j.writeFigure("curves.svg", j.drawCurves)
	j.writeFigure("heads.svg", j.drawHeads)
	j.writeFigure("maps.svg", j.drawMaps)
	if done && j.trainer.Cursor.Epoch >= enough {
		j.writeFigure("heads.gif", j.drawPaths)
	}
}

// writeFigure draws one figure. Errors are warnings: training goes on.
func (j *job) writeFigure(name string, draw func(path string) error) {
	path := filepath.Join(j.dir.Path, "figures", name)
	if err := draw(path); err != nil {
		j.log.Warn("figure", "path", path, "error", err)
		j.show.Line(fmt.Sprintf("warning: %s: %s", path, strings.TrimPrefix(cli.ShortMessage(err), path+": ")))
	}
}

// drawsAfter reports whether figures are due after an epoch, by --plot-every or by time.
func (j *job) drawsAfter(epoch int) bool {
	if j.o.Draw > 0 {
		return epoch%j.o.Draw == 0
	}
	return time.Since(j.drawn) >= drawEvery
}

func (j *job) drawPaths(path string) error {
	if heads, _ := j.net.Heads(); heads == nil {
		return nil
	}
	snapshots, err := figures.Snapshots(j.dir, nil)
	if err != nil {
		return err
	}
	a, err := viz.Animate(figures.ThinOut(snapshots, 100), viz.AnimateOptions{})
	if err != nil {
		return err
	}
	b, err := a.Encode(viz.Output{DPI: 72})
	if err != nil {
		return err
	}
	return cli.WriteFile(path, b)
}

func (j *job) drawCurves(path string) error {
	one, err := figures.ReadRun(j.dir)
	if err != nil {
		return err
	}
	figure, err := figures.Curves(figures.Each(one), figures.CurvesOptions{Show: []string{"acc", "loss", "lr"}})
	if err != nil {
		return err
	}
	return writeSVG(path, figure)
}

func headsFigure(heads [][]posenc.Head) (*viz.Figure, error) {
	return viz.Heads(viz.Layers(heads), viz.HeadsOptions{})
}

func (j *job) drawHeads(path string) error {
	heads, _ := j.net.Heads()
	if heads == nil {
		return nil
	}
	figure, err := headsFigure(heads)
	if err != nil {
		return err
	}
	figure.Caption = j.caption()
	return writeSVG(path, figure)
}

// caption describes the weights in the figures: those of the last epoch or, once tested, the best.
func (j *job) caption() string {
	s := j.dir.Status()
	which := fmt.Sprintf("epoch %d of %d", j.trainer.Cursor.Epoch, j.run.Train.Epochs)
	if j.tested {
		which = fmt.Sprintf("epoch %d of %d, test acc %.1f %%", s.BestEpoch, j.run.Train.Epochs, 100*s.TestAcc)
	}
	return fmt.Sprintf("run %s · %s · %s · %s", s.Name, j.run.Model.EncodingName(), j.run.Data.Name, which)
}

// drawMaps draws attention maps of heads that are not Gaussian. Maps that depend on the image are averaged over some
// test images.
func (j *job) drawMaps(path string) error {
	const some = 20
	if heads, _ := j.net.Heads(); heads != nil || !j.net.Attends() {
		return nil
	}
	l, err := heads.NewReader(j.net)
	if err != nil {
		return err
	}
	defer l.Close()
	var images [][]float32
	if l.ByImage {
		if images, err = figures.Inputs(j.test, some); err != nil {
			return err
		}
	}
	views, err := figures.Views(l, images, figures.ViewOptions{})
	if err != nil {
		return err
	}
	for i := range views {
		if l.ByImage {
			views[i].Title += fmt.Sprintf(", mean over %d test images", len(images))
		}
	}
	figure, err := viz.Maps(views, viz.MapsOptions{})
	if err != nil {
		return err
	}
	figure.Caption = j.caption()
	return writeSVG(path, figure)
}

func writeSVG(path string, figure *viz.Figure) error {
	b, err := figure.Encode(path, viz.Output{})
	if err != nil {
		return err
	}
	return cli.WriteFile(path, b)
}
