package data

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/internal/visible"
)

func newDataImport(c *term.Console) *cobra.Command {
	var o sets.ImportOptions
	cmd := &cobra.Command{
		Use:   "import PATH [flags]",
		Short: "Import a data set from files",
		Long: "Copy a data set into the data folder. It is recognized by content: an archive of\n" +
			"CIFAR-10 or CIFAR-100, binary or Python, packed or unpacked; a folder of images\n" +
			"(DIR/train/CLASS/*, or DIR/CLASS/*); NumPy arrays (.npz with x_train, y_train,\n" +
			"x_test, y_test); IDX files as MNIST's, or a folder of them. No code in it is\n" +
			"run, and the network is not used. IDX files and arrays of floats keep their\n" +
			"size; other images are cropped around their middle and resized to 32 × 32 RGB,\n" +
			"or to --image. What was not read is counted, and named in full by --json.",
		Example: `attnconv data import cifar-10-python.tar.gz
attnconv data import ~/images --name flowers
attnconv data import ~/images --dry-run
attnconv data import medmnist.npz --image keep
attnconv data import ~/mnist/train-images-idx3-ubyte.gz --name mnist`,
		Args: refs.Exactly("the path of a data set"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c.Note("reading %s", args[0])
			o.Dir = c.DataDir
			r, err := sets.ImportFrom(cmd.Context(), args[0], o)
			if err != nil {
				return term.NameFlag(err)
			}
			return c.Show(r, func(c *term.Console) error { return printImport(c, r) })
		},
	}
	f := term.FlagsIn(cmd.Flags(), "Data")
	f.Text(&o.Name, "name", "", "NAME", "name of the set (default: the last part of the path)", nil)
	term.Flag(f, &o.Image, "image", "SIZE", "size of the images: ROWS,COLS,CHANNELS, or keep: as they are",
		sets.ParseFit)
	f.Describe("image", "SIZE", []string{"keep"})
	f.Boolean(&o.SkipBroken, "skip-broken", "", "leave out pictures that cannot be read, and list them")
	f.Boolean(&o.Force, "force", "", "replace a set of that name")
	f.Boolean(&o.DryRun, "dry-run", "", "say what would be imported and what left, and write nothing")
	return cmd
}

// printImport prints what was imported, and how to train on it.
func printImport(c *term.Console, r sets.ImportReport) error {
	var b strings.Builder
	fmt.Fprintf(&b, "recognized  %s", r.Source)
	if a := r.Archive; a != nil {
		fmt.Fprintf(&b, ", %s bytes\nsha256      %s", table.Thousands(int(a.Bytes)), a.SHA256)
		if a.Published {
			b.WriteString(", as published")
		}
	}
	for i, line := range r.Inventory.Lines() {
		fmt.Fprintf(&b, "\n%-12s%s", map[bool]string{true: "note"}[i == 0], line)
	}
	classes := visible.Apart(r.Classes)
	if n := 9; len(classes) > n+1 {
		classes = append(slices.Clone(classes[:n]), "…")
	}
	fmt.Fprintf(&b, "\nimages      %s of %d classes: %s\n", images(r.Train, r.Val, r.Test), len(r.Classes),
		strings.Join(classes, ", "))
	fmt.Fprintf(&b, "digest      train %s\n            test  %s\n", term.Dash(r.Digest.Train), r.Digest.Test)
	fmt.Fprintf(&b, "            %s\n", exactness(r))
	if r.Path == "" {
		return c.Print("%snothing was written\n", b.String())
	}
	fmt.Fprintf(&b, "imported    %s\n", r.Path)
	if r.Train == 0 {
		return c.Print("%sto evaluate a run on it: %s\n", b.String(), term.Command("eval", "RUN", "--data", r.Name))
	}
	use := []string{"train", "--encoding", "quadratic", "--data", r.Name}
	if c.DataDir != sets.Dir() {
		use = append(use, "--data-dir", c.DataDir)
	}
	return c.Print("%sto train on it: %s\n", b.String(), term.Command(use...))
}

// exactness says whether the images are the published ones.
func exactness(r sets.ImportReport) string {
	switch {
	case r.Published:
		return "the published images, byte for byte"
	case r.Altered:
		return "a lossy copy: images were decoded from JPEG, WebP or GIF files, or resized"
	case sets.HasDigest(r.Name):
		return sets.NotPublished
	}
	return "no digest was published to compare them with"
}
