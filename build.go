package attnconv

import (
	"fmt"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/attnconv/attnconv/internal/kernel"
)

// Build describes the program.
type Build struct {
	V       int               `json:"v"`       // 1
	Version string            `json:"version"` // of the program
	Commit  *string           `json:"commit"`  // null: unknown
	Dirty   *bool             `json:"dirty"`   // built from uncommitted files; null: unknown
	Go      string            `json:"go"`      // version of Go that built it
	OS      string            `json:"os"`      // operating system
	Arch    string            `json:"arch"`    // architecture of the processor
	Kernels string            `json:"kernels"` // set of kernels that computes
	Modules map[string]string `json:"modules"` // versions of the libraries that compute and draw
}

// modules lists those that determine what the program computes and draws.
var modules = []string{"gorgonia.org/gorgonia", "gorgonia.org/tensor", "gonum.org/v1/plot"}

// ReadBuild describes the running program, as the Go toolchain has written into it.
func ReadBuild() Build {
	v := Build{V: 1, Version: Built(), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		Kernels: kernel.Name(), Modules: map[string]string{}}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = &s.Value
		case "vcs.modified":
			dirty := s.Value == "true"
			v.Dirty = &dirty
		}
	}
	for _, m := range info.Deps {
		for _, path := range modules {
			if m.Path == path {
				v.Modules[path] = m.Version
			}
		}
	}
	return v
}

// pseudo matches the end of a pseudo-version, of a build between releases: time and commit.
var pseudo = regexp.MustCompile(`\d{14}-([0-9a-f]{7})[0-9a-f]{5}(\+dirty)?$`)

// Short returns v1.2.0 or, for a build between releases, the commit: 8763926+dirty.
func (v Build) Short() string {
	if m := pseudo.FindStringSubmatch(v.Version); m != nil {
		return m[1] + m[2]
	}
	if v.Version != "(devel)" || v.Commit == nil {
		return strings.Trim(v.Version, "()")
	}
	short := fmt.Sprintf("%.7s", *v.Commit)
	if v.Dirty != nil && *v.Dirty {
		short += "+dirty"
	}
	return short
}

// String returns the lines that the command version prints.
func (v Build) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "attnconv %s", v.Version)
	if v.Commit != nil {
		fmt.Fprintf(&s, " (%.12s", *v.Commit)
		if v.Dirty != nil && *v.Dirty {
			s.WriteString(", with changes")
		}
		s.WriteString(")")
	}
	fmt.Fprintf(&s, "\n%s %s/%s, kernels %s\n", v.Go, v.OS, v.Arch, v.Kernels)
	for _, line := range v.Libraries() {
		s.WriteString(line + "\n")
	}
	return s.String()
}

// Libraries lists Modules with their versions: gonum.org/v1/plot v0.16.0.
func (v Build) Libraries() (all []string) {
	for _, path := range modules {
		if version := v.Modules[path]; version != "" {
			all = append(all, path+" "+version)
		}
	}
	return all
}
