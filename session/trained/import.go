package trained

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/attnconv/attnconv"
	"github.com/attnconv/attnconv/analyse/vision"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/internal/torch"
	"github.com/attnconv/attnconv/internal/visible"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/model/torchnames"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/run"
)

// ImportedNetwork is a network with the weights of another program.
type ImportedNetwork struct {
	*Model
	Inventory data.Inventory  // the tensors of the file that are weights here, and all else that is in it
	Weights   *torchnames.Set // which weights of the file they are; nil: it has no set that is known
	// of encoding relative, as which the file's scores were rewritten (torchnames.AsRelative); nil: they were not
	Terms []string
}

// MisfitError is the error if weights do not fit the network of the settings: those that Import reads, or those that a
// run begins with.
type MisfitError struct {
	Path string // of the checkpoint or of the imported file
	Err  error  // which weights, and their shapes
}

func (e *MisfitError) Error() string {
	return fmt.Sprintf("%s: its weights do not fit the network: %v", e.Path, e.Err)
}

func (e *MisfitError) ExitCode() int { return fault.Usage }
func (e *MisfitError) Hint() string  { return "with --from, model, encoding and sizes cannot change" }
func (e *MisfitError) Unwrap() error { return e.Err }

// Import reads the weights in a safetensors file, of this program or another, or in a file of PyTorch: a state dict or
// a checkpoint of a training program, no code of which is run. Names are the paper's or torchvision's (package
// torchnames). If the file has several sets of weights, set names the one to read; torchnames.Choose does it for "".
// The network is that of the file's own settings, if it has any, or else what names and shapes determine; s is on top
// of it, and sets what they do not determine: the image size, as model.image or by a data set. Model.Save writes the
// checkpoint.
//
// The error is a *run.NotFoundError for no file, a *ckpt.CorruptError for a file that is neither, one with advice for a
// whole network of PyTorch, an error of torchnames.Choose, one with a hint if weights and settings do not determine the
// network, a *MisfitError for tensors that are not those of the network, or an error of configs.Resolve.
func Import(path, set string, s configs.Sources) (*ImportedNetwork, error) {
	f, chosen, err := readSet(path, set)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &run.NotFoundError{What: "file", Ref: path}
	}
	if err != nil {
		return nil, err
	}
	if other, _ := torchnames.Choose(namesOf(f.Tensors), set, vision.Marks()...); other != nil {
		return nil, fault.WithHint(fault.Errorf(fault.Corrupt, "%s: a vision transformer of another program, which is measured "+
			"and not trained here", path), "attnconv analyse "+filepath.Base(path)+" DIR measures it on the pictures in DIR")
	}
	weights, inventory := torchnames.Adopt(f, chosen)
	weights, terms, err := torchnames.AsRelative(weights)
	if err != nil {
		return nil, &ckpt.CorruptError{Path: path, Reason: err.Error()}
	}
	s.Base, err = baseOf(path, f, weights, terms, s)
	var config *configs.ResolvedRun
	if err == nil {
		config, err = configs.Resolve(s, nil)
	}
	if err != nil && len(s.Flags) == 0 && fault.Hint(err) == "" {
		err = fault.WithHint(fault.Errorf(fault.Corrupt, "%s", err.Error()), "flags set what the tensors do not "+
			"determine: --heads, --head-dim, --encoding, --set KEY=VALUE")
	}
	if err != nil {
		return nil, err
	}
	if err := config.Run.Model.FoundIn(weights); err != nil {
		return nil, &ckpt.CorruptError{Path: path, Reason: err.Error()}
	}
	if o := config.Run.Data; len(o.Mean) > 0 && len(o.Mean) != config.Run.Model.Image[2] {
		return nil, config.Explain(option.Errorf("data.mean", "%v: want one for each of the %d channels", o.Mean,
			config.Run.Model.Image[2]))
	}
	net, err := model.New(config.Run.Model, 0)
	if err != nil {
		return nil, config.Explain(err)
	}
	if bad := ckpt.Compare(net.Tensors(), weights); bad != nil {
		return nil, &MisfitError{path, unlike(net.Spec, bad)}
	}
	if err := net.SetWeights(&ckpt.File{Tensors: weights}); err != nil {
		return nil, &ckpt.CorruptError{Path: path, Reason: err.Error()}
	}
	meta := ckpt.Meta{Kind: net.Spec.Kind, Config: string(config.Run.YAML()), Version: attnconv.Built()}
	return &ImportedNetwork{&Model{Path: path, Net: net, Config: config.Run, Meta: meta}, inventory, chosen, terms}, nil
}

