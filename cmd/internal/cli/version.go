package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv"
	"github.com/attnconv/attnconv/internal/kernel"
)

// Build describes this binary.
type Build struct {
	V       int               `json:"v"`
	Version string            `json:"version"`
	Commit  *string           `json:"commit"` // null: unknown
	Dirty   *bool             `json:"dirty"`  // built from uncommitted files; null: unknown
	Go      string            `json:"go"`
	OS      string            `json:"os"`
	Arch    string            `json:"arch"`
	Kernels string            `json:"kernels"`
	Modules map[string]string `json:"modules"`
}

// ShownModules lists the modules that determine what the program computes and draws.
var ShownModules = []string{"gorgonia.org/gorgonia", "gorgonia.org/tensor", "gonum.org/v1/plot"}

// NewVersion returns the command version.
func NewVersion(c *Console) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Show the versions of the program and its libraries",
		Example: "attnconv version\nattnconv version --json",
		Args:    Arguments(0),
		RunE:    func(*cobra.Command, []string) error { return c.Version() },
	}
}

// Version prints the versions of the program and its libraries.
func (c *Console) Version() error {
	return c.Show(ReadBuild(), func(c *Console) error {
		_, err := fmt.Fprint(c.Out, ReadBuild())
		return err
	})
}

// ReadBuild returns what the Go toolchain wrote into this binary.
func ReadBuild() Build {
	b := Build{V: 1, Version: attnconv.Built(), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		Kernels: kernel.Name(), Modules: map[string]string{}}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = &s.Value
		case "vcs.modified":
			dirty := s.Value == "true"
			b.Dirty = &dirty
		}
	}
	for _, m := range info.Deps {
		for _, path := range ShownModules {
			if m.Path == path {
				b.Modules[path] = m.Version
			}
		}
	}
	return b
}

// pseudo matches the end of a pseudo-version, of a build between releases: time and commit.
var pseudo = regexp.MustCompile(`\d{14}-([0-9a-f]{7})[0-9a-f]{5}(\+dirty)?$`)

// Short returns v1.2.0 or, for a build between releases, the commit: 8763926+dirty.
func (b Build) Short() string {
	if m := pseudo.FindStringSubmatch(b.Version); m != nil {
		return m[1] + m[2]
	}
	if b.Version != "(devel)" || b.Commit == nil {
		return strings.Trim(b.Version, "()")
	}
	short := fmt.Sprintf("%.7s", *b.Commit)
	if b.Dirty != nil && *b.Dirty {
		short += "+dirty"
	}
	return short
}

func (b Build) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "attnconv %s", b.Version)
	if b.Commit != nil {
		fmt.Fprintf(&s, " (%.12s", *b.Commit)
		if b.Dirty != nil && *b.Dirty {
			s.WriteString(", with changes")
		}
		s.WriteString(")")
	}
	fmt.Fprintf(&s, "\n%s %s/%s, kernels %s\n", b.Go, b.OS, b.Arch, b.Kernels)
	for _, path := range ShownModules {
		if v := b.Modules[path]; v != "" {
			fmt.Fprintf(&s, "%s %s\n", path, v)
		}
	}
	return s.String()
}

// Program returns how the user calls this program: by name, or with go run.
func Program() string {
	if strings.Contains(filepath.ToSlash(os.Args[0]), "/go-build") && filepath.Base(os.Args[0]) == "attnconv" {
		return "go run ./cmd/attnconv"
	}
	return "attnconv"
}
