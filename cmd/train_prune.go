package cmd

import (
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/ckpt"
	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/heads"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/viz"
)

// prune removes the degenerate heads from the weights of a branch, notes how many each layer had, and sets model.heads
// to the rest.
func (o *trainOptions) prune(c *cli.Console, path string, f *ckpt.File) (*ckpt.File, error) {
	net, err := model.Load(f)
	if err != nil {
		return nil, &ckpt.Corrupt{Path: path, Reason: err.Error()}
	}
	layers, _ := net.Heads()
	blind := func(layer, head int) bool { return viz.Head(layers[layer][head]).Uniform() }
	small, err := heads.Prune(net, blind)
	if err != nil {
		return nil, cli.Usagef("", "--prune-degenerate: %s", cli.TrimPackages(err.Error()))
	}
	all, gone, each := 0, 0, []string{}
	for l, heads := range layers {
		all += len(heads)
		gone += len(heads) - small.Spec.Heads[l]
		each = append(each, strconv.Itoa(len(heads)-small.Spec.Heads[l]))
	}
	if gone == 0 {
		c.Note("prune  none of the %d heads is degenerate", all)
		return f, nil
	}
	c.Note("prune  %d of %d heads are degenerate and left out; by layer: %s", gone, all, strings.Join(each, ", "))
	o.Sources.Flags = append(o.Sources.Flags,
		configs.Flag{Name: "--prune-degenerate", Key: "model.heads", Text: small.Spec.Heads.String()},
		configs.Flag{Name: "--prune-degenerate", Key: "model.layers", Text: small.Spec.Layers.String()})
	return &ckpt.File{Meta: f.Meta, Tensors: small.Tensors()}, nil
}
