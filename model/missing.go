package model

import (
	"go.yaml.in/yaml/v3"

	"github.com/attnconv/attnconv/internal/choice"
	"github.com/attnconv/attnconv/internal/invalid"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/posenc"
)

// Missing returns the first kind that n, the YAML of a Spec, names and this program does not have: nil, or an
// *option.Missing. Such a kind has options of its own, which are keys that are not known here.
func Missing(n *yaml.Node) error {
	if n == nil {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i].Value, n.Content[i+1]
		var err error
		switch key {
		case "kind":
			err = missing(Kinds, "model.kind", "model.Register", value)
		case "encoding":
			err = missing(posenc.Kinds, "model.encoding", "posenc.Register", value)
		case "layers":
			err = missingBlock(value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// missingBlock does so for the list of blocks.
func missingBlock(list *yaml.Node) error {
	for _, entry := range list.Content {
		for i := 0; i+1 < len(entry.Content); i += 2 {
			var err error
			switch value := entry.Content[i+1]; entry.Content[i].Value {
			case "kind":
				err = missing(Blocks, "the block", "model.RegisterBlock", value)
			case "encoding":
				err = missing(posenc.Kinds, "model.encoding", "posenc.Register", value)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func missing[T choice.Choice](kinds choice.List[T], key, by string, name *yaml.Node) error {
	if name.Kind != yaml.ScalarNode || kinds.Has(name.Value) {
		return nil
	}
	return &option.Missing{Key: key, Name: name.Value, By: by, Near: invalid.Nearest(name.Value, kinds.Names())}
}
