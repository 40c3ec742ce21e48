package runs

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/listing"
	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/internal/disk"
	"github.com/attnconv/attnconv/internal/exampleruns"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/run"
)

// exampleImages is the folder of test images, next to the runs.
const exampleImages = "example-images"

func newExamples(c *term.Console) *cobra.Command {
	return &cobra.Command{
		Use:   "examples",
		Short: "Write five trained runs, to explore without training",
		Long: "Write five runs that were trained with this program, and ten images:\n\n" +
			"  c10q   Gaussian heads, on CIFAR-10\n" +
			"  c10r   a small ResNet18, on CIFAR-10\n" +
			"  quad   Gaussian heads, on drawn shapes, with the weights after each epoch\n" +
			"  lrnd   learned relative positions, on drawn shapes\n" +
			"  rn18   a small ResNet18, on drawn shapes\n\n" +
			"They are part of the program, so this needs no network connection and a second.\n" +
			"Every other command works on them, as on runs of your own. What is there already\n" +
			"stays as it is. c10q and c10r were trained for 12 epochs each on a JPEG copy of\n" +
			"CIFAR-10, so their accuracies cannot be compared with those of other programs.\n" +
			"Without CIFAR-10 on this machine, views of images show drawn ones, and say so.",
		Example: "attnconv runs examples\nattnconv runs examples --runs try",
		Args:    refs.Arguments(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := writeExamples(cmd.Context(), c)
			if err != nil {
				return err
			}
			return c.Show(listing.NewListReport(list), func(c *term.Console) error { return printExamples(c, list) })
		},
	}
}

// writeExamples writes the runs and the images that are missing, and returns the runs. The last trained is the first,
// so that latest links to it.
func writeExamples(ctx context.Context, c *term.Console) (list []listing.ListRow, err error) {
	for _, r := range slices.Backward(exampleruns.Runs) {
		files, err := exampleruns.Open(r.Name)
		if err != nil {
			return nil, err
		}
		path, err := run.Unpack(ctx, c.Runs, files)
		if err = noteWritten(c, path, err); err != nil {
			return nil, err
		}
		e := run.At(path)
		if e.Err != nil || e.Status.ID != r.ID {
			return nil, term.Usagef("another folder: --runs DIR", "%s: there is something else than the example", path)
		}
		list = append(list, listing.Read(e))
	}
	files, err := exampleruns.Open(exampleruns.Images)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(c.Runs, exampleImages)
	return list, noteWritten(c, path, disk.Unpack(ctx, path, files, func(disk.Folder) error { return nil }))
}

// noteWritten notes what was written to path, or that something is there.
func noteWritten(c *term.Console, path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrExist):
		c.Note("kept   %s: it is there already", path)
	case err != nil:
		return err
	default:
		c.Wrote(path)
	}
	return nil
}

// printExamples prints the runs, and notes what to try.
func printExamples(c *term.Console, list []listing.ListRow) error {
	lines := [][]string{{"run", "network", "data", "params", "val acc", "test acc"}}
	for _, l := range list {
		lines = append(lines, []string{
			l.ID, l.Network(), l.Data, table.SI(float64(l.Params), ""), table.Percent(l.ValAcc),
			table.Percent(l.TestAcc),
		})
	}
	if err := c.Table(lines); err != nil {
		return err
	}
	ref := func(id string) string {
		i := slices.IndexFunc(list, func(r listing.ListRow) bool { return r.ID == id })
		return refs.RunName(c, list[i].Path, id)
	}
	c.Next(
		[2]string{term.Command("serve", ref("c10q"), "--open"), "heads in the browser: drag one"},
		[2]string{term.Command("plot-heads", ref("c10q")), "where the heads attend"},
		[2]string{term.Command("analyse", ref("c10q"), "--no-images"), "how convolutional the layers are"},
		[2]string{term.Command("prove", "--from", ref("c10r")), "a trained ResNet as attention"},
		[2]string{term.Command("predict", ref("quad"), filepath.Join(c.Runs, exampleImages)), "what the images show"})
	return nil
}
