package model

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/internal/own"
	"github.com/attnconv/attnconv/posenc"
)

// Register adds a kind of network at the end of Kinds. The program then has it wherever it has its own: as model.kind, with
// the kind's options as flags, configuration keys and axes of sweeps, in checkpoints, comparisons and figures. New finds the
// values of Options in Spec.OptionsOf. Where Check, Words or Infer is nil there are no rules, no words, and weights
// without a configuration are not recognised.
//
// Call it in an init function or in main, before anything else of this module: it must not run while Kinds is read. It
// panics, with an error that says what is wrong, if the name is taken or is none, if New is nil, if Block is not in Blocks,
// or if Options cannot be options.
func Register(k Kind) {
	if err := k.checkNew(); err != nil {
		panic(fmt.Errorf("model.Register: %w", err))
	}
	k.registered = true
	Kinds = append(Kinds, k)
}

func (k Kind) checkNew() error {
	if err := k.group().Check(slices.Concat(Kinds.Names(), posenc.Kinds.Names()), Keys()); err != nil {
		return err
	}
	switch {
	case k.New == nil:
		return fmt.Errorf("%s %s: New is nil: want the function that makes it", networkKind, k.Name)
	case k.Block != "" && !Blocks.Has(k.Block):
		return fmt.Errorf("%s %s: Block: %w", networkKind, k.Name, Blocks.Check("it", k.Block))
	case k.Infer != nil && k.Weight == "":
		return fmt.Errorf("%s %s: Weight is empty: want a parameter by which Infer's weights are known", networkKind, k.Name)
	}
	return nil
}

// RegisterBlock adds a kind of block at the end of Blocks: a kind in model.layers, whose options are keys there and
// below model. New finds the values of Options in BlockSpec.OptionsOf. Where Check, Words, Heads or Infer is nil there are no rules, the
// name for words, and weights without a configuration are not recognised. Otherwise it is as Register.
func RegisterBlock(k BlockKind) {
	if err := k.checkNew(); err != nil {
		panic(fmt.Errorf("model.RegisterBlock: %w", err))
	}
	Blocks = append(Blocks, k)
}

func (k BlockKind) checkNew() error {
	if err := k.group().Check(Blocks.Names(), Keys()); err != nil {
		return err
	}
	switch {
	case k.New == nil:
		return fmt.Errorf("%s %s: New is nil: want the function that makes it", blockKind, k.Name)
	case (k.Infer != nil || k.Heads != nil) && k.Weight == "":
		return fmt.Errorf("%s %s: Weight is empty: want a parameter by which its weights are known", blockKind, k.Name)
	}
	return nil
}

// The settings that choose kinds with options of their own.
const (
	encoding    = "encoding"
	networkKind = "kind of network"
	blockKind   = "kind of block"
)

func (k Kind) group() own.Group {
	return own.Group{What: networkKind, Name: k.Name, Options: k.Options}
}

func (k BlockKind) group() own.Group {
	return own.Group{What: blockKind, Name: k.Name, Options: k.Options}
}

func (s Spec) encodingGroup() own.Group {
	k := s.encodingKind()
	return own.Group{What: encoding, Name: k.Name, Options: k.Options}
}

// groups lists the options of kinds that have some of their own. It is a variable because the tables refer to functions
// that ask it.
var groups func() []own.Group

func init() { groups = allGroups }

func allGroups() (all []own.Group) {
	for _, k := range posenc.Kinds {
		if k.Options != nil {
			all = append(all, Spec{Encoding: k.Name}.encodingGroup())
		}
	}
	for _, k := range Blocks {
		if k.Options != nil {
			all = append(all, k.group())
		}
	}
	for _, k := range Kinds {
		if k.Options != nil {
			all = append(all, k.group())
		}
	}
	return all
}

// ownIndex is the position of Spec.Own.
var ownIndex = func() int {
	f, _ := reflect.TypeFor[Spec]().FieldByName("Own")
	return f.Index[0]
}()

// OwnOptions lists the options that registered kinds of encodings, blocks and networks bring, with keys of a Spec.
func OwnOptions() (all []own.Option) {
	for _, g := range groups() {
		all = append(all, g.List()...)
	}
	return all
}

func keysOf(g own.Group) (keys []string) {
	for _, o := range g.List() {
		keys = append(keys, o.Key)
	}
	return keys
}

// groupOf returns the group that brings a key.
func groupOf(key string) (own.Group, bool) {
	for _, g := range groups() {
		if slices.Contains(keysOf(g), key) {
			return g, true
		}
	}
	return own.Group{}, false
}

// chooses reports whether the network is of the group's kind, or has a block or an encoding that is.
func (s Spec) chooses(g own.Group) bool {
	if g.What == networkKind {
		return s.Kind == g.Name
	}
	kind := Kinds.Find(s.Kind)
	return kind != nil && kind.Block != "" && slices.ContainsFunc(s.Layers, func(e Block) bool { // not Blocks: s may be no valid one
		block, name := Blocks.Find(cmp.Or(e.Kind, kind.Block)), s.Encoding
		if block == nil || g.What == blockKind {
			return block != nil && block.Name == g.Name
		}
		if own, said := e.Own[encoding].(string); said {
			name = own
		}
		return name == g.Name && slices.Contains(strings.Fields(block.Reads), encoding)
	})
}

func (b BlockSpec) chooses(g own.Group) bool {
	switch g.What {
	case blockKind:
		return b.Kind.Name == g.Name
	case encoding:
		return b.Attends() && b.Encoding == g.Name
	}
	return b.Spec.Kind == g.Name
}

// OptionsOf returns the options of the registered kind of network: a pointer to a struct of the type of Kind.Options; nil for a
// kind without.
func (s Spec) OptionsOf() any { return Kinds.Find(s.Kind).group().Read(s.Own) }

// OptionsOf returns the options of the block's registered kind: a pointer to a struct of the type of BlockKind.Options; nil for
// a kind without.
func (b BlockSpec) OptionsOf() any { return b.Kind.group().Read(b.Own) }

// checkOwn returns the first of the options in s.Own that no kind brings, or that has the wrong type, where messages call it
// key(option).
func (s Spec) checkOwn(key func(string) string) error {
	return specFields()[len(ownFields):].Check(s.Own, key)
}

// checkGroups returns the first rule that options of chosen kinds break.
func (s Spec) checkGroups(blocks []BlockSpec) error {
	for _, g := range groups() {
		if g.What == networkKind && s.Kind == g.Name {
			if err := g.Validate(s.Own, func(key string) string { return "model." + key }, "model.kind"); err != nil {
				return err
			}
		}
		for _, b := range blocks {
			if g.What == networkKind || !b.chooses(g) {
				continue
			}
			chosen := b.key("encoding")
			if g.What == blockKind {
				chosen = b.Layers.Key(b.entry, "kind")
			}
			if err := g.Validate(b.Own, b.key, chosen); err != nil {
				return err
			}
		}
	}
	return nil
}

// words says what the network is, behind its name.
func (k *Kind) words(s Spec, blocks []BlockSpec) string {
	if k.Words == nil {
		return ""
	}
	return k.Words(s, blocks)
}

// words says what mixes the tokens of the block.
func (b BlockSpec) words() string {
	if b.Kind.Words == nil {
		return b.Kind.Name
	}
	return b.Kind.Words(b)
}

// check returns the first rule of the kind that is broken.
func (k *Kind) check(s Spec, blocks []BlockSpec) error {
	if err := s.checkGroups(blocks); err != nil || k.Check == nil {
		return err
	}
	return k.Check(s, blocks)
}
