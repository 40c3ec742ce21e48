package configs

import (
	"fmt"
	"slices"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/posenc"
)

// CheckKinds returns the first clash between kinds that were registered in different packages, each of which is right
// on its own: an encoding with the name of a network or a preset, by which runs are called, or two options with one
// key.
func CheckKinds() error {
	names := append(PresetChoices(), model.Kinds.Names()...)
	for _, k := range posenc.Kinds {
		if k.Registered() && slices.Contains(names, k.Name) {
			return fmt.Errorf("encoding %s: a network or a preset has this name: register it under another", k.Name)
		}
	}
	for _, k := range model.Kinds {
		if k.Registered() && slices.Contains(PresetChoices(), k.Name) {
			return fmt.Errorf("kind of network %s: a preset has this name: register it under another", k.Name)
		}
	}
	by := map[string]string{} // what has a variable: two keys may differ only in a dot, as model.x and model_x
	for _, name := range reserved {
		by[name] = "the program"
	}
	for _, f := range current().fields {
		kind := "the program"
		if f.option != nil {
			kind = f.option.Group.What + " " + f.option.Group.Name
		}
		if first, taken := by[Variable(f.key)]; taken {
			return fmt.Errorf("the key %s of %s is taken by %s: give the kind or its option another name", f.key, kind,
				first)
		}
		by[Variable(f.key)] = kind
	}
	return nil
}
