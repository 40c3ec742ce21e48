package model

import (
	"strings"

	"github.com/attnconv/attnconv/option"
)

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
