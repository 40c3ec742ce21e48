package heads

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/option"
)

// An At is a head: its layer, and its number there, both from 1.
type At struct{ Layer, Head int }

func (a At) String() string { return fmt.Sprintf("%d.%d", a.Layer, a.Head) }

// A selection is what heads, heads:LAYER, heads:LAYER.HEAD, heads:RULE or heads:RULE*N says.
type selection struct {
	layer, head int   // 0: all
	rule        *Rule // nil: layer and head say it
	count       int   // of the rule
}

// parse reads a selection. ok says whether item is one at all. Errors are those of the option called key.
func parse(key string, s model.Spec, item string) (h selection, ok bool, err error) {
	name, which, has := strings.Cut(item, ":")
	if name != "heads" {
		return h, false, nil
	}
	complain := func(format string, args ...any) (selection, bool, error) {
		return h, true, option.Errorf(key, "%s: %s", item, fmt.Sprintf(format, args...))
	}
	blocks, kind := s.Blocks(), model.Kinds.Find(s.Kind)
	const surgical = "surgery is for heads of attention"
	switch {
	case !s.Uses("encoding") && key == surgeryKey:
		return complain("a %s has no blocks of attention, and %s", s.Kind, surgical)
	case !s.Uses("encoding"):
		return complain("a %s has no heads; %s", s.Kind, cmp.Or(kind.Freeze,
			"parameters go by name, as inspect shows them"))
	case !slices.ContainsFunc(blocks, model.BlockSpec.Attends) && key == surgeryKey:
		return complain("no block of this network has heads, and %s", surgical)
	case !slices.ContainsFunc(blocks, model.BlockSpec.Attends):
		return complain("no block of this network has heads; in the first, %s", cmp.Or(blocks[0].Kind.Freeze,
			"parameters go by name, as inspect shows them"))
	case !has:
		return h, true, nil
	}
	rule, count, counted := strings.Cut(which, "*")
	if key == surgeryKey && Rules.Has(rule) {
		h.rule = Rules.Find(rule)
		h.count, err = strconv.Atoi(count)
		switch {
		case h.rule.Counts && (err != nil || h.count < 1):
			return complain("want heads:%s*N, for N heads", rule)
		case !h.rule.Counts && counted:
			return complain("want heads:%s, which takes no number", rule)
		case h.rule.Gaussian && !slices.ContainsFunc(blocks, model.BlockSpec.Gaussian):
			return complain("no block of this network has Gaussian heads; want heads:uniform, heads:duplicate, " +
				"heads:silent or heads:least*N")
		}
		return h, true, nil
	}
	layer, head, one := strings.Cut(which, ".")
	if h.layer, err = strconv.Atoi(layer); err != nil || h.layer < 1 || h.layer > len(blocks) {
		return complain("want heads:LAYER or heads:LAYER.HEAD, with layers 1 to %d%s", len(blocks), orRules(key))
	}
	b := blocks[h.layer-1]
	if !b.Attends() && key == surgeryKey {
		return complain("layer %d is a %s and has no heads, and %s", h.layer, b.Kind.Help, surgical)
	}
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
	return h, true, nil
}

// orRules names the rules, where key takes them.
func orRules(key string) string {
	if key == freezeKey {
		return ""
	}
	return ", or heads:RULE; the rules are " + strings.Join(Rules.Names(), ", ")
}

// ownParams returns an error unless the heads of h have parameters of their own that say where they attend.
func (h selection) ownParams(key, item string, s model.Spec) error {
	if h.head == 0 && h.rule == nil {
		return nil
	}
	for i, b := range s.Blocks() {
		if b.Attends() && !b.Gaussian() && (h.layer == 0 || h.layer == i+1) {
			return option.Errorf(key, "%s: heads of encoding %s share parameters: name the layer's, heads:%d", item,
				b.Encoding, i+1)
		}
	}
	return nil
}

// list returns the heads of h, which has no rule.
func (h selection) list(s model.Spec) (all []At) {
	for i, b := range s.Blocks() {
		if !b.Attends() || h.layer > 0 && h.layer != i+1 {
			continue
		}
		for head := range b.Heads {
			if h.head == 0 || h.head == head+1 {
				all = append(all, At{i + 1, head + 1})
			}
		}
	}
	return all
}
