package heads

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/run/event"
)

// An At is a head, as event.Surgery has it: its layer, and its number there, both from 1.
type At = [2]int

// list returns the heads of a selection without a rule.
func list(h model.HeadSelection, s model.Spec) (all []At) {
	for i, b := range s.Blocks() {
		if !b.Attends() || h.Layer > 0 && h.Layer != i+1 {
			continue
		}
		for head := range b.Heads {
			if h.Head == 0 || h.Head == head+1 {
				all = append(all, At{i + 1, head + 1})
			}
		}
	}
	return all
}

// changes has what operations do to the weights of a head. fresh is the network with its initial weights.
var changes = map[string]func(n, fresh *model.Network, at At){"prune": silence, "reset": reset}

// fixed has what operations keep as it is from then on.
var fixed = map[string]func(n *model.Network, at At) []nn.Span{"prune": values, "freeze": places}

// Find returns the heads that an operation is for.
func Find(o model.Surgery, n *model.Network, e *Evidence) ([]At, error) {
	if o.Heads.Rule == nil {
		return list(o.Heads, n.Spec), nil
	}
	found, err := rules[o.Heads.Rule.Name](e, n, o.Heads.Count)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", o.Operation, o.Which, err)
	}
	slices.SortFunc(found, func(a, b At) int { return cmp.Or(a[0]-b[0], a[1]-b[1]) })
	return found, nil
}

// Operate changes the weights of heads as an operation of model.Operations says. fresh is the network with its initial
// weights.
func Operate(operation string, n, fresh *model.Network, heads []At) {
	if change := changes[operation]; change != nil {
		for _, at := range heads {
			change(n, fresh, at)
		}
	}
}

// Hold freezes what an operation of model.Operations fixes of heads.
func Hold(operation string, n *model.Network, heads []At) {
	if spans := fixed[operation]; spans != nil {
		for _, at := range heads {
			for _, s := range spans(n, at) {
				s.Freeze()
			}
		}
	}
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
		if !model.Operations.Has(e.Operation) {
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
func silence(n, _ *model.Network, at At) {
	for _, s := range values(n, at) {
		clear(s.Param.Data[s.Lo:s.Hi])
	}
}

// reset copies the initial weights of a head.
func reset(n, fresh *model.Network, at At) {
	spans := append(values(n, at), places(n, at)...)
	for i, from := range append(values(fresh, at), places(fresh, at)...) {
		copy(spans[i].Param.Data[spans[i].Lo:spans[i].Hi], from.Param.Data[from.Lo:from.Hi])
	}
}

// values returns what a head alone has of the value map: W_h, or its own values with their bias.
func values(n *model.Network, at At) (spans []nn.Span) {
	a := n.Attention()[at[0]-1]
	if a == nil { // a registered block
		return nil
	}
	b, v := n.Spec.Blocks()[at[0]-1], a.Value
	if b.Factored() { // rows
		for _, p := range []*nn.Param{v.W, v.B} {
			if p == nil { // no bias
				continue
			}
			size := len(p.Data) / b.Heads
			spans = append(spans, nn.Span{Param: p, Lo: (at[1] - 1) * size, Hi: at[1] * size})
		}
		return spans
	}
	out, columns := v.W.Shape[0], v.W.Shape[1]
	in := columns / b.Heads
	for j := range out {
		lo := j*columns + (at[1]-1)*in
		spans = append(spans, nn.Span{Param: v.W, Lo: lo, Hi: lo + in})
	}
	return spans
}

// places returns the parameters that say where a head attends: those of a Gaussian head, otherwise all of its layer.
func places(n *model.Network, at At) (spans []nn.Span) {
	b := n.Spec.Blocks()[at[0]-1]
	for _, p := range n.Params {
		layer, own, ok := mixerParam(p.Name)
		if !ok || layer != at[0]-1 || strings.HasPrefix(own, "value.") {
			continue
		}
		s := nn.Span{Param: p, Hi: len(p.Data)}
		if b.Gaussian() { // also its factor, its gate, and the rows of its queries and keys
			size := len(p.Data) / b.Heads
			s.Lo, s.Hi = (at[1]-1)*size, at[1]*size
		}
		spans = append(spans, s)
	}
	return spans
}
