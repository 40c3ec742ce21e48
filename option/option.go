// Package option is how the options of a kind of one's own say that they are wrong: a kind of encoding, network, block,
// data set, solver, schedule or loss that a program registers (posenc.Register and its like).
//
// Such a kind has a pointer to a struct of options with their defaults. The program then has a flag, a configuration key,
// an environment variable and an axis of sweeps for each field:
//
//	// Options of the kind "window": --window-side, model.window_side, ATTNCONV_MODEL_WINDOW_SIDE.
//	type Options struct {
//		Side int    `yaml:"side" help:"tokens along a side of the window"`
//		Edge string `yaml:"edge" choice:"hard,soft" help:"of the window"`
//	}
//
//	// Validate is called before anything is built.
//	func (o *Options) Validate() error { return option.Between("side", o.Side, 1, 99) }
//
// A field is a string, bool, int, uint64 or float64, or a slice or an array of one of these. A value that is none of the
// words in its choice tag is refused, with the nearest of them.
//
// Stable: all of it.
package option

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/invalid"
)

// An Error is one option that cannot be used. Validate methods of this module return it, and name the option by its key in
// YAML (model.heads); the command line says in its place where the user set it: a flag, a variable or a line of a file.
type Error = invalid.Error

// Errorf returns an *Error for the option with that yaml tag. The message says what came and what is wanted, as in
// "7: want an odd number".
func Errorf(key, format string, args ...any) error { return invalid.Errorf(key, format, args...) }

// Choice returns an *Error that says what the option may be, and which of it is nearest to what it is.
func Choice(key, got string, known []string) error { return invalid.Choice(key, got, known) }

// Between returns an *Error for an option that is not lo to hi, else nil.
func Between(key string, n, lo, hi int) error { return invalid.Between(key, n, lo, hi) }

// Rate returns an *Error for an option that is not from 0 to less than 1, else nil.
func Rate(key string, p float64) error { return invalid.Rate(key, p) }

// A Missing says that a run or a checkpoint needs a kind that another program has registered, and this one has not.
type Missing struct {
	Key  string // of the setting that chooses it: model.encoding
	Name string // of the kind
	By   string // the function that registers one: posenc.Register
	Near string // a kind that this program has, of almost the same name; or ""
}

func (e *Missing) Error() string {
	text := fmt.Sprintf("it needs %s %q, a registered kind that this program does not have\n"+
		"  use the program that made it, or one that calls %s", e.Key, e.Name, e.By)
	if e.Near != "" {
		text += fmt.Sprintf("; or did you mean %q?", e.Near)
	}
	return text
}
