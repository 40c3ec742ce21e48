package model

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/option"
)

const freezeKey, surgeryKey = "train.freeze", "train.surgery"

// A HeadSelection is what heads, heads:LAYER, heads:LAYER.HEAD, heads:RULE or heads:RULE*N says, and centers or widths
// in the place of heads.
type HeadSelection struct {
	Param       string    // of a Gaussian head, by its own name; "": all that says where the head attends
	Layer, Head int       // 0: all
	Rule        *HeadRule // nil: Layer and Head say it
	Count       int       // of the rule
}

// A HeadRule finds heads by what they do. Package model/heads has the function of each.
type HeadRule struct {
	Name, Help string
	Gaussian   bool // it finds Gaussian heads only
	Counts     bool // it finds as many heads as heads:NAME*N says
}

// Entry implements option.Named.
func (r HeadRule) Entry() (name, help string) { return r.Name, r.Help }

// HeadRules lists them. To add one, write its line here and its function in model/heads/rules.go.
var HeadRules = option.List[HeadRule]{
	{"degenerate", "Gaussian heads with a precision of almost 0, or 1,000 times as large along one axis", true, false},
	{"uniform", "heads that attend almost equally to all tokens", false, false},
	{"duplicate", "heads that attend almost as an earlier head of the layer does", false, false},
	{"outside", "Gaussian heads whose center is outside of the image for every query", true, false},
	{"silent", "heads whose matrix W_h is zero", false, false},
	{"least", "the N heads without which the loss on training images is least", false, true},
}

// headParams has the parameter of Gaussian heads that train.freeze takes by a word of its own.
var headParams = map[string]string{"centers": "attention_centers", "widths": "attention_spreads"}

// selectHeads reads a selection. ok says whether item is one at all. Errors are those of the option called key.
func (s Spec) selectHeads(key, item string) (h HeadSelection, ok bool, err error) {
	name, which, has := strings.Cut(item, ":")
	if h.Param = headParams[name]; name != "heads" && (h.Param == "" || key != freezeKey) {
		return h, false, nil
	}
	complain := func(format string, args ...any) (HeadSelection, bool, error) {
		return h, true, option.Errorf(key, "%s: %s", item, fmt.Sprintf(format, args...))
	}
	blocks, kind := s.Blocks(), Kinds.Find(s.Kind)
	const surgical = "surgery is for heads of attention"
	switch {
	case !s.Uses("encoding") && key == surgeryKey:
		return complain("a %s has no blocks of attention, and %s", s.Kind, surgical)
	case !s.Uses("encoding"):
		return complain("a %s has no heads; %s", s.Kind, cmp.Or(kind.Freeze,
			"parameters go by name, as inspect shows them"))
	case !slices.ContainsFunc(blocks, BlockSpec.Attends) && key == surgeryKey:
		return complain("no block of this network has heads, and %s", surgical)
	case !slices.ContainsFunc(blocks, BlockSpec.Attends):
		return complain("no block of this network has heads; in the first, %s", cmp.Or(blocks[0].Kind.Freeze,
			"parameters go by name, as inspect shows them"))
	case h.Param != "" && !slices.ContainsFunc(blocks, BlockSpec.Gaussian):
		return complain("no block of this network has Gaussian heads, which have centers and widths; want heads, for all " +
			"that says where heads attend")
	case !has:
		return h, true, nil
	}
	rule, count, counted := strings.Cut(which, "*")
	if key == surgeryKey && HeadRules.Has(rule) {
		h.Rule = HeadRules.Find(rule)
		h.Count, err = strconv.Atoi(count)
		switch {
		case h.Rule.Counts && (err != nil || h.Count < 1):
			return complain("want heads:%s*N, for N heads", rule)
		case !h.Rule.Counts && counted:
			return complain("want heads:%s, which takes no number", rule)
		case h.Rule.Gaussian && !slices.ContainsFunc(blocks, BlockSpec.Gaussian):
			return complain("no block of this network has Gaussian heads; want heads:uniform, heads:duplicate, " +
				"heads:silent or heads:least*N")
		}
		return h, true, nil
	}
	layer, head, one := strings.Cut(which, ".")
	if h.Layer, err = strconv.Atoi(layer); err != nil || h.Layer < 1 || h.Layer > len(blocks) {
		return complain("want %s:LAYER or %[1]s:LAYER.HEAD, with layers 1 to %d%s", name, len(blocks), orRules(key))
	}
	b := blocks[h.Layer-1]
	if !b.Attends() && key == surgeryKey {
		return complain("layer %d is a %s and has no heads, and %s", h.Layer, b.Kind.Help, surgical)
	}
	if !b.Attends() {
		names := cmp.Or(b.Kind.Freeze, "its parameters are encoder.layer.*.*")
		return complain("layer %d is a %s and has no heads; %s", h.Layer, b.Kind.Help,
			strings.ReplaceAll(names, "layer.*", "layer."+strconv.Itoa(h.Layer-1)))
	}
	if h.Param != "" && !b.Gaussian() {
		return complain("heads of encoding %s have no center and no width; want heads:%d, for all that says where they attend",
			b.Encoding, h.Layer)
	}
	if !one {
		return h, true, nil
	}
	if h.Head, err = strconv.Atoi(head); err != nil || h.Head < 1 || h.Head > b.Heads {
		return complain("layer %d has heads 1 to %d", h.Layer, b.Heads)
	}
	return h, true, nil
}

