package kernel

import (
	"os"
	"strings"
	"testing"
)

// restore makes the set that is in use now the one in use after the test.
func restore(t *testing.T) {
	before := Name()
	t.Cleanup(func() { Choose(before) })
}

func TestChoose(t *testing.T) {
	restore(t)
	for _, s := range sets {
		if !s.runs() {
			continue
		}
		if err := Choose(s.name); err != nil || Name() != s.name {
			t.Errorf("Choose(%q) = %v, Name() = %q", s.name, err, Name())
		}
	}
	if err := Choose("abacus"); err == nil || !strings.Contains(err.Error(), generic) {
		t.Errorf(`Choose("abacus") = %v, want an error that lists the sets`, err)
	}
	if err := Choose(""); err != nil {
		t.Errorf(`Choose("") = %v, want the fastest set`, err)
	}
}

// A set whose results have other bits is in use only where it is named, however fast it is.
func TestChooseTakesNoOtherBitsUnnamed(t *testing.T) {
	restore(t)
	before := sets
	t.Cleanup(func() { sets = before })
	always := func() bool { return true }
	sets = []set{{name: "other", runs: always, named: true}, {name: generic, runs: always}}
	for name, want := range map[string]string{"": generic, "other": "other"} {
		if err := Choose(name); err != nil || Name() != want {
			t.Errorf("Choose(%q) = %v, Name() = %q, want %q", name, err, Name(), want)
		}
	}
}

// TestVariable fails where the environment asks for a set that the other tests would then quietly not use.
func TestVariable(t *testing.T) {
	if _, err := find(os.Getenv(Variable)); err != nil {
		t.Error(err)
	}
}

// A set with a single routine has the other ones of the set below it, and the choice moves all of them.
func TestFollowInheritsWhatASetLacks(t *testing.T) {
	restore(t)
	before, count := sets, len(followers)
	t.Cleanup(func() { sets, followers = before, followers[:count] })
	always := func() bool { return true }
	sets = []set{{name: "fast", runs: always}, {name: "middle", runs: always}, {name: generic, runs: always}}
	type routines struct {
		One, Two, Three func() string
		Width           int
	}
	says := func(s string) func() string { return func() string { return s } }
	var best routines
	Follow(&best, map[string]routines{
		"fast":   {One: says("fast")},
		generic:  {One: says("plain"), Two: says("plain"), Three: says("plain"), Width: 4},
		"middle": {Three: says("middle"), Width: 8},
	})
	for _, tt := range []struct {
		choose, want string
		width        int
	}{{"fast", "fast plain middle", 8}, {"middle", "plain plain middle", 8}, {generic, "plain plain plain", 4}} {
		if err := Choose(tt.choose); err != nil {
			t.Fatal(err)
		}
		if got := best.One() + " " + best.Two() + " " + best.Three(); got != tt.want || best.Width != tt.width {
			t.Errorf("%s: %s of width %d, want %s of %d", tt.choose, got, best.Width, tt.want, tt.width)
		}
	}
}
