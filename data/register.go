package data

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/attnconv/attnconv/internal/own"
	"github.com/attnconv/attnconv/internal/strict"
)

// Register adds a data set at the end of Kinds. The program then has it wherever it has its own: as data.name, with the set's
// options as flags, configuration keys and axes of sweeps, and in the commands about data. Such a set is made, not read: Make
// returns its images, the same on every machine.
//
// Call it in an init function or in main, before anything else of this module: it must not run while Kinds is read. It
// panics, with an error that says what is wrong, if the name is taken or is none, if Make is nil, or if Options cannot be
// options.
func Register(k Kind) {
	if err := k.check(); err != nil {
		panic(fmt.Errorf("data.Register: %w", err))
	}
	Kinds = append(Kinds, k)
}

func (k Kind) check() error {
	if err := k.group().Check(Kinds.Names(), fieldsOf().Keys()); err != nil {
		return err
	}
	switch {
	case k.Make == nil:
		return fmt.Errorf("data set %s: Make is nil: want the function that makes its images", k.Name)
	case len(k.Classes) == 0:
		return fmt.Errorf("data set %s: Classes is empty: want the names of its classes, by label", k.Name)
	case k.ValSize < 1 || k.ValSize >= k.Train:
		return fmt.Errorf("data set %s: ValSize %d: want 1 to less than its %d training images", k.Name, k.ValSize, k.Train)
	}
	return nil
}

func (k Kind) group() own.Group { return own.Group{What: "data set", Name: k.Name, Options: k.Options} }

// groups lists the options of sets that have some of their own.
func groups() (all []own.Group) {
	for _, k := range Kinds {
		if k.Options != nil {
			all = append(all, k.group())
		}
	}
	return all
}

var ownOptions = strict.FieldsOf(reflect.TypeFor[Options]()) // those of Options, without what registered sets bring

// ownIndex is the position of Options.Own.
var ownIndex = func() int {
	f, _ := reflect.TypeFor[Options]().FieldByName("Own")
	return f.Index[0]
}()

func fieldsOf() strict.Fields {
	all := slices.Clone(ownOptions)
	for _, g := range groups() {
		all = append(all, g.Fields(ownIndex)...)
	}
	return all
}

// OwnOptions lists the options that registered sets bring, with keys of Options.
func OwnOptions() (all []own.Option) {
	for _, g := range groups() {
		all = append(all, g.List()...)
	}
	return all
}

// Uses reports whether a setting, called as in YAML, has a part in the data of o: of the options that registered sets bring,
// only those of the chosen one have.
func (o Options) Uses(setting string) bool {
	for _, option := range OwnOptions() {
		if option.Key == setting {
			return option.Group.Name == o.Name
		}
	}
	return true
}

// OptionsOf returns the own options of the chosen set: a pointer to a struct of the type of Kind.Options; nil for a set
// without.
func (o Options) OptionsOf() any {
	if k := Kinds.Find(o.Name); k != nil {
		return k.group().Read(o.Own)
	}
	return nil
}

// checkOwn returns the first rule that an option of a registered set breaks.
func (o Options) checkOwn() error {
	key := func(key string) string { return "data." + key }
	if err := fieldsOf()[len(ownOptions):].Check(o.Own, key); err != nil {
		return err
	}
	for _, g := range groups() {
		if o.Name != g.Name {
			continue
		}
		if err := g.Validate(o.Own, key, "data.name"); err != nil {
			return err
		}
	}
	return nil
}

// With returns s or, where its kind has options of its own, the set that is made with those of o. dir is the data folder.
func (s *Set) With(o Options, dir string) (*Set, error) {
	o.Name = s.Name
	if o.OptionsOf() == nil {
		return s, nil
	}
	return Open(o, dir)
}
