package plot

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/figures"
	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/model/heads"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/posenc/geometry"
	"github.com/attnconv/attnconv/viz"
)

// attention holds the flags that say which layers, queries and terms of the scores are drawn.
type attention struct {
	Layers string
	Query  [][2]int
	Zoom   int
	Sort   string
	Part   string
	Raw    bool
}

// layersFlag adds --layers.
func (o *attention) layersFlag(c *term.Console, cmd *cobra.Command, f term.Flags) {
	f.Text(&o.Layers, "layers", "", "LIST", "layers to draw, such as 1-3 or 1,4 (default: all)", nil)
	cmd.RegisterFlagCompletionFunc("layers", completeLayers(c))
}

// flags adds the others.
func (o *attention) flags(f term.Flags, query string) {
	f.Queries(&o.Query, "query", "query token, from 0,0 at the top left"+query+" (default: the middle)")
	f.Number(&o.Zoom, "zoom", "N", "maps of N × N tokens around the query; odd", 1)
	term.Choice(f, &o.Sort, "sort", viz.Sorts.Default(), "ORDER",
		"order of the maps in a layer; center: the nearest first, peak: the sharpest first", viz.Sorts)
	term.Choice(f, &o.Part, "score", figures.Parts.Default(), "PART",
		"terms of the scores that maps are computed from: content of the keys, their position, or both", figures.Parts)
	f.Boolean(&o.Raw, "raw", "", "maps of the scores, before the softmax")
}

// layersOf returns the Gaussian heads of --layers, for viz.
func (o *attention) layersOf(heads [][]geometry.Head) ([]viz.Layer, error) {
	numbers, err := o.numbers(len(heads))
	if err != nil {
		return nil, err
	}
	layers, err := figures.Layers(heads, numbers)
	return layers, o.flagged(err)
}

// views returns the attention maps that the flags select, as figures.Views does.
func (o *attention) views(r *heads.Reader, images [][]float32) ([]viz.View, error) {
	numbers, err := o.numbers(len(r.Heads))
	if err != nil {
		return nil, err
	}
	views, err := figures.Views(r, images, figures.ViewOptions{Layers: numbers, Queries: o.Query, Part: o.Part,
		Scores: o.Raw})
	return views, o.flagged(err)
}

// flagged names the flag of a wrong option as the user wrote it.
func (o *attention) flagged(err error) error {
	if wrong := (*option.Error)(nil); errors.As(err, &wrong) && wrong.Key == "layers" {
		given := *wrong
		given.Key += " " + o.Layers + ":"
		err = &given
	}
	return term.NameFlag(err)
}

// numbers returns the layers of --layers, of a network with n; nil: all.
func (o *attention) numbers(n int) ([]int, error) {
	numbers, err := figures.ParseLayers(o.Layers, n)
	if err != nil {
		return nil, term.NameFlag(err)
	}
	return numbers, nil
}

// completeLayers completes the next number in a list of layers of the run to be drawn.
func completeLayers(c *term.Console) refs.Completion {
	return refs.Completing(c, func(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		ref, _ := refs.SplitImages(args)
		found, err := refs.NeedHeads.Lookup(c.Runs).Find(ref)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		config, err := configs.OfEntry(found.Entry)
		if err != nil || !config.Model.Uses("layers") {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		before := word[:strings.LastIndexAny(word, ",-")+1]
		var all []string
		for i, b := range config.Model.Blocks() {
			if b.Attends() {
				all = append(all, fmt.Sprintf("%s%d", before, i+1))
			}
		}
		return all, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace |
			cobra.ShellCompDirectiveKeepOrder
	})
}
