package cmd

import (
	"fmt"
	"path/filepath"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/viz"
)

// overlay draws the attention of the heads on each image, from the queries that were asked for, and writes the
// figure. It returns the files.
func (s classifier) overlay(c *console, o predictOptions, images []imageFile, predictions []prediction) ([]string, error) {
	if !s.net.Attends() {
		return nil, usagef("", "--overlay: %s is a %s, which has no heads", s.path, s.net.Spec.Kind)
	}
	l, err := model.NewLooker(s.net)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	attention := attentionOptions{Query: o.Query, Part: scoreParts.Default()}
	var all []viz.View
	for i, p := range images {
		x, err := inputs(p.fit, 1)
		if err != nil {
			return nil, err
		}
		views, err := attention.views(l, s.net, x)
		if err != nil {
			return nil, err
		}
		first := predictions[i].Classes[0]
		for _, v := range views {
			v.Image = p.fit.Image(0)
			v.Title = fmt.Sprintf("%s: %s %.1f %%; from (%d, %d)", filepath.Base(p.name), first.Class, 100*first.P,
				v.Query[0], v.Query[1])
			all = append(all, v)
		}
	}
	figure, err := viz.Maps(all, viz.MapsOptions{Overlay: true})
	if err != nil {
		return nil, cannotDraw(err)
	}
	return o.figure().write(c, figure, "")
}

// figure is how the overlay is written.
func (o predictOptions) figure() *outputOptions {
	return &outputOptions{Output: o.Overlay, Theme: viz.Themes.Default(), Force: o.Force}
}

// checkOverlay finds what is wrong with where the overlay is to go, before anything is computed.
func (o predictOptions) checkOverlay() error {
	switch {
	case o.Overlay == nil && o.Query != nil:
		return usagef("", "--query says from where the heads look on the figure of --overlay")
	case o.Overlay == nil:
		return nil
	case o.Array != "":
		return usagef("numbers are no image to draw on", "--array and --overlay do not go together")
	case o.figure().toStdout():
		return usagef("standard output has what the images show", "--overlay -: want the name of a file")
	}
	return o.figure().check()
}
