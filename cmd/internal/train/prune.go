package train

import (
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/configs"
)

// prune removes the degenerate heads from the weights of a branch, notes how many each layer had, and sets model.heads
// to the rest.
func (o *Options) prune(c *cli.Console) error {
	pruned, gone, err := o.weights.Prune()
	if err != nil {
		return cli.Usagef("", "--prune-degenerate: %s", cli.TrimPackages(err.Error()))
	}
	spec := pruned.Net.Spec
	all, removed, each := 0, 0, []string{}
	for l, n := range gone {
		all, removed, each = all+n+spec.Heads[l], removed+n, append(each, strconv.Itoa(n))
	}
	if removed == 0 {
		c.Note("prune  none of the %d heads is degenerate", all)
		return nil
	}
	c.Note("prune  %d of %d heads are degenerate and left out; by layer: %s", removed, all, strings.Join(each, ", "))
	o.weights = pruned
	o.Sources.Flags = append(o.Sources.Flags,
		configs.Flag{Name: "--prune-degenerate", Key: "model.heads", Text: spec.Heads.String()},
		configs.Flag{Name: "--prune-degenerate", Key: "model.layers", Text: spec.Layers.String()})
	return nil
}
