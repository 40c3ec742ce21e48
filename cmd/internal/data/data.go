// Package data is the commands on data sets.
package data

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/internal/table"
)

// New returns the command.
func New(c *term.Console) *cobra.Command {
	return refs.Family("data", "Get, import, check and remove data sets", `attnconv data get cifar10
attnconv data import ~/Downloads/cifar-10-python.tar.gz
attnconv data import ~/images --name flowers
attnconv data verify
attnconv data show shapes32
attnconv data ls`,
		newDataGet(c), newDataImport(c), newDataVerify(c), newDataLs(c), newDataShow(c), newDataPath(c), newDataRm(c))
}

func completeStored(c *term.Console) refs.Completion {
	return refs.Completing(c, func(*cobra.Command, []string, string) (all []string, how cobra.ShellCompDirective) {
		list, _ := sets.Stores(c.DataDir) // damaged sets are not offered
		for _, s := range list {
			all = append(all, s.Name+"\t"+s.Layout)
		}
		return all, cobra.ShellCompDirectiveNoFileComp
	})
}

func newDataLs(c *term.Console) *cobra.Command {
	return &cobra.Command{
		Use:   "ls",
		Short: "List the data sets on this machine",
		Long: "List the data sets on this machine and their folders. Their contents are not\n" +
			"read: data verify does that.",
		Example: "attnconv data ls\nattnconv data ls --json",
		Args:    refs.Arguments(0),
		RunE:    func(*cobra.Command, []string) error { return listData(c) },
	}
}

func listData(c *term.Console) error {
	r, damaged := sets.Sets(c.DataDir)
	if damaged != nil {
		c.Warn(refs.UserMessage(damaged))
	}
	if c.JSON {
		return c.Result(r)
	}
	lines := [][]string{{"name", "images", "size", "what", "path"}}
	for _, s := range r.Sets {
		size := "-"
		if s.Bytes > 0 {
			size = table.Size(s.Bytes)
		}
		lines = append(lines, []string{s.Name, images(s.Train, s.Val, s.Test), size, s.Form, term.Dash(s.Path)})
	}
	if err := c.Table(lines); err != nil {
		return err
	}
	for _, name := range sets.Kinds.Names() {
		for _, p := range sets.Partial(c.DataDir, name) {
			c.Note("%s: %s of the archive downloaded   to go on: %s", name, table.Size(p.Bytes),
				term.Command("data", "get", name))
		}
	}
	return nil
}

// images returns "45,000 + 5,000 + 10,000": training, validation (if the set has its own) and test images.
func images(train, val, test int) string {
	if val == 0 {
		return table.Thousands(train) + " + " + table.Thousands(test)
	}
	return table.Thousands(train) + " + " + table.Thousands(val) + " + " + table.Thousands(test)
}

func newDataPath(c *term.Console) *cobra.Command {
	return &cobra.Command{
		Use:   "path [NAME]",
		Short: "Print the data folder, or that of a set",
		Long: "Print the data folder, or that of a set in it. The data folder is --data-dir,\n" +
			"else $ATTNCONV_DATA, else attnconv in the user's cache folder.",
		Example:           "attnconv data path\nls \"$(attnconv data path flowers)\"",
		Args:              refs.Arguments(1),
		ValidArgsFunction: completeStored(c),
		RunE: func(_ *cobra.Command, args []string) error {
			path := c.DataDir
			if len(args) == 1 {
				found, err := sets.Stores(c.DataDir, args[0])
				if err != nil {
					return err
				}
				path = found[0].Path
			}
			if abs, err := filepath.Abs(path); err == nil {
				path = abs
			}
			d := Path{V: 1, Path: path}
			return c.Show(d, func(c *term.Console) error { return c.WriteText(d.Path + "\n") })
		},
	}
}

func newDataRm(c *term.Console) *cobra.Command {
	return &cobra.Command{
		Use:   "rm NAME...",
		Short: "Remove data sets",
		Long: "Remove data sets, in every format in which the data folder has them, and their\n" +
			"unfinished downloads. Other files stay.",
		Example:           "attnconv data rm cifar10\nattnconv data rm flowers -y",
		Args:              refs.Between(1, 1<<20, "the name of a data set"),
		ValidArgsFunction: completeStored(c),
		RunE: func(cmd *cobra.Command, args []string) error {
			var all []sets.StoredSet
			var list []term.RemovedFile
			for _, name := range args {
				parts := sets.Partial(c.DataDir, name)
				found, err := sets.Stores(c.DataDir, name)
				if err != nil && len(parts) == 0 {
					return err
				}
				for _, s := range append(found, parts...) {
					all, list = append(all, s), append(list, term.RemovedFile{Path: s.Path, Why: s.Layout,
						Bytes: s.Bytes})
				}
			}
			return c.Discard(cmd.Context(), list, false, func(i int) error { return all[i].Remove() })
		},
	}
}
