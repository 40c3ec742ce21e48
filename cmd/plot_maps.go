package cmd

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/internal/invalid"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/viz"
)

// mapsOptions is what maps of attention were asked for with.
type mapsOptions struct {
	outputOptions
	Layers string
	Query  []place
	Zoom   int
	Sort   string
	Beside bool
}

// newPlotMaps is the plot-maps command.
func newPlotMaps(c *console) *cobra.Command {
	o := mapsOptions{}
	cmd := &cobra.Command{
		Use:   "plot-maps [CKPT|RUN] IMAGE [flags]",
		Short: "Draw the heads' attention on a picture",
		Long: "Draw how much each head of each layer attends to every part of a picture, laid\n" +
			"over it: from one token, or from several. The picture is a PNG, JPEG or GIF file\n" +
			"of any size, or - for standard input; the model sees its middle square, resized.\n" +
			"Without a checkpoint or run, the latest run's.",
		Example: `attnconv plot-maps run.ckpt cat.jpg
attnconv plot-maps k3f9 cat.jpg --query 3,4 --query 6,1 -o maps.png
attnconv plot-maps latest cat.jpg --layers 1,6 --sort peak --beside`,
		ValidArgsFunction: c.completePictures,
		RunE: func(_ *cobra.Command, args []string) error {
			ref, images := splitPictures(args)
			if len(images) != 1 {
				return usagef("attnconv plot-maps run.ckpt cat.jpg", "want one picture, got %d", len(images))
			}
			if !slices.Contains(viz.Sorts, o.Sort) {
				return invalid.Choice("--sort", o.Sort, viz.Sorts)
			}
			if err := o.check(); err != nil {
				return err
			}
			return runPlotMaps(c, o, ref, images[0])
		},
	}
	f := flags{cmd.Flags(), "Figure"}
	f.text(&o.Layers, "layers", "", "LIST", "layers to draw, such as 1-3 or 1,4 (default: all)", nil)
	f.value(places{&o.Query}, "query", "", "ROW,COL",
		"the token that the heads look from, from 0,0 at the top left; several may be given (default: the middle)", nil)
	f.number(&o.Zoom, "zoom", "N", "maps of N × N tokens around the query; odd", 1)
	f.text(&o.Sort, "sort", viz.Sorts[0], "ORDER",
		"order of the maps in a layer; center: those that look nearest first, peak: the sharpest first", viz.Sorts)
	f.truth(&o.Beside, "beside", "", "the picture beside the maps, not under them")
	o.flags(flags{cmd.Flags(), "Output"}, "figures/maps.svg in the run")
	return cmd
}

func runPlotMaps(c *console, o mapsOptions, ref, name string) error {
	path, net, err := loadModel(c, ref)
	if err != nil {
		return err
	}
	pictures, err := readPictures(c, []string{name})
	if err != nil {
		return err
	}
	if len(pictures) != 1 {
		return usagef("", "%s: want one picture, got a folder of %d", name, len(pictures))
	}
	return plotMaps(c, o, path, net, &pictures[0])
}

// plotMaps draws how much every head attends to every token, of a picture if there is one.
func plotMaps(c *console, o mapsOptions, path string, net *model.Network, on *picture) error {
	v, err := model.NewViewer(net)
	if err != nil {
		return usagef("", "%s: %s", path, strings.TrimPrefix(err.Error(), "model: "))
	}
	defer v.Close()
	views, err := o.views(v)
	if err != nil {
		return err
	}
	if heads, _ := net.Heads(); heads == nil && on == nil {
		c.note("encoding %s: its heads are no Gaussians, so this is a map of each one's attention", net.Spec.Encoding)
	}
	if on != nil {
		for i := range views {
			views[i].Picture = on.fit.Image(0)
			views[i].Title = fmt.Sprintf("%s from (%d, %d)", filepath.Base(on.name), views[i].Query[0], views[i].Query[1])
		}
	}
	over := on != nil && !o.Beside
	figure, err := viz.Maps(views, viz.MapsOptions{Zoom: o.Zoom, Sort: o.Sort, Over: over, Width: o.Width})
	if err != nil {
		return cannotDraw(err)
	}
	files, err := o.write(c, figure, ownFigure(path, "maps.svg"))
	switch {
	case err != nil || o.toStdout():
		return err
	case c.JSON:
		return c.result(mapsDocument{1, files, mapRows(views)})
	}
	return printMaps(c, files, mapRows(views))
}

