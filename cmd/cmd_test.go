package cmd

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/cmd/internal/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m, commands) }

// The scripts of the whole program use several commands.
func TestScripts(t *testing.T) { clitest.Scripts(t) }

// tree lists a command and all below it.
func tree(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, c := range cmd.Commands() {
		all = append(all, tree(c)...)
	}
	return all
}

// Help fits a terminal of 80 columns and shows every flag in one of its groups.
func TestHelpFits(t *testing.T) {
	for _, cmd := range tree(documentedRoot()) {
		var b bytes.Buffer
		cli.Help(&b, cmd)
		for line := range strings.Lines(b.String()) {
			if len([]rune(strings.TrimSuffix(line, "\n"))) > 80 {
				t.Errorf("%s: wider than 80 columns: %s", cmd.Name(), line)
			}
			if trimmed := strings.TrimRight(line, " \n"); trimmed != strings.TrimSuffix(line, "\n") {
				t.Errorf("%s: spaces at the end: %q", cmd.Name(), line)
			}
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && !f.Hidden && !strings.Contains(b.String(), "--"+f.Name) {
				t.Errorf("%s: no --%s", cmd.Name(), f.Name)
			}
		})
	}
}
