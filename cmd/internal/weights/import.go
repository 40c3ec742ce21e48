package weights

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/ckpt"
	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/convert"
	"github.com/attnconv/attnconv/internal/torch"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/report"
	"github.com/attnconv/attnconv/run"
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
	var others []string
	for _, s := range configs.Settings() {
		if s.Group != "Model" && s.Flag != "preset" && s.Flag != "data" {
			others = append(others, s.Flag)
		}
	}
	cli.SourceFlags(cmd, &o.Sources, others...)
	f := cli.FlagsIn(cmd.Flags(), "Output")
	f.StringVarP(&o.Output, "output", "o", "", "checkpoint to write (default: FILE's name with .ckpt, in this folder)")
	f.Describe("output", "FILE", nil)
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
	read := ckpt.Read
	if torch.Is(o.File) {
		read = torch.Read
	}
	f, err := read(o.File)
	if errors.Is(err, fs.ErrNotExist) {
		return &run.NotFound{What: "file", Ref: o.File}
	}
	if err != nil {
		return unusable(err)
	}
	weights, left := convert.Adopt(f)
	weights, terms, err := convert.AsRelative(weights)
	if err != nil {
		return unusable(&ckpt.Corrupt{Path: o.File, Reason: cli.TrimPackages(err.Error())})
	}
	if terms != nil {
		c.Note("scores: encoding relative with the terms %s", strings.Join(terms, ", "))
	}
	config, err := o.settings(f, weights, terms)
	if err != nil {
		return o.blame(err)
	}
	if err := config.Run.Model.FoundIn(weights); err != nil {
		return unusable(&ckpt.Corrupt{Path: o.File, Reason: cli.TrimPackages(err.Error())})
	}
	net, err := model.New(config.Run.Model, 0)
	if err != nil {
		return config.Explain(err)
	}
	if bad := ckpt.Compare(net.Tensors(), weights); bad != nil {
		return &ckpt.Corrupt{Path: o.File, Reason: misfits(net.Spec.ShortName(), bad, c.Verbose > 0)}
	}
	if err := net.SetWeights(&ckpt.File{Tensors: weights}); err != nil {
		return unusable(&ckpt.Corrupt{Path: o.File, Reason: cli.TrimPackages(err.Error())})
	}
	meta := ckpt.Meta{Kind: net.Spec.Kind, Config: string(config.Run.YAML()), Version: cli.ReadBuild().Version}
	if err := os.MkdirAll(filepath.Dir(o.Output), 0o777); err != nil {
		return err
	}
	if err := ckpt.Write(o.Output, &ckpt.File{Meta: meta.Strings(), Tensors: net.Tensors()}); err != nil {
		return err
	}
	return o.report(c, net, left)
}

// settings resolves the flags on top of the file's own configuration or, without one, of what names and shapes
// determine.
func (o importOptions) settings(f *ckpt.File, weights []ckpt.Tensor, terms []string) (*configs.Resolved, error) {
	s := o.Sources
	s.Base = &configs.Document{Name: o.File}
	if meta, err := ckpt.ParseMeta(f.Meta); err == nil {
		s.Base.Text = []byte(meta.Config)
		return configs.Resolve(s, nil)
	}
	r := configs.Default()
	image, err := o.image()
	if err != nil {
		return nil, err
	}
	r.Model.Image = image
	if terms != nil {
		r.Model.Encoding, r.Model.Terms = "relative", terms
	}
	spec, err := model.Infer(weights, r.Model)
	if err != nil {
		return nil, unusable(&ckpt.Corrupt{Path: o.File, Reason: cli.TrimPackages(err.Error())})
	}
	r.Model = spec
	s.Base.Text = r.YAML()
	return configs.Resolve(s, nil)
}

// image returns the image size, which weights do not determine, from the flags: of model.image, a preset or a data set.
func (o importOptions) image() (size [3]int, err error) {
	s := configs.Sources{Files: o.Sources.Files, Env: o.Sources.Env,
		Base: &configs.Document{Name: "import", Text: []byte("model: {kind: resnet18}")}} // takes images of any size
	for _, f := range o.Sources.Flags {
		if f.Key == "preset" || f.Key == "data.name" {
			s.Flags = append(s.Flags, f)
		}
	}
	for _, text := range o.Sources.Set {
		if key, _, _ := strings.Cut(text, "="); key == "model.image" || key == "preset" || key == "data.name" {
			s.Set = append(s.Set, text)
		}
	}
	typed, err := configs.Resolve(s, nil)
	if err != nil {
		return size, err
	}
	for _, key := range []string{"model.image", "preset", "data.name"} {
		if typed.Origins[key].Kind > configs.FromRun {
			return typed.Run.Model.Image, nil
		}
	}
	return size, cli.Usagef("name the data set that it was trained on: --data NAME\n  or rows, columns and channels: --set model.image=[32,32,3]",
		"%s: its weights do not determine the image size", o.File)
}

// unusable adds the accepted formats to the error of a corrupt file.
func unusable(err error) error {
	if !cli.Is[*ckpt.Corrupt](err) {
		return err // a file system error has its own advice
	}
	return fmt.Errorf("%w\n  import reads safetensors and PyTorch's state dicts, with PyTorch's names", err)
}

// blame attributes a configuration error to the file if no flag was given.
func (o importOptions) blame(err error) error {
	if len(o.Sources.Flags) > 0 || cli.Is[*ckpt.Corrupt](err) || cli.Is[*cli.UsageError](err) {
		return err
	}
	return &ckpt.Corrupt{Path: o.File, Reason: strings.TrimPrefix(cli.TrimPackages(err.Error()), "run "+o.File+": ") +
		"\n  flags set what the tensors do not determine: --heads, --head-dim, --encoding, --set KEY=VALUE"}
}

// misfits lists the tensors that do not fit the network, only the first few unless all is set.
func misfits(name string, bad []ckpt.Misfit, all bool) string {
	const few = 8
	lines := []string{fmt.Sprintf("tensors that do not fit %s (%d):", name, len(bad))}
	for i, m := range bad {
		if i == few && !all {
			lines = append(lines, fmt.Sprintf("  … and %d more: -v lists all", len(bad)-few))
			break
		}
		lines = append(lines, "  "+strings.TrimPrefix(m.String(), "model."))
	}
	return strings.Join(lines, "\n")
}

func (o importOptions) report(c *cli.Console, net *model.Network, left []string) error {
	r := report.Import{V: 1, Checkpoint: o.Output, Model: net.Spec.Kind, Encoding: net.Spec.EncodingName(),
		Params: net.Spec.Params(), LeftOut: []string{}}
	r.LeftOut = append(r.LeftOut, left...)
	if c.JSON {
		return c.Result(r)
	}
	fmt.Fprintf(c.Out, "%s   %s   %s parameters\n", o.Output, net.Spec.ShortName(), cli.Thousands(r.Params))
	const few = 4
	if n := len(left); n > few && c.Verbose == 0 {
		left = append(left[:few:few], fmt.Sprintf("and %d more (-v lists all)", n-few))
	}
	if len(left) > 0 {
		c.Note("left out: %s", strings.Join(left, ", "))
	}
	c.Note("next:\n  %s eval %s\n  %s inspect %s", cli.Program(), o.Output, cli.Program(), o.Output)
	return nil
}
