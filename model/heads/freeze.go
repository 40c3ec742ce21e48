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
//	centers      the centers of Gaussian heads, and not their widths; also centers:2 and centers:2.3
//	widths       their widths, which of encoding quadratic-general are shape and direction
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
		h, ofHeads, _ := n.Spec.FrozenHeads(item)
		found := ofHeads && (freezeHeads(n, h) || h.Param == "")
		for _, p := range n.Params {
			if match, _ := path.Match(item, strings.TrimPrefix(p.Name, "model.")); match && !ofHeads {
				p.Freeze()
				found = true
			}
		}
		if !found {
			return option.Errorf("train.freeze", "%s: no parameter has such a name; one is %s", item,
				strings.TrimPrefix(n.Params[0].Name, "model."))
		}
	}
	return nil
}

// freezeHeads keeps what h selects as it is, and reports whether the network has such a parameter.
func freezeHeads(n *model.Network, h model.HeadSelection) (found bool) {
	for _, at := range list(h, n.Spec) {
		for _, s := range places(n, at) {
			if strings.HasSuffix(s.Param.Name, h.Param) {
				s.Freeze()
				found = true
			}
		}
	}
	return found
}

// mixerParam splits the name of a parameter of what mixes the tokens into the block, from 0, and its name there.
func mixerParam(name string) (layer int, own string, ok bool) {
	at, own, ok := strings.Cut(strings.TrimPrefix(name, "model.encoder.layer."), ".attention.self.")
	layer, err := strconv.Atoi(at)
	return layer, own, ok && err == nil
}
