package heads

import (
	"path"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/option"
)

// Freeze keeps parameters as they are in training that is prepared afterwards. An item is one of
//
//	heads        what says where the heads attend, in all layers
//	heads:2      in the second layer
//	heads:2.3    of its third head, where heads are Gaussians
//	PATTERN      parameters by their names in a checkpoint, without "model.", with * for any letters: *.LayerNorm.*
//
// Where the heads attend depends on the parameters of the encoding alone; values stay free.
func Freeze(n *model.Network, items []string) error {
	if err := whole(n); err != nil {
		return err
	}
	if err := n.Spec.CheckFreeze(items); err != nil {
		return err
	}
	for _, item := range items {
		found := false
		h, ofHeads, _ := n.Spec.FrozenHeads(item)
		if ofHeads {
			Hold("freeze", n, list(h, n.Spec))
		}
		for _, p := range n.Params {
			if match, _ := path.Match(item, strings.TrimPrefix(p.Name, "model.")); match && !ofHeads {
				p.Freeze()
				found = true
			}
		}
		if !found && !ofHeads {
			return option.Errorf("train.freeze", "%s: no parameter has such a name; one is %s", item,
				strings.TrimPrefix(n.Params[0].Name, "model."))
		}
	}
	return nil
}

// mixerParam splits the name of a parameter of what mixes the tokens into the block, from 0, and its name there.
func mixerParam(name string) (layer int, own string, ok bool) {
	at, own, ok := strings.Cut(strings.TrimPrefix(name, "model.encoder.layer."), ".attention.self.")
	layer, err := strconv.Atoi(at)
	return layer, own, ok && err == nil
}
