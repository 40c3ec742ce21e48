package heads

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/run/event"
)

const surgeryKey = "train.surgery"

// An Operation changes heads before the first step of an epoch. Its text is one of
//
//	prune heads:uniform            before the first step
//	reset heads:2.3 after 5        after five epochs
type Operation struct {
	Kind  *OperationKind
	Which string // as written: heads, heads:2, heads:2.3, heads:uniform, heads:least*4
	After int    // epochs
	which selection
}

// An OperationKind is something to do with a head.
type OperationKind struct {
	Name, Help string
	// own: it needs parameters that say where one head attends
	own    bool
	change func(n, fresh *model.Network, at At) []nn.Span // changes weights, and returns which
	hold   func(n *model.Network, at At) []nn.Span        // what stays fixed from then on
}

// Entry implements option.Named.
func (k OperationKind) Entry() (name, help string) { return k.Name, k.Help }

// Operations lists them.
var Operations = option.List[OperationKind]{
	{Name: "prune", Help: "W_h becomes zero and stays zero: the network computes what it computes without the head",
		change: silence, hold: values},
	{Name: "reset", Help: "the head returns to the initial weights of the seed", own: true, change: reset},
	{Name: "freeze", Help: "the head stays where it attends; its values still learn", own: true, hold: places},
}

// ParseOperation reads an operation on a network. The error is an *option.Error for train.surgery.
func ParseOperation(s model.Spec, text string) (o Operation, err error) {
	words := strings.Fields(text)
	if len(words) != 2 && (len(words) != 4 || words[2] != "after") || !Operations.Has(words[0]) {
		return o, option.Errorf(surgeryKey, "%q: want %s, and which heads, such as prune heads:uniform, or "+
			"reset heads:2.3 after 5", text, strings.Join(Operations.Names(), ", "))
	}
	o = Operation{Kind: Operations.Find(words[0]), Which: words[1]}
	if len(words) == 4 {
		if o.After, err = strconv.Atoi(words[3]); err != nil || o.After < 0 {
			return o, option.Errorf(surgeryKey, "%q: behind after, want a number of epochs", text)
		}
	}
	ok := false
	if o.which, ok, err = parse(surgeryKey, s, o.Which); err != nil {
		return o, err
	} else if !ok {
		return o, option.Errorf(surgeryKey, "%q: want heads, heads:LAYER, heads:LAYER.HEAD or heads:RULE; the rules "+
			"are %s", text, strings.Join(Rules.Names(), ", "))
	}
	if o.Kind.own {
		err = o.which.ownParams(surgeryKey, text, s)
	}
	return o, err
}

// CheckSurgery returns the first operation that ParseOperation refuses, or that comes after the last epoch.
func CheckSurgery(s model.Spec, items []string, epochs int) error {
	for _, item := range items {
		o, err := ParseOperation(s, item)
		if err != nil {
			return err
		}
		if o.After >= epochs {
			return option.Errorf(surgeryKey, "%q: the run has %d epochs, and nothing is trained after the last one",
				item, epochs)
		}
	}
	return nil
}

// Find returns the heads that the operation is for.
func (o Operation) Find(n *model.Network, e *Evidence) ([]At, error) {
	if o.which.rule == nil {
		return o.which.list(n.Spec), nil
	}
	found, err := o.which.rule.find(e, n, o.which.count)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", o.Kind.Name, o.Which, err)
	}
	slices.SortFunc(found, func(a, b At) int { return cmpAt(a, b) })
	return found, nil
}

func cmpAt(a, b At) int {
	if a.Layer != b.Layer {
		return a.Layer - b.Layer
	}
	return a.Head - b.Head
}

// Change changes the weights of heads, and returns which. fresh is the network with its initial weights.
func (o Operation) Change(n, fresh *model.Network, heads []At) (changed []nn.Span) {
	if o.Kind.change != nil {
		for _, at := range heads {
			changed = append(changed, o.Kind.change(n, fresh, at)...)
		}
	}
	return changed
}

