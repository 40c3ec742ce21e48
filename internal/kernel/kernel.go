// Package kernel chooses the kernel set: which implementation of the arithmetic this process uses.
//
// Every kernel has a plain Go function that defines it, in the set "generic". Another set has faster routines for some
// processors, and inherits those that it lacks from the next set of the list, at last from generic. So a processor is
// added one routine at a time. Packages gemm, vec, convolution and depthwise keep their routines in a struct of
// functions for each set and Follow the choice; tests hold every set against generic.
package kernel

import (
	"fmt"
	"os"
	"reflect"
	"strings"
)

// Variable is the environment variable that forces a kernel set by its name.
const Variable = "ATTNCONV_KERNELS"

// generic is the name of the set that defines the others.
const generic = "generic"

// A set is a choice: all routines of that name.
type set struct {
	name  string
	runs  func() bool // on this machine
	named bool        // in use only where it is named: its results have other bits
}

// chosen is the place in sets of the one in use. It is chosen once, before any work starts: a variable that names no
// usable set leaves the fastest one here, and the Choose in main reports it.
var chosen = func() int {
	i, err := find(os.Getenv(Variable))
	if err != nil {
		i, _ = find("")
	}
	return i
}()

// followers are called after every Choose.
var followers []func()

// Choose makes the named set the one in use; "" is the fastest that this CPU can run. It must not be called while
// kernels run. Commands call it with the value of Variable, so that a wrong name is reported.
func Choose(name string) error {
	i, err := find(name)
	if err != nil {
		return err
	}
	chosen = i
	for _, f := range followers {
		f()
	}
	return nil
}

// Name returns the name of the set in use.
func Name() string { return sets[chosen].name }

// Names lists the sets of this build, fastest first, whether or not this CPU can run them. The first may be one that is
// in use only where it is named.
func Names() []string {
	names := make([]string, len(sets))
	for i, s := range sets {
		names[i] = s.name
	}
	return names
}

// Follow makes best the routines of the set in use, now and after every Choose. routines holds them by the name of
// their set; T is a struct, and every field of routines["generic"] is set.
func Follow[T any](best *T, routines map[string]T) {
	use := func() {
		*best = *new(T)
		for _, s := range sets[chosen:] {
			Inherit(best, routines[s.name])
		}
	}
	followers = append(followers, use)
	use()
}

// Inherit fills the fields of t that are zero with those of from. T is a struct whose fields are exported.
func Inherit[T any](t *T, from T) {
	to, f := reflect.ValueOf(t).Elem(), reflect.ValueOf(from)
	for i := range to.NumField() {
		if to.Field(i).IsZero() {
			to.Field(i).Set(f.Field(i))
		}
	}
}

func find(name string) (int, error) {
	for i, s := range sets {
		switch {
		case name == "" && !s.named && s.runs():
			return i, nil
		case name == s.name && !s.runs():
			return 0, fmt.Errorf("this machine cannot run the kernel set %q (%s); known: %s",
				name, Variable, strings.Join(Names(), ", "))
		case name == s.name:
			return i, nil
		}
	}
	return 0, fmt.Errorf("no kernel set %q (%s); known: %s", name, Variable, strings.Join(Names(), ", "))
}
