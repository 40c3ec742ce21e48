package weights

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/internal/visible"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/session/trained"
)

// importOptions holds the flags and arguments of `attnconv import`.
type importOptions struct {
	File    string
	Weights string // the set of weights in the file; "": torchnames.Choose decides
	Output  string
	Force   bool
	Sources configs.Sources // what the weights do not determine, such as the image size
}

func NewImport(c *term.Console) *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import FILE [flags]",
		Short: "Import weights from PyTorch",
		Long: "Import weights as a checkpoint, from a safetensors file (of export or another\n" +
			"program) or from a PyTorch file: the output of torch.save(net.state_dict(),\n" +
			"FILE), or a checkpoint of a training program. No code in it is run, so what is\n" +
			"next to the weights is left, and a whole network (torch.save(net, FILE)) is\n" +
			"refused. Names must be those of the paper's code or torchvision's. The network\n" +
			"is inferred from names and shapes; flags set what they do not determine, such\n" +
			"as the image size. If a file has several sets of weights, averaged ones are\n" +
			"taken, because training programs evaluate them; --weights takes another set.",
		Example: `attnconv import model.safetensors
attnconv import best.checkpoint --data cifar10 -o run.ckpt
attnconv import resnet18.pth --set model.image=[64,64,3]
attnconv import checkpoint.pth.tar --data cifar10 --weights state_dict
attnconv import model.safetensors --preset paper/quadratic`,
		Args: refs.Exactly("a file"),
		RunE: func(_ *cobra.Command, args []string) error {
			o.File, o.Sources.Env = args[0], c.Env
			return runImport(c, o)
		},
	}
	refs.ModelFlags(cmd, &o.Sources, "preset", "data")
	f := term.FlagsIn(cmd.Flags(), "Model").Common()
	f.Text(&o.Weights, "weights", "", "NAME", "set of weights, if the file has several (default: averaged ones)", nil)
	f = term.FlagsIn(cmd.Flags(), "Output").Common()
	f.Output(&o.Output, "", "checkpoint to write (default: FILE's name with .ckpt, in this folder)")
	f.Boolean(&o.Force, "force", "", "overwrite the file")
	return cmd
}

func runImport(c *term.Console, o importOptions) error {
	if o.Output == "" {
		base := filepath.Base(o.File)
		o.Output = strings.TrimSuffix(base, filepath.Ext(base)) + ".ckpt"
	}
	if o.Output == "-" {
		return term.Usagef("", "-o -: a checkpoint is a file")
	}
	if err := term.RefuseExisting("-o", o.Output, o.Force); err != nil {
		return err
	}
	m, err := trained.Import(o.File, o.Weights, o.Sources)
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
	r := Import{V: 1, Checkpoint: o.Output, Model: spec.Kind, Encoding: spec.EncodingName(),
		Params: spec.Params(), LeftOut: []string{}, Inventory: m.Inventory}
	for _, rest := range m.Inventory.Left {
		r.LeftOut = append(r.LeftOut, rest.Names...)
	}
	if m.Weights != nil {
		r.Weights = m.Weights.Name
	}
	pixels := m.Format()
	r.Mean, r.Std = pixels.Mean, pixels.Std
	return c.Show(r, func(c *term.Console) error {
		fmt.Fprintf(c.Out, "%s   %s   %s parameters\n", term.WroteLine(o.Output), spec.ShortName(),
			table.Thousands(r.Params))
		if m.Weights != nil && m.Weights.Why != "" {
			c.Labeled("took", fmt.Sprintf("%s: %s", visible.Word(m.Weights.Name), m.Weights.Why))
		}
		for _, line := range m.Inventory.Lines() {
			c.Labeled("left", line)
		}
		how := fmt.Sprintf("read as (byte/255 - mean)/std, mean %s, std %s", listed(r.Mean), listed(r.Std))
		if len(m.Config.Data.Mean) == 0 {
			how += "; if the weights were trained with others: --set data.mean=[…] --set data.std=[…]"
		}
		c.Labeled("pixels", how)
		c.Note("next:\n  %s\n  %s\n  %s", term.Command("eval", o.Output), term.Command("inspect", o.Output),
			term.Command("train", "--from", o.Output, "--epochs", "0"))
		return nil
	})
}

// listed is the numbers of the channels, or the one number that all have.
func listed(x []float32) string {
	if len(slices.Compact(slices.Clone(x))) == 1 {
		x = x[:1]
	}
	return strings.Trim(fmt.Sprint(x), "[]")
}

// explain adds advice to an error of trained.Import, which lists a few tensors that do not fit unless all is set.
func explain(err error, file string, all bool) error {
	var misfit *trained.MisfitError
	switch {
	case term.Is[*option.Error](err):
		return term.NameFlag(err)
	case errors.As(err, &misfit):
		const few = 8
		lines := strings.Split(misfit.Err.Error(), "\n")
		if more := len(lines) - 1 - few; more > 0 && !all {
			lines = append(lines[:1+few], fmt.Sprintf("  … and %d more: -v lists all", more))
		}
		return &ckpt.CorruptError{Path: file, Reason: strings.Join(lines, "\n")}
	case term.Is[*ckpt.CorruptError](err): // a file system error has its own advice
		return fmt.Errorf("%w\n  import reads safetensors and PyTorch's state dicts, with PyTorch's names", err)
	}
	return err
}
