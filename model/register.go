package model

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/attnconv/attnconv/internal/own"
	"github.com/attnconv/attnconv/internal/strict"
	"github.com/attnconv/attnconv/posenc"
)

// Register adds a kind of network at the end of Kinds. The program then has it wherever it has its own: as model.kind,
// with the kind's options as flags, configuration keys and axes of sweeps, in checkpoints, comparisons and figures. New
// finds the values of Options in Spec.OptionsOf. Where Check, Words or Infer is nil there are no rules, no words, and
// weights without a configuration are not recognized.
//
// Call it in an init function or in main, before anything else of this module: it must not run while Kinds is read. It
// panics, with an error that says what is wrong, if the name is taken or is none, if New is nil, if Block is not in
// Blocks, or if Options cannot be options.
func Register(k Kind) {
	lacks := ""
	switch {
	case k.New == nil:
		lacks = noNew
	case k.Block != "" && !Blocks.Has(k.Block):
		lacks = fmt.Sprintf("Block: %s", Blocks.Check("it", k.Block))
	case k.Infer != nil && k.Weight == "":
		lacks = "Weight is empty: want a parameter by which Infer's weights are known"
	}
	if k.Check == nil {
		k.Check = func(Spec, []BlockSpec) error { return nil }
	}
	if k.Words == nil {
		k.Words = func(Spec, []BlockSpec) string { return "" }
	}
	k.registered = true
	networks.Add(k, Keys(), lacks, posenc.Kinds.Names()...)
}

const noNew = "New is nil: want the function that makes it"

// RegisterBlock adds a kind of block at the end of Blocks: a kind in model.layers, whose options are keys there and
// below model. New finds the values of Options in BlockSpec.OptionsOf. Where Check, Words, Heads or Infer is nil there
// are no rules, the name for words, and weights without a configuration are not recognized. Otherwise it is as
// Register.
func RegisterBlock(k BlockKind) {
	lacks := ""
	switch {
	case k.New == nil:
		lacks = noNew
	case (k.Infer != nil || k.Heads != nil) && k.Weight == "":
		lacks = "Weight is empty: want a parameter by which its weights are known"
	}
	if k.Check == nil {
		k.Check = func(BlockSpec) error { return nil }
	}
	if name := k.Name; k.Words == nil {
		k.Words = func(BlockSpec) string { return name }
	}
	blocks.Add(k, Keys(), lacks)
}

var (
	blocks = own.Registry[BlockKind]{List: &Blocks, What: blockKind, Key: "kind", Setting: "the block",
		By: "model.RegisterBlock", Options: func(k BlockKind) any { return k.Options }}
	networks = own.Registry[Kind]{List: &Kinds, What: networkKind, Key: "kind", Setting: "model.kind",
		By: "model.Register", Options: func(k Kind) any { return k.Options }}
)

func init() { settings = own.SettingsOf[Spec]("model", posenc.Registry, blocks, networks) }

// OptionsOf returns the options of the registered kind of network: a pointer to a struct of the type of Kind.Options;
// nil for a kind without.
func (s Spec) OptionsOf() any { return networks.Read(s.Kind, s.Own) }

// OptionsOf returns the options of the block's registered kind: a pointer to a struct of the type of BlockKind.Options;
// nil for a kind without.
func (b BlockSpec) OptionsOf() any { return blocks.Group(*b.Kind).Read(b.Own) }

// Missing returns an *option.MissingError for the first kind that n, the YAML of a Spec, names and this program does
// not have, or nil. Such a kind has options of its own, which are keys that are not known here.
func Missing(n *yaml.Node) error {
	if err := own.Missing(strict.Words(n), networks, posenc.Registry); err != nil {
		return err
	}
	var spec struct{ Layers []yaml.Node }
	if n == nil || n.Decode(&spec) != nil {
		return nil // layers is a number
	}
	for _, entry := range spec.Layers {
		if err := own.Missing(strict.Words(&entry), blocks, posenc.Registry); err != nil {
			return err
		}
	}
	return nil
}

// checkGroups returns the first rule that options of chosen kinds break.
func (s Spec) checkGroups(blocks []BlockSpec) error {
	for _, g := range settings.Groups() {
		if g.What == networkKind && s.Kind == g.Name {
			if err := g.Validate(s.Own, func(key string) string { return "model." + key }, g.Setting); err != nil {
				return err
			}
		}
		for _, b := range blocks {
			var err error
			switch {
			case g.What == blockKind && b.Kind.Name == g.Name:
				err = g.Validate(b.Own, b.key, b.Layers.Key(b.entry, "kind"))
			case g.What == encoding && b.Attends() && b.Encoding == g.Name:
				err = g.Validate(b.Own, b.key, b.key("encoding"))
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
