package model

import (
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/option"
)

// A Surgery is an operation on heads before the first step of an epoch. Its text is one of
//
//	prune heads:uniform            before the first step
//	reset heads:2.3 after 5        after five epochs
type Surgery struct {
	Operation string // prune, reset or freeze
	Which     string // as written: heads, heads:2, heads:2.3, heads:uniform, heads:least*4
	After     int    // epochs
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
	if len(words) != 2 && (len(words) != 4 || words[2] != "after") || !Operations.Has(words[0]) {
		return o, option.Errorf(surgeryKey, "%q: want %s, and which heads, such as prune heads:uniform, or "+
			"reset heads:2.3 after 5", text, strings.Join(Operations.Names(), ", "))
	}
	o = Surgery{Operation: words[0], Which: words[1]}
	if len(words) == 4 {
		if o.After, err = strconv.Atoi(words[3]); err != nil || o.After < 0 {
			return o, option.Errorf(surgeryKey, "%q: behind after, want a number of epochs", text)
		}
	}
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

// CheckSurgery returns the first operation that ParseSurgery refuses, or that comes after the last epoch.
func (s Spec) CheckSurgery(items []string, epochs int) error {
	for _, item := range items {
		o, err := s.ParseSurgery(item)
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