// Hold freezes what the operation fixes of heads.
func (k OperationKind) Hold(n *model.Network, heads []At) {
	if k.hold == nil {
		return
	}
	for _, at := range heads {
		for _, s := range k.hold(n, at) {
			s.Freeze()
		}
	}
}

// Numbers returns heads for the record.
func Numbers(heads []At) [][2]int {
	all := [][2]int{}
	for _, at := range heads {
		all = append(all, [2]int{at.Layer, at.Head})
	}
	return all
}

// Found returns the heads of a record.
func Found(e event.Surgery) (heads []At) {
	for _, at := range e.Heads {
		heads = append(heads, At{at[0], at[1]})
	}
	return heads
}

// ParseSurgery reads the operations in the metadata of a checkpoint of a network; "" is none.
func ParseSurgery(s model.Spec, text string) (all []event.Surgery, err error) {
	if text == "" {
		return nil, nil
	}
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		return nil, fmt.Errorf("attnconv.surgery: %w", err)
	}
	blocks := s.Blocks()
	for _, e := range all {
		if !Operations.Has(e.Operation) {
			return nil, fmt.Errorf("attnconv.surgery: %q is no operation that this version knows", e.Operation)
		}
		for _, at := range e.Heads {
			if at[0] < 1 || at[0] > len(blocks) || !blocks[at[0]-1].Attends() || at[1] < 1 ||
				at[1] > blocks[at[0]-1].Heads {
				return nil, fmt.Errorf("attnconv.surgery: the network has no head %d.%d", at[0], at[1])
			}
		}
	}
	return all, nil
}

// silence makes W_h zero.
func silence(n, _ *model.Network, at At) []nn.Span {
	spans := values(n, at)
	for _, s := range spans {
		clear(s.Param.Data[s.Lo:s.Hi])
	}
	return spans
}

// reset copies the initial weights of a head.
func reset(n, fresh *model.Network, at At) []nn.Span {
	spans := append(values(n, at), places(n, at)...)
	for i, from := range append(values(fresh, at), places(fresh, at)...) {
		copy(spans[i].Param.Data[spans[i].Lo:spans[i].Hi], from.Param.Data[from.Lo:from.Hi])
	}
	return spans
}

// values returns what a head alone has of the value map: W_h, or its own values with their bias.
func values(n *model.Network, at At) (spans []nn.Span) {
	a := n.Attention()[at.Layer-1]
	if a == nil { // a registered block
		return nil
	}
	b, v := n.Spec.Blocks()[at.Layer-1], a.Value
	if b.Factored() { // rows
		for _, p := range []*nn.Param{v.W, v.B} {
			if p == nil { // no bias
				continue
			}
			size := len(p.Data) / b.Heads
			spans = append(spans, nn.Span{Param: p, Lo: (at.Head - 1) * size, Hi: at.Head * size})
		}
		return spans
	}
	out, columns := v.W.Shape[0], v.W.Shape[1]
	in := columns / b.Heads
	for j := range out {
		lo := j*columns + (at.Head-1)*in
		spans = append(spans, nn.Span{Param: v.W, Lo: lo, Hi: lo + in})
	}
	return spans
}

// places returns the parameters that say where a head attends: those of a Gaussian head, otherwise all of its layer.
func places(n *model.Network, at At) (spans []nn.Span) {
	b := n.Spec.Blocks()[at.Layer-1]
	for _, p := range n.Params {
		layer, own, ok := mixerParam(p.Name)
		if !ok || layer != at.Layer-1 || strings.HasPrefix(own, "value.") {
			continue
		}
		s := nn.Span{Param: p, Hi: len(p.Data)}
		if b.Gaussian() { // also its factor, its gate, and the rows of its queries and keys
			size := len(p.Data) / b.Heads
			s.Lo, s.Hi = (at.Head-1)*size, at.Head*size
		}
		spans = append(spans, s)
	}
	return spans
}
