package data

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/fetch"
)

// getFiles imports a set that is published as several files: those that a package of the operating system has installed, else
// downloads, which stay where they are until all of them are here.
func getFiles(ctx context.Context, c *cli.Console, o getOptions, files []data.Download) error {
	if folder := data.Installed(o.Name); folder != "" && o.URLs == nil {
		c.Note("%s is installed: %s", o.Name, folder)
		return unpackFiles(ctx, c, o.Name, folder)
	}
	folder := filepath.Dir(filepath.Join(c.DataDir, files[0].File))
	for _, f := range files {
		urls, err := addresses(f, o.URLs)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return err
		}
		file := fetch.File{URLs: urls, Path: filepath.Join(c.DataDir, f.File), Size: f.Size, SHA256: f.SHA256}
		if err := download(ctx, c, file); err != nil {
			return err
		}
	}
	if err := unpackFiles(ctx, c, o.Name, folder); err != nil {
		return err
	}
	return os.RemoveAll(folder)
}

// addresses are where a file may be: in the folders that the user names, else where it was published.
func addresses(f data.Download, folders []string) (all []string, err error) {
	for _, folder := range folders {
		u, err := url.Parse(folder)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return nil, cli.Usagef("for files on this machine: attnconv data import",
				"--url %q: want the address of a folder that begins with https:// or http://", fetch.Shown(folder))
		}
		all = append(all, u.JoinPath(filepath.Base(f.File)).String())
	}
	if all == nil {
		all = []string{f.URL}
	}
	return all, nil
}

// unpackFiles imports the set called name from the files in folder, which must be its own.
func unpackFiles(ctx context.Context, c *cli.Console, name, folder string) error {
	set, src, err := recognise(ctx, folder, data.Fit{})
	if err != nil {
		return err
	}
	if set.Name != name {
		return &data.Corrupt{Path: folder, Reason: fmt.Sprintf("these are not the images of %s: their digest differs from the published one", name)}
	}
	to, err := data.Import(set, src, folder, c.DataDir, name, true)
	if err != nil {
		return err
	}
	return importSet(c, src, to)
}