// views are what the heads see from each query.
func (o *mapsOptions) views(v *model.Viewer) (views []viz.View, err error) {
	queries := o.Query
	if len(queries) == 0 {
		queries = []place{viz.Middle(v.Grid.Rows, v.Grid.Cols).Query}
	}
	for _, q := range queries {
		if q[0] >= v.Grid.Rows || q[1] >= v.Grid.Cols {
			return nil, usagef("rows and columns count from 0", "--query %d,%d: the model sees pictures as %d × %d tokens",
				q[0], q[1], v.Grid.Rows, v.Grid.Cols)
		}
		layers := v.From(q)
		numbers, err := layerNumbers(o.Layers, len(layers))
		if err != nil {
			return nil, err
		}
		view := viz.View{Query: q}
		for _, n := range numbers {
			layer := viz.MapLayer{Number: n}
			for _, p := range layers[n-1] {
				layer.Heads = append(layer.Heads, viz.Map{Rows: v.Grid.Rows, Cols: v.Grid.Cols, Values: p})
			}
			view.Layers = append(view.Layers, layer)
		}
		views = append(views, view)
	}
	return views, nil
}

// mapRow is a map in a few numbers.
type mapRow struct {
	Query  [2]int     `json:"query"`
	Layer  int        `json:"layer"`
	Head   int        `json:"head"`
	Mean   [2]float64 `json:"mean"`   // shift from the query to the attention's mean: row, column
	Peak   float64    `json:"peak"`   // largest attention to a token
	At     [2]int     `json:"at"`     // shift from the query to that token
	Tokens float64    `json:"tokens"` // e to the entropy: to how many tokens it would attend, if evenly
}

type mapsDocument struct {
	V     int      `json:"v"`
	Files []string `json:"files"`
	Heads []mapRow `json:"heads"`
}

func mapRows(views []viz.View) (rows []mapRow) {
	for _, v := range views {
		for _, l := range v.Layers {
			for h, m := range l.Heads {
				r := mapRow{Query: v.Query, Layer: l.Number, Head: h + 1, Peak: slices.Max(m.Values)}
				entropy := 0.0
				for i, p := range m.Values {
					row, col := i/m.Cols-v.Query[0], i%m.Cols-v.Query[1]
					r.Mean[0] += p * float64(row)
					r.Mean[1] += p * float64(col)
					if p == r.Peak {
						r.At = [2]int{row, col}
					}
					if p > 0 {
						entropy -= p * math.Log(p)
					}
				}
				r.Tokens = math.Exp(entropy)
				rows = append(rows, r)
			}
		}
	}
	return rows
}

func printMaps(c *console, files []string, rows []mapRow) error {
	for _, name := range files {
		fmt.Fprintln(c.Out, name)
	}
	fmt.Fprintln(c.Out)
	w := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "query\tlayer\thead\tmean row\tmean column\tpeak\tat shift\ttokens\t")
	for _, r := range rows {
		fmt.Fprintf(w, "(%d, %d)\t%d\t%d\t%.2f\t%.2f\t%.1f %%\t(%+d, %+d)\t%.1f\t\n", r.Query[0], r.Query[1],
			r.Layer, r.Head, r.Mean[0], r.Mean[1], 100*r.Peak, r.At[0], r.At[1], r.Tokens)
	}
	return w.Flush()
}