// readSet reads a file and chooses a set of weights in it, as torchnames.Choose does. Of a file of PyTorch it reads
// only these.
func readSet(path, name string, marks ...string) (f *ckpt.File, set *torchnames.Set, err error) {
	choose := func(names []string) (map[string]bool, error) {
		if set, err = torchnames.Choose(names, name, marks...); set == nil {
			return nil, err
		}
		return set.Of(names), nil
	}
	if torch.Is(path) {
		f, err = torch.Read(path, choose)
		return f, set, err
	}
	if f, err = ckpt.Read(path); err != nil {
		return nil, nil, err
	}
	_, err = choose(namesOf(f.Tensors))
	return f, set, err
}

// baseOf returns the settings below s: the file's own or, without them, what names and shapes determine.
func baseOf(path string, f *ckpt.File, weights []ckpt.Tensor, terms []string, s configs.Sources) (*configs.Document,
	error) {
	if meta, err := ckpt.ParseMeta(f.Meta); err == nil {
		return &configs.Document{Name: path, Text: []byte(meta.Config)}, nil
	}
	r := configs.Default()
	image, err := imageIn(s)
	if err != nil {
		return nil, err
	}
	if image == nil {
		return nil, fault.WithHint(fault.Usagef("%s: its weights do not determine the image size", path),
			"name the data set that it was trained on: --data NAME\n  or rows, columns and channels: "+
				"--set model.image=[32,32,3]")
	}
	r.Model.Image = *image
	if terms != nil {
		r.Model.Encoding, r.Model.Terms = "relative", terms
	}
	if r.Model, err = model.Infer(weights, r.Model); err != nil {
		return nil, &ckpt.CorruptError{Path: path, Reason: err.Error() + "\n  " + someNames(f)}
	}
	return &configs.Document{Name: path, Text: r.YAML()}, nil
}

// someNames names the first tensor of a file, the one in the middle and the last.
func someNames(f *ckpt.File) string {
	var names []string
	for _, i := range []int{0, len(f.Tensors) / 2, len(f.Tensors) - 1} {
		if i >= 0 && i < len(f.Tensors) && !slices.Contains(names, f.Tensors[i].Name) {
			names = append(names, f.Tensors[i].Name)
		}
	}
	return fmt.Sprintf("the file has %s, such as %s", table.Count(len(f.Tensors), "tensor"),
		visible.Word(strings.Join(names, ", ")))
}

// imageIn returns the image size that s sets as model.image, by a preset or by a data set; nil: it does not.
func imageIn(s configs.Sources) (*[3]int, error) {
	only := configs.Sources{Files: s.Files, Env: s.Env,
		Base: &configs.Document{Name: "import", Text: []byte("model: {kind: resnet18}")}} // takes images of any size
	for _, f := range s.Flags {
		if f.Key == "preset" || f.Key == "data.name" {
			only.Flags = append(only.Flags, f)
		}
	}
	for _, text := range s.Set {
		if key, _, _ := strings.Cut(text, "="); key == "model.image" || key == "preset" || key == "data.name" {
			only.Set = append(only.Set, text)
		}
	}
	r, err := configs.Resolve(only, nil)
	if err != nil {
		return nil, err
	}
	for _, key := range []string{"model.image", "preset", "data.name"} {
		if r.Origins[key].Kind > configs.FromRun {
			return &r.Run.Model.Image, nil
		}
	}
	return nil, nil
}

// unlike lists tensors that are not those of a network, each on its line.
func unlike(spec model.Spec, bad []ckpt.Misfit) error {
	text := fmt.Sprintf("tensors that do not fit %s (%d):", spec.ShortName(), len(bad))
	for _, m := range bad {
		text += "\n  " + strings.TrimPrefix(m.String(), "model.")
	}
	return fmt.Errorf("%s", text)
}

// Save writes the network as a checkpoint, which replaces what is at path, and makes its folder if necessary.
func (m *Model) Save(path string) error {
	if m.Net == nil || m.Net.Layer == nil {
		return errEmpty
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return ckpt.Write(path, m.file())
}

// Export returns the weights under the names that they have in PyTorch (package torchnames), with the settings: a file
// for ckpt.Write that safetensors.torch.load_file reads.
func (m *Model) Export() *ckpt.File {
	f := &ckpt.File{Meta: ckpt.Meta{Kind: m.Meta.Kind, Config: m.Meta.Config, Version: attnconv.Built()}.Strings(),
		Tensors: torchnames.Export(m.Net)}
	f.Meta["format"] = "pt" // expected by PyTorch's readers
	return f
}
