package data

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/option"
)

func newDataGet(c *term.Console) *cobra.Command {
	var o sets.GetOptions
	cmd := &cobra.Command{
		Use:   "get NAME [flags]",
		Short: "Download a data set: cifar10, cifar100 or fashion-mnist",
		Long: "Download a data set from its publisher, check it and unpack it. The host is\n" +
			"slow: up to an hour. After Ctrl-C, a kill or a lost connection, the same command\n" +
			"resumes the download. Its SHA-256 is known, so any mirror will do: --url names\n" +
			"mirrors, tried in order. Proxies are taken from HTTPS_PROXY, HTTP_PROXY and\n" +
			"NO_PROXY. No other command uses the network. Files that Debian's package\n" +
			"dataset-fashion-mnist has installed are taken from there.",
		Example: `attnconv data get cifar10
attnconv data get fashion-mnist
attnconv data get cifar10 --url https://mirror.example/cifar-10-python.tar.gz`,
		Args:      refs.Exactly("the name of a data set"),
		ValidArgs: sets.Downloadable(),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Dir = c.DataDir
			o.Note = func(text string) { c.Note("%s", text) }
			o.Watch = func(file string) (sets.Watcher, error) { return c.Transfer(file) }
			r, err := sets.Get(cmd.Context(), args[0], o)
			if present := (*sets.ExistsError)(nil); errors.As(err, &present) {
				return here(c, present)
			}
			if err != nil {
				return withAdvice(c, err)
			}
			return c.Show(r, func(c *term.Console) error { return printImport(c, r) })
		},
	}
	f := term.FlagsIn(cmd.Flags(), "Data")
	f.Texts(&o.URLs, "url", "", "URL", "another address of the archive; may be repeated")
	f.Boolean(&o.Force, "force", "", "download it even if it exists")
	return cmd
}

// here says that there is nothing to download.
func here(c *term.Console, e *sets.ExistsError) error {
	if e.Path == "" {
		c.Note("%s is built in: there is nothing to download", e.Name)
		return nil
	}
	c.Note("%s is here already: %s", e.Name, e.Path)
	c.Note("to check it: %s   to download it again: %s", term.Command("data", "verify", e.Name),
		term.Command("data", "get", e.Name, "--force"))
	return nil
}

// withAdvice adds to an error of sets.Get what to do about it.
func withAdvice(c *term.Console, err error) error {
	const another = "another address: --url URL   a file that you have: attnconv data import FILE"
	const folder = "another folder: --data-dir DIR or ATTNCONV_DATA"
	unfetched, wrong := (*sets.DownloadError)(nil), (*option.Error)(nil)
	switch {
	case errors.As(err, &wrong) && wrong.Key == "url":
		if wrong.Key = "--url"; strings.Contains(err.Error(), "\n") {
			return err
		}
		return fmt.Errorf("%w\n  for a file on this machine: attnconv data import", err)
	case errors.As(err, &wrong):
		if wrong.Key = "data get"; wrong.Known == nil || option.Nearest(wrong.Got, wrong.Known) != "" {
			return err
		}
		return fmt.Errorf("%w\n  no other set can be downloaded by this program; for a copy that you have: "+
			"attnconv data import PATH", err)
	case !errors.As(err, &unfetched):
		return err
	case errors.Is(err, context.Canceled):
		c.Note("stopped at %s of %s; the same command resumes the download", table.Size(unfetched.Have),
			table.Size(unfetched.Size))
		return err
	case unfetched.Unreachable && unfetched.Have > 0:
		return fmt.Errorf("%w\n  the same command resumes the download\n  %s", err, another)
	case unfetched.Unreachable || unfetched.Wrong:
		return fmt.Errorf("%w\n  %s", err, another)
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("%w\n  it needs %s, and as much again to unpack it; the same command resumes the "+
			"download\n  %s", err, table.Size(unfetched.Size), folder)
	}
	return fmt.Errorf("%w\n  %s", err, folder)
}
