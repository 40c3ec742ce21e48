package weights

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/internal/document"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/session/trained"
)

// importOptions holds the flags and arguments of `attnconv import`.
type importOptions struct {
	File    string
	Output  string
	Force   bool
	Sources configs.Sources // what the weights do not determine, such as the image size
}

func NewImport(c *cli.Console) *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import FILE [flags]",
		Short: "Import weights from PyTorch",
		Long: "Import weights as a checkpoint, from a safetensors file (of export or another\n" +
			"program) or from a PyTorch file: a checkpoint of the paper's code, or the output\n" +
			"of torch.save(net.state_dict(), FILE). No code in it is run. Names must be those\n" +
			"of the paper's code or torchvision's. The network is inferred from names and\n" +
			"shapes; flags set what they do not determine, such as the image size.",
		Example: `attnconv import model.safetensors
attnconv import best.checkpoint --data cifar10 -o run.ckpt
attnconv import resnet18.pth --set model.image=[64,64,3]
attnconv import model.safetensors --preset paper/quadratic`,
		Args: cli.Exactly("a file"),
		RunE: func(_ *cobra.Command, args []string) error {
			o.File, o.Sources.Env = args[0], c.Env
			return runImport(c, o)
		},
	}
	cli.ModelFlags(cmd, &o.Sources, "preset", "data")
	f := cli.FlagsIn(cmd.Flags(), "Output").Common()
	f.Output(&o.Output, "", "checkpoint to write (default: FILE's name with .ckpt, in this folder)")
	f.Boolean(&o.Force, "force", "", "overwrite the file")
	return cmd
}

func runImport(c *cli.Console, o importOptions) error {
	if o.Output == "" {
		base := filepath.Base(o.File)
		o.Output = strings.TrimSuffix(base, filepath.Ext(base)) + ".ckpt"
	}
	if o.Output == "-" {
		return cli.Usagef("", "-o -: a checkpoint is a file")
	}
	if err := cli.RefuseExisting("-o", o.Output, o.Force); err != nil {
		return err
	}
	m, err := trained.Import(o.File, o.Sources)
	if err != nil {
		return explain(err, o.File, c.Verbose > 0)
	}
	if m.Terms != nil {
		c.Note("scores: encoding relative with the terms %s", strings.Join(m.Terms, ", "))
	}
	if err := m.Save(o.Output); err != nil {
		return err
	}
	spec := m.Net.Spec
	r := document.Import{V: 1, Checkpoint: o.Output, Model: spec.Kind, Encoding: spec.EncodingName(),
		Params: spec.Params(), LeftOut: append([]string{}, m.LeftOut...)}
	return c.Show(r, func(c *cli.Console) error {
		const few = 4
		fmt.Fprintf(c.Out, "%s   %s   %s parameters\n", cli.WroteLine(o.Output), spec.ShortName(),
			table.Thousands(r.Params))
		left := m.LeftOut
		if n := len(left); n > few && c.Verbose == 0 {
			left = append(left[:few:few], fmt.Sprintf("and %d more (-v lists all)", n-few))
		}
		if len(left) > 0 {
			c.Note("left out: %s", strings.Join(left, ", "))
		}
		c.Note("next:\n  %s\n  %s", cli.Command("eval", o.Output), cli.Command("inspect", o.Output))
		return nil
	})
}

// explain adds advice to an error of trained.Import, which lists a few tensors that do not fit unless all is set.
func explain(err error, file string, all bool) error {
	var (
		misfit *trained.MisfitError
		gone   *fs.PathError
	)
	switch {
	case errors.As(err, &gone) && gone.Path == file && errors.Is(err, fs.ErrNotExist):
		return &run.NotFoundError{What: "file", Ref: file}
	case errors.As(err, &misfit):
		const few = 8
		lines := strings.Split(misfit.Err.Error(), "\n")
		if more := len(lines) - 1 - few; more > 0 && !all {
			lines = append(lines[:1+few], fmt.Sprintf("  … and %d more: -v lists all", more))
		}
		return &ckpt.CorruptError{Path: file, Reason: strings.Join(lines, "\n")}
	case cli.Is[*ckpt.CorruptError](err): // a file system error has its own advice
		return fmt.Errorf("%w\n  import reads safetensors and PyTorch's state dicts, with PyTorch's names", err)
	}
	return err
}
