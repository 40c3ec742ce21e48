package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/report"
)

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
	v := report.ReadVersion()
	return c.Show(v, func(c *Console) error {
		_, err := fmt.Fprint(c.Out, v)
		return err
	})
}

// Program returns how the user calls this program: by name, or with go run.
func Program() string {
	if strings.Contains(filepath.ToSlash(os.Args[0]), "/go-build") && filepath.Base(os.Args[0]) == "attnconv" {
		return "go run ./cmd/attnconv"
	}
	return "attnconv"
}
