package kernel

import (
	"os"
	"strings"
	"testing"
)

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
