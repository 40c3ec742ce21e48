package attnconv

import (
	"runtime/debug"
	"testing"
)

// A program of somebody else's shows the version of this module, not its own.
func TestVersionIn(t *testing.T) {
	other := debug.Module{Path: "example.org/mine", Version: "v9.9.9"}
	for want, info := range map[string]debug.BuildInfo{
		"v1.2.3": {Main: debug.Module{Path: module, Version: "v1.2.3"}},
		"v1.2.4": {Main: other, Deps: []*debug.Module{&other, {Path: module, Version: "v1.2.4"}}},
		"v1.2.5": {Main: other, Deps: []*debug.Module{{Path: module, Version: "v1.2.4", Replace: &debug.Module{Path: "fork", Version: "v1.2.5"}}}},
		devel:    {Main: other, Deps: []*debug.Module{{Path: module, Version: "v0.0.0", Replace: &debug.Module{Path: "../"}}}},
	} {
		if got := versionIn(&info); got != want {
			t.Errorf("version %s, want %s", got, want)
		}
	}
}
