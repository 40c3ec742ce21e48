package sets

import (
	"fmt"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/own"
)

// Register adds a data set at the end of Kinds. The program then has it wherever it has its own: as data.name, with the
// set's options as flags, configuration keys and axes of sweeps, and in the commands about data. Such a set is made,
// not read: Make returns its images, the same on every machine.
//
// Call it in an init function or in main, before anything else of this module: it must not run while Kinds is read. It
// panics, with an error that says what is wrong, if the name is taken or is none, if Make is nil, or if Options cannot
// be options.
func Register(k Kind) {
	lacks := ""
	switch {
	case k.Make == nil:
		lacks = "Make is nil: want the function that makes its images"
	case len(k.Classes) == 0:
		lacks = "Classes is empty: want the names of its classes, by label"
	case k.ValSize < 1 || k.ValSize >= k.Train:
		lacks = fmt.Sprintf("ValSize %d: want 1 to less than its %d training images", k.ValSize, k.Train)
	}
	registry.Add(k, settings.All().Keys(), lacks)
}

var registry = own.Registry[Kind]{List: &Kinds, What: "data set", Key: "name", Setting: "data.name",
	By: "sets.Register", Options: func(k Kind) any { return k.Options }}

// settings are those of data.Options, and the options that registered sets bring.
var settings = own.SettingsOf[data.Options]("data", registry)

// OptionsOf returns the own options of the chosen set: a pointer to a struct of the type of Kind.Options; nil for a set
// without.
func OptionsOf(o data.Options) any { return registry.Read(o.Name, o.Own) }

// Validate returns an *option.Error for the first option that cannot be used. It does not know the data folder, so it
// takes any name that a set there may have: see Known.
func Validate(o data.Options) error {
	if checkName(o.Name) != nil && !looksLikeFolder(o.Name) {
		return unknownError(o.Name)
	}
	if err := o.Validate(); err != nil {
		return err
	}
	return settings.Validate(o)
}
