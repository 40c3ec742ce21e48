// Package weights is the commands export, import and convert: flags and words.
package weights

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/internal/shell"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/option"
)

// exportOptions holds the flags and arguments of `attnconv export`.
type exportOptions struct {
	Refs   []string
	Runs   refs.Selection
	Output string
	Format string
	Names  string
	Force  bool
}

// Values of --format and --names.
var (
	exportFormats = option.List[option.Word]{"safetensors"}
	exportNames   = option.List[option.Word]{"torch"}
)

func NewExport(c *term.Console) *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "export [CKPT|RUN...] [flags]",
		Short: "Export weights to PyTorch, as safetensors",
		Long: "Export the weights of a checkpoint, or of the best one of a run, as safetensors\n" +
			"under their names in PyTorch: those of the paper's code, or torchvision's for a\n" +
			"residual network. They are loaded with strict=False, since constants that the\n" +
			"paper's code keeps among its weights, such as R, are not exported:\n\n" +
			"  weights = safetensors.torch.load_file(\"model.safetensors\")\n" +
			"  net.load_state_dict(weights, strict=False)\n\n" +
			"Layers that neither of them has, such as heads instead of convolutions (convert)\n" +
			"or windows, need your own modules; --json lists names and shapes, and\n" +
			"docs/tutorial-pytorch.md has the module for what convert makes.\n\n" +
			"Several runs, also those that --where, --tag and --state choose, have a file\n" +
			"each: model.safetensors becomes model-k3f9.safetensors.",
		Example: `attnconv export run.ckpt
attnconv export k3f9 -o quadratic.safetensors
attnconv export --tag baseline -o weights/model.safetensors
attnconv export latest --force --json`,
		ValidArgsFunction: refs.CompleteRuns(c, 1<<20),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Refs = args
			return o.run(cmd, c)
		},
	}
	o.Runs.Flags(term.FlagsIn(cmd.Flags(), "Runs"), "the runs")
	f := term.FlagsIn(cmd.Flags(), "Output")
	f.Output(&o.Output, "model.safetensors", "file to write, or - for standard output")
	term.Choice(f, &o.Format, "format", exportFormats.Default(), "NAME", "of the file", exportFormats)
	term.Choice(f, &o.Names, "names", exportNames.Default(), "WHOSE", "names of the tensors", exportNames)
	f.Boolean(&o.Force, "force", "", "overwrite the file")
	return cmd
}

// otherWeights lists extensions of weight formats that export cannot write.
var otherWeights = []string{".pt", ".pth", ".bin", ".onnx", ".npz", ".npy", ".h5", ".pkl", ".gguf", ".ckpt"}

// run exports what the arguments or the flags name.
func (o exportOptions) run(cmd *cobra.Command, c *term.Console) (err error) {
	most := 1 << 20
	if o.Runs.Given() {
		most = 0
	}
	if err := refs.Arguments(most)(cmd, o.Refs); err != nil {
		return err
	}
	if o.Runs.Given() {
		if o.Refs, err = o.Runs.Select(c); err != nil {
			return err
		}
	}
	if n := len(o.Refs); n > 1 && !term.Exists(o.Refs[n-1]) {
		file := o.Refs[n-1]
		ext := strings.ToLower(filepath.Ext(file))
		if ext == ".safetensors" || ext != ".ckpt" && slices.Contains(otherWeights, ext) {
			out := strings.TrimSuffix(file, filepath.Ext(file)) + ".safetensors"
			return term.Usagef("the file to write: -o "+shell.Line(out), "%s: want a run", file)
		}
	}
	if len(o.Refs) < 2 && !o.Runs.Given() {
		return runExport(c, o, refs.First(o.Refs))
	}
	if o.Output == "-" {
		return term.Usagef("name a file", "%d runs: only one can go to standard output", len(o.Refs))
	}
	paths, err := refs.Checkpoints(c, o.Refs, refs.AnyRun)
	if err != nil {
		return err
	}
	return c.EachOf(len(paths), func(c *term.Console, i int) error {
		one := o
		one.Output = term.FileOf(o.Output, refs.NameOf(c, paths[i]))
		return runExport(c, one, paths[i])
	})
}

func runExport(c *term.Console, o exportOptions, ref string) error {
	stdout := o.Output == "-"
	switch ext := filepath.Ext(o.Output); {
	case slices.Contains(otherWeights, strings.ToLower(ext)):
		return term.Usagef("name it "+strings.TrimSuffix(o.Output,
			ext)+".safetensors; PyTorch reads that with safetensors.torch.load_file",
			"-o %s: export writes safetensors, which readers of %s files cannot read", o.Output, ext)
	case stdout && c.JSON:
		return term.Usagef("", "-o - and --json both write to standard output")
	case stdout && c.OutWidth() > 0:
		return term.Usagef("redirect it to a file or another program",
			"-o -: standard output is a terminal, and weights are binary")
	}
	if !stdout {
		if err := term.RefuseExisting("-o", o.Output, o.Force); err != nil {
			return err
		}
	}
	m, err := refs.LoadModel(c, ref, refs.AnyRun)
	if err != nil {
		return err
	}
	out := m.Export()
	if stdout {
		return out.Encode(c.Raw())
	}
	if err := os.MkdirAll(filepath.Dir(o.Output), 0o777); err != nil {
		return err
	}
	if err := ckpt.Write(o.Output, out); err != nil {
		return err
	}
	e := Export{V: 1, File: o.Output, Checkpoint: m.Path, Model: m.Net.Spec.ShortName()}
	for _, t := range out.Tensors {
		e.Elements += len(t.Data)
		e.Tensors = append(e.Tensors, Tensor{Name: t.Name, Shape: t.Shape})
	}
	return c.Show(e, func(c *term.Console) error {
		fmt.Fprintf(c.Out, "%s   %s   %d tensors, %s elements\n", term.WroteLine(e.File), e.Model, len(e.Tensors),
			table.Thousands(e.Elements))
		return nil
	})
}
