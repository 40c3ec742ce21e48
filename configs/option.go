package configs

import "github.com/attnconv/attnconv/internal/option"

// An OptionError is one option that cannot be used. Every Validate method of this module returns it, with the option's
// key in YAML (model.heads). The command line names instead where the user set it: a flag, a variable or a line of a
// file.
type OptionError = option.Error

// OptionErrorf returns an *OptionError for the option with that yaml tag, for the Validate method of a kind that a
// program registers. The message says what came and what is wanted, as in "7: want an odd number".
func OptionErrorf(key, format string, args ...any) error { return option.Errorf(key, format, args...) }

// A MissingKindError reports that a run or a checkpoint needs a kind that another program has registered and this one
// has not.
type MissingKindError = option.MissingError
