package predict

import (
	"fmt"
	"path/filepath"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/cmd/internal/output"
	"github.com/attnconv/attnconv/figures"
	"github.com/attnconv/attnconv/heads"
	"github.com/attnconv/attnconv/report"
	"github.com/attnconv/attnconv/viz"
)

// overlay draws attention maps over each image for the given queries, and returns the names of the files.
func (s classifier) overlay(c *cli.Console, o predictOptions, images []cli.ImageFile, predictions []report.Prediction) ([]string, error) {
	if !s.Net.Attends() {
		return nil, cli.Usagef("", "--overlay: %s is a %s, which has no heads", s.Path, s.Net.Spec.Kind)
	}
	l, err := heads.NewReader(s.Net)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	var all []viz.View
	for i, p := range images {
		x, err := figures.Inputs(p.Fit, 1)
		if err != nil {
			return nil, err
		}
		views, err := figures.Views(l, x, figures.ViewOptions{Queries: o.Query})
		if err != nil {
			return nil, output.CannotDraw(err)
		}
		first := predictions[i].Classes[0]
		for _, v := range views {
			v.Image = cli.UnderTokens(p.Fit.Image(0), s.Net.Spec)
			v.Title = fmt.Sprintf("%s: %s %.1f %%; from (%d, %d)", filepath.Base(p.Name), first.Class, 100*first.P,
				v.Query[0], v.Query[1])
			all = append(all, v)
		}
	}
	figure, err := viz.Maps(all, viz.MapsOptions{Overlay: true})
	if err != nil {
		return nil, output.CannotDraw(err)
	}
	return o.figure().Write(c, figure, "")
}

func (o predictOptions) figure() *output.Options {
	return &output.Options{Output: o.Overlay, Theme: viz.Themes.Default(), Force: o.Force}
}

// checkOverlay reports bad flags of the overlay before anything is computed.
func (o predictOptions) checkOverlay() error {
	switch {
	case o.Overlay == nil && o.Query != nil:
		return cli.Usagef("", "--query needs --overlay")
	case o.Overlay == nil:
		return nil
	case o.Array != "":
		return cli.Usagef("maps are drawn over image files", "--array and --overlay do not go together")
	case o.figure().ToStdout():
		return cli.Usagef("standard output has the predictions", "--overlay -: want the name of a file")
	}
	return o.figure().Check()
}
