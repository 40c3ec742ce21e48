// Package kernel does the arithmetic of the operations on flat float32 slices, as fast as this machine can.
//
// Every kernel has a plain Go twin (…Generic) that defines it. A Set is one implementation of all of them; the first
// set whose OK holds is used, and tests hold every other set against the generic one. Set ATTNCONV_KERNELS to a set's
// name to force it.
package kernel

import (
	"fmt"
	"os"
	"strings"
)

// Variable is the environment variable that forces a kernel set by its name.
const Variable = "ATTNCONV_KERNELS"

// A Set is one implementation of every kernel: the panels of the matrix product and the rows of everything else.
type Set struct {
	Name string
	OK   func() bool // reports whether this CPU can run it
	gemmSet
	vecSet
	winoSet
	inPlaceSet
}

var generic = Set{Name: "generic", OK: func() bool { return true }, gemmSet: gemmGeneric, vecSet: vecGeneric,
	winoSet: winoGeneric, inPlaceSet: inPlaceGeneric}

// best is the set in use. It is chosen once, before any work starts: a variable that names no usable set leaves the
// fastest one here, and the Choose in main reports it.
var best = func() Set {
	s, err := find(os.Getenv(Variable))
	if err != nil {
		s, _ = find("")
	}
	return s
}()

// Choose makes the named set the one in use; "" is the fastest that this CPU can run. It must not be called while
// kernels run. Commands call it with the value of Variable, so that a wrong name is reported.
func Choose(name string) error {
	s, err := find(name)
	if err != nil {
		return err
	}
	best = s
	return nil
}

// Name returns the name of the set in use.
func Name() string { return best.Name }

// Names lists the sets of this build, fastest first, whether or not this CPU can run them.
func Names() []string {
	names := make([]string, len(sets))
	for i, s := range sets {
		names[i] = s.Name
	}
	return names
}

func find(name string) (Set, error) {
	for _, s := range sets {
		switch {
		case name == "" && s.OK():
			return s, nil
		case name == s.Name && !s.OK():
			return Set{}, fmt.Errorf("kernel: this CPU cannot run the set %q (%s); known: %s",
				name, Variable, strings.Join(Names(), ", "))
		case name == s.Name:
			return s, nil
		}
	}
	return Set{}, fmt.Errorf("kernel: no set %q (%s); known: %s", name, Variable, strings.Join(Names(), ", "))
}