// orRules names the rules, where key takes them.
func orRules(key string) string {
	if key == freezeKey {
		return ""
	}
	return ", or heads:RULE; the rules are " + strings.Join(HeadRules.Names(), ", ")
}

// ownParams returns an error unless the heads of h have parameters of their own that say where they attend.
func (h HeadSelection) ownParams(key, item string, s Spec) error {
	if h.Head == 0 && h.Rule == nil {
		return nil
	}
	for i, b := range s.Blocks() {
		if b.Attends() && !b.Gaussian() && (h.Layer == 0 || h.Layer == i+1) {
			return option.Errorf(key, "%s: heads of encoding %s share parameters: name the layer's, heads:%d", item,
				b.Encoding, i+1)
		}
	}
	return nil
}

// FrozenHeads reads an item of train.freeze. ok says whether it names heads at all. The error is an *option.Error.
func (s Spec) FrozenHeads(item string) (h HeadSelection, ok bool, err error) {
	if h, ok, err = s.selectHeads(freezeKey, item); err == nil && ok {
		err = h.ownParams(freezeKey, item, s)
	}
	return h, ok, err
}

// CheckFreeze returns the first item that heads.Freeze would refuse, as an *option.Error; whether a pattern is any
// parameter's name only the network knows.
func (s Spec) CheckFreeze(items []string) error {
	for _, item := range items {
		if _, ok, err := s.FrozenHeads(item); err != nil {
			return err
		} else if _, bad := path.Match(item, ""); !ok && (bad != nil || item == "") {
			return option.Errorf(freezeKey,
				"%q: want heads, heads:LAYER, heads:LAYER.HEAD, centers or widths in the place of heads, or a pattern of "+
					"parameters' names", item)
		}
	}
	return nil
}

// A Surgery is an operation on heads before training. Its text is an operation and which heads: prune heads:uniform.
type Surgery struct {
	Operation string // prune, reset or freeze
	Which     string // as written: heads, heads:2, heads:2.3, heads:uniform, heads:least*4
	Heads     HeadSelection
}

// Operations lists what can be done to a head. Package model/heads has the functions of each.
var Operations = option.List[option.Item]{
	{Name: prune, Help: "W_h becomes zero and stays zero: the network computes what it computes without the head"},
	{Name: "reset", Help: "the head returns to the initial weights of the seed"},
	{Name: "freeze", Help: "the head stays where it attends; its values still learn"},
}

const prune = "prune"

// ParseSurgery reads an operation on a network. The error is an *option.Error for train.surgery.
func (s Spec) ParseSurgery(text string) (o Surgery, err error) {
	words := strings.Fields(text)
	switch {
	case len(words) == 4 && words[2] == "after": // as earlier versions had it
		return o, option.Errorf(surgeryKey, "%q: heads are operated on before training only; want %q, or none in a "+
			"run from one that did it", text, words[0]+" "+words[1])
	case len(words) != 2 || !Operations.Has(words[0]):
		return o, option.Errorf(surgeryKey, "%q: want %s, and which heads, such as prune heads:uniform", text,
			strings.Join(Operations.Names(), ", "))
	}
	o = Surgery{Operation: words[0], Which: words[1]}
	ok := false
	if o.Heads, ok, err = s.selectHeads(surgeryKey, o.Which); err != nil {
		return o, err
	} else if !ok {
		return o, option.Errorf(surgeryKey, "%q: want heads, heads:LAYER, heads:LAYER.HEAD or heads:RULE; the rules "+
			"are %s", text, strings.Join(HeadRules.Names(), ", "))
	}
	if o.Operation != prune { // the others need parameters that say where one head attends
		err = o.Heads.ownParams(surgeryKey, text, s)
	}
	return o, err
}

// CheckSurgery returns the first operation that ParseSurgery refuses.
func (s Spec) CheckSurgery(items []string) error {
	for _, item := range items {
		if _, err := s.ParseSurgery(item); err != nil {
			return err
		}
	}
	return nil
}
