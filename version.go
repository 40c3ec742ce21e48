package attnconv

import (
	"cmp"
	"runtime/debug"
)

const (
	module = "github.com/attnconv/attnconv"
	devel  = "(devel)" // as the go command calls a build without a version
)

// release is "v" and Version in a program that .ci/release has built, which sets it with -ldflags -X.
var release string

// Built returns the version of this module in the running program, with a v in front: that of a release or, as the go
// command writes it, of a commit between releases. It is (devel) if nothing is known.
func Built() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return devel
	}
	return versionIn(info)
}

// versionIn returns the version of this module in a program: its own, or one of those that the program depends on.
func versionIn(info *debug.BuildInfo) string {
	if info.Main.Path == module {
		return cmp.Or(info.Main.Version, devel)
	}
	for _, m := range info.Deps {
		if m.Path != module {
			continue
		}
		if m.Replace != nil {
			m = m.Replace
		}
		return cmp.Or(m.Version, devel)
	}
	return devel
}
