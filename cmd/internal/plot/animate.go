package plot

import (
	"fmt"
	"path/filepath"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/cmd/internal/output"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/figures"
	"github.com/attnconv/attnconv/report"
	"github.com/attnconv/attnconv/viz"
)

// animate draws the heads of a run, epoch by epoch.
func animate(c *cli.Console, o headsOptions) error {
	dir, err := c.OpenRun(o.Ref, o.need())
	if err != nil {
		return err
	}
	defer dir.Close()
	config, err := configs.Of(dir)
	if err != nil {
		return err
	}
	numbers, err := o.numbers(len(config.Model.Blocks()))
	if err != nil {
		return err
	}
	snapshots, err := figures.Snapshots(dir, numbers)
	if err != nil {
		return o.flagged(err)
	}
	if len(snapshots) == 0 {
		return cli.Usagef("", "%s: no heads to animate: the run's model has no Gaussian heads", dir.Path)
	}
	a, err := figures.Paths(dir, snapshots, viz.AnimateOptions{
		HeadsOptions: o.contours(config.Model), Trail: o.Trail, FPS: float64(o.FPS),
	})
	if err != nil {
		return output.CannotDraw(err)
	}
	a.Title = o.Title
	a.Source, a.Caption = o.Captions(a.Source, a.Caption)
	encode := func(_ string, out viz.Output) ([]byte, error) { return a.Encode(out) }
	files, err := o.WriteAll(c, encode, a.Data, filepath.Join(dir.Path, "figures", "heads.gif"))
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s to %s in %d frames\n", snapshots[0].Title, snapshots[len(snapshots)-1].Title, a.Frames())
	return output.ShowFiles(c, files, text, report.Animation{V: 1, Files: files, Epochs: len(snapshots), Frames: a.Frames()})
}
