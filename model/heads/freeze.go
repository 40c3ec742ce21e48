package heads

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/internal/option"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/nn"
)

const freezeKey = "train.freeze"

// frozenHeads is one item of a list of what to freeze, of heads: layer and head count from 1, and 0 is all of them.
type frozenHeads struct{ layer, head int }

// parse reads heads, heads:LAYER or heads:LAYER.HEAD. ok says whether it is of heads at all.
func parse(s model.Spec, item string) (h frozenHeads, ok bool, err error) {
	name, which, has := strings.Cut(item, ":")
	if name != "heads" {
		return h, false, nil
	}
	complain := func(format string, args ...any) (frozenHeads, bool, error) {
		return h, true, option.Errorf(freezeKey, "%s: %s", item, fmt.Sprintf(format, args...))
	}
	blocks, kind := s.Blocks(), model.Kinds.Find(s.Kind)
	switch {
	case !s.Uses("encoding"):
		return complain("a %s has no heads; %s", s.Kind, cmp.Or(kind.Freeze,
			"parameters go by name, as inspect shows them"))
	case !slices.ContainsFunc(blocks, model.BlockSpec.Attends):
		return complain("no block of this network has heads; in the first, %s", cmp.Or(blocks[0].Kind.Freeze,
			"parameters go by name, as inspect shows them"))
	case !has:
		return h, true, nil
	}
	layer, head, one := strings.Cut(which, ".")
	if h.layer, err = strconv.Atoi(layer); err != nil || h.layer < 1 || h.layer > len(blocks) {
		return complain("want heads:LAYER or heads:LAYER.HEAD, with layers 1 to %d", len(blocks))
	}
	b := blocks[h.layer-1]
	if !b.Attends() {
		names := cmp.Or(b.Kind.Freeze, "its parameters are encoder.layer.*.*")
		return complain("layer %d is a %s and has no heads; %s", h.layer, b.Kind.Help,
			strings.ReplaceAll(names, "layer.*", "layer."+strconv.Itoa(h.layer-1)))
	}
	if !one {
		return h, true, nil
	}
	if h.head, err = strconv.Atoi(head); err != nil || h.head < 1 || h.head > b.Heads {
		return complain("layer %d has heads 1 to %d", h.layer, b.Heads)
	}
	if !b.Gaussian() {
		return complain("heads of encoding %s share parameters: freeze the layer's, heads:%d", b.Encoding, h.layer)
	}
	return h, true, nil
}

// CheckFreeze returns the first item that Freeze would refuse, as an *option.Error; whether a pattern is any
// parameter's name only the network knows.
func CheckFreeze(s model.Spec, items []string) error {
	for _, item := range items {
		if _, ok, err := parse(s, item); err != nil {
			return err
		} else if _, bad := path.Match(item, ""); !ok && (bad != nil || item == "") {
			return option.Errorf(freezeKey,
				"%q: want heads, heads:LAYER, heads:LAYER.HEAD, or a pattern of parameters' names", item)
		}
	}
	return nil
}

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
	if err := CheckFreeze(n.Spec, items); err != nil {
		return err
	}
	blocks := n.Spec.Blocks()
	for _, item := range items {
		found := false
		h, ofHeads, _ := parse(n.Spec, item)
		for _, p := range n.Params {
			name := strings.TrimPrefix(p.Name, "model.")
			if ofHeads {
				found = h.freeze(p, blocks) || found
			} else if match, _ := path.Match(item, name); match {
				p.Freeze()
				found = true
			}
		}
		if !found && !ofHeads {
			return option.Errorf(freezeKey, "%s: no parameter has such a name; one is %s", item,
				strings.TrimPrefix(n.Params[0].Name, "model."))
		}
	}
	return nil
}

// freeze freezes h's part of p and reports whether there is one. blocks are the network's.
func (h frozenHeads) freeze(p *nn.Param, blocks []model.BlockSpec) bool {
	layer, own, ok := mixerParam(p.Name)
	switch {
	case !ok || strings.HasPrefix(own, "value.") || h.layer > 0 && h.layer != layer+1 || !blocks[layer].Attends():
		return false
	case h.head > 0:
		p.Freeze(h.head - 1)
	default:
		p.Freeze()
	}
	return true
}

// mixerParam splits the name of a parameter of what mixes the tokens into the block, from 0, and its name there.
func mixerParam(name string) (layer int, own string, ok bool) {
	at, own, ok := strings.Cut(strings.TrimPrefix(name, "model.encoder.layer."), ".attention.self.")
	layer, err := strconv.Atoi(at)
	return layer, own, ok && err == nil
}
