package kernel

import (
	"os"
	"strings"
	"testing"
)

// eachSet runs f with every set that this CPU can run as the one in use, and puts the set back.
func eachSet(t *testing.T, f func(t *testing.T, s Set)) {
	before := best
	defer func() { best = before }()
	for _, s := range sets {
		if !s.OK() {
			t.Logf("%s: not on this CPU", s.Name)
			continue
		}
		best = s
		t.Run(s.Name, func(t *testing.T) { f(t, s) })
	}
}

func TestChoose(t *testing.T) {
	before := best
	defer func() { best = before }()
	for _, s := range sets {
		if !s.OK() {
			continue
		}
		if err := Choose(s.Name); err != nil || Name() != s.Name {
			t.Errorf("Choose(%q) = %v, Name() = %q", s.Name, err, Name())
		}
	}
	if err := Choose("abacus"); err == nil || !strings.Contains(err.Error(), "generic") {
		t.Errorf(`Choose("abacus") = %v, want an error that lists the sets`, err)
	}
	if err := Choose(""); err != nil {
		t.Errorf(`Choose("") = %v, want the fastest set`, err)
	}
}

// TestVariable fails where the environment asks for a set that the other tests would then quietly not use.
func TestVariable(t *testing.T) {
	if _, err := find(os.Getenv(Variable)); err != nil {
		t.Error(err)
	}
}
