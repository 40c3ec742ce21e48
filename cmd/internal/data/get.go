package data

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/attnconv/attnconv/internal/fetch"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/invalid"
	"github.com/attnconv/attnconv/internal/progress"
)

// downloadable lists the arguments of data get: every set by name, also those that need no download.
func downloadable() (names []string) {
	for _, k := range data.Kinds {
		if k.First == nil {
			names = append(names, k.Name)
		}
	}
	return names
}

type getOptions struct {
	Name  string
	URLs  []string
	Force bool
}

func newDataGet(c *cli.Console) *cobra.Command {
	var o getOptions
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
		Args:      cli.Exactly("the name of a data set"),
		ValidArgs: downloadable(),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Name = args[0]
			return get(cmd.Context(), c, o, data.Downloads(o.Name))
		},
	}
	f := cli.FlagsIn(cmd.Flags(), "Data")
	f.Texts(&o.URLs, "url", "", "URL", "another address of the archive; may be repeated")
	f.Boolean(&o.Force, "force", "", "download it even if it exists")
	return cmd
}

// get downloads one of the archives of a set and imports it.
func get(ctx context.Context, c *cli.Console, o getOptions, list []data.Download) error {
	switch k := data.Kinds.Find(o.Name); {
	case k != nil && k.BuiltIn():
		c.Note("%s is built in: there is nothing to download", o.Name)
		return nil
	case list == nil && data.Files(o.Name) == nil:
		return invalid.Choice("data get", o.Name, downloadable())
	}
	if found, err := data.Find(c.DataDir, o.Name); err == nil && !o.Force {
		if isDownload(found[0].Path, list) {
			c.Note("%s is here already, but not unpacked; the archive is kept", found[0].Path) // it may be the user's own
			return unpack(ctx, c, found[0].Path)
		}
		c.Note("%s is here already: %s", o.Name, found[0].Path)
		c.Note("to check it: %[1]s data verify %[2]s   to download it again: %[1]s data get %[2]s --force", cli.Program(), o.Name)
		return nil
	}
	if files := data.Files(o.Name); files != nil {
		return getFiles(ctx, c, o, files)
	}
	archive, urls, err := choose(list, o.URLs)
	if err != nil {
		return err
	}
	file := fetch.File{
		URLs: urls, Path: filepath.Join(c.DataDir, archive.File), Size: archive.Size, SHA256: archive.SHA256,
	}
	if err := download(ctx, c, file); err != nil {
		return err
	}
	if err := unpack(ctx, c, file.Path); err != nil {
		return err
	}
	return os.Remove(file.Path)
}

// isDownload reports whether path is an archive that data get downloaded, but did not unpack before it was killed.
func isDownload(path string, list []data.Download) bool {
	return slices.ContainsFunc(list, func(d data.Download) bool { return d.File == filepath.Base(path) })
}

func unpack(ctx context.Context, c *cli.Console, path string) error {
	c.Note("unpacking %s", filepath.Base(path))
	set, src, err := recognise(ctx, path, data.Fit{})
	if err != nil {
		return err
	}
	folder, err := data.Import(set, src, path, c.DataDir, "", true)
	if err != nil {
		return fmt.Errorf("%w\n  the archive is complete and can be used as it is: %s", err, path)
	}
	return importSet(c, src, folder)
}

// choose selects the archive that the addresses name: the Python one if they contain "python", else the binary one.
func choose(list []data.Download, addresses []string) (data.Download, []string, error) {
	if len(addresses) == 0 {
		return list[0], []string{list[0].URL}, nil
	}
	chosen := -1
	var urls []string
	for _, address := range addresses {
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			hint := "for a file on this machine: attnconv data import"
			return data.Download{}, nil, cli.Usagef(hint, "--url %q: want an address that begins with https:// or http://", fetch.Shown(address))
		}
		kind := 0
		if strings.Contains(path.Base(u.Path), "python") {
			kind = 1
		}
		if strings.HasSuffix(u.Path, "/") {
			u = u.JoinPath(list[0].File)
		}
		if chosen >= 0 && kind != chosen {
			return data.Download{}, nil, cli.Usagef("name mirrors of the same archive",
				"--url: want addresses of one file, got %s and %s", list[chosen].File, list[kind].File)
		}
		chosen, urls = kind, append(urls, u.String())
	}
	return list[chosen], urls, nil
}

// fetch downloads a file and shows progress.
func download(ctx context.Context, t cli.Terminal, file fetch.File) error {
	name := filepath.Base(file.Path)
	show, err := progress.NewTransfer(t.Progress(), name)
	if err != nil {
		return err
	}
	show.Line(fmt.Sprintf("%s, %s, to %s", name, cli.Size(file.Size), filepath.Dir(file.Path)))
	have := int64(0)
	if info, err := os.Stat(file.Path + ".part"); err == nil && info.Size() > 0 {
		have = info.Size()
		show.Line(fmt.Sprintf("%s of it was downloaded before", cli.Size(have)))
	}
	err = fetch.Get(ctx, file, fetch.Options{
		Observe: func(s fetch.State) { have = s.Have; show.At(s.Have, s.Size) },
		Say:     show.Line,
	})
	show.Close()
	switch {
	case errors.Is(err, context.Canceled):
		t.Note("stopped at %s of %s; the same command resumes the download", cli.Size(have), cli.Size(file.Size))
	case err != nil:
		return unfetched(file, err)
	}
	return err
}

// unfetched adds to the error of a download what to do about it.
func unfetched(file fetch.File, err error) error {
	unreachable, corrupt := (*fetch.Unreachable)(nil), (*fetch.Corrupt)(nil)
	hint := ""
	switch {
	case errors.As(err, &unreachable):
		hint = "the same command resumes the download\n" +
			"  another address: --url URL   a file that you have: attnconv data import FILE"
		if unreachable.Have == 0 {
			hint = "another address: --url URL   a file that you have: attnconv data import FILE"
		}
	case errors.As(err, &corrupt):
		hint = "another address: --url URL   a file that you have: attnconv data import FILE"
	case errors.Is(err, syscall.ENOSPC):
		hint = fmt.Sprintf("it needs %s, and as much again to unpack it; the same command resumes the download\n"+
			"  another folder: --data-dir DIR or ATTNCONV_DATA", cli.Size(file.Size))
	default:
		hint = "another folder: --data-dir DIR or ATTNCONV_DATA"
	}
	return fmt.Errorf("%w\n  %s", err, hint)
}
