// Package trained reads the network that a run has trained from the run's folder, from a checkpoint, or from weights of
// another program. It evaluates the network, classifies images with it, and hands it to what measures and draws
// networks.
//
// Stable: Open and Model. The package is new, and other names may change.
package trained

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/attnconv/attnconv"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/model/heads"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/posenc/geometry"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/train"
)

// A Model is the network in a checkpoint, with the settings of its run.
type Model struct {
	Path   string // of the checkpoint
	Net    *model.Network
	Config configs.Run // settings of the run; defaults for what a checkpoint of another program does not have
	Meta   ckpt.Meta

	images *run.Images // in Meta; nil: it does not say
}

var errEmpty = errors.New("the network is nil or empty: want one of model.New or model.Load")

// Save writes a network and its settings as a checkpoint, which Open and every command read. The architecture that it
// writes is net.Spec, whatever the settings say of the model. A run can begin with such weights (session.Options.From),
// but none can be resumed: they come without the state of a solver. The error is an *option.Error for settings that
// cannot be used.
func Save(path string, net *model.Network, settings configs.Run) error {
	if net == nil || net.Layer == nil {
		return errEmpty
	}
	settings.Model = net.Spec
	if err := settings.Validate(); err != nil {
		return err
	}
	meta := ckpt.Meta{Kind: net.Spec.Kind, Config: string(settings.YAML()), Version: attnconv.Built()}
	return (&Model{Path: path, Net: net, Config: settings, Meta: meta}).Save(path)
}

// Open reads the network of a checkpoint file or, if path is a run's folder, of the run's best checkpoint. The error is
// a *ckpt.CorruptError for a file that is not a whole checkpoint, a *run.NotFoundError for a folder without one, and
// wraps an *option.MissingError for a network of a kind that another program has registered.
func Open(path string) (*Model, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		if path, err = run.Checkpoint(path); err != nil {
			return nil, err
		}
	}
	f, meta, err := ckpt.ReadWithMeta(path)
	if err != nil {
		return nil, err
	}
	net, err := model.Load(f)
	if missing := (*option.MissingError)(nil); errors.As(err, &missing) {
		return nil, fmt.Errorf("%s: %w", path, missing)
	}
	if err != nil {
		return nil, &ckpt.CorruptError{Path: path, Reason: err.Error()}
	}
	config, err := configs.Parse(path+": attnconv.config", []byte(meta.Config))
	if err != nil {
		return nil, &ckpt.CorruptError{Path: path, Reason: err.Error()}
	}
	images, err := run.ParseImages(meta.Images)
	if err != nil {
		return nil, &ckpt.CorruptError{Path: path, Reason: "attnconv." + err.Error()}
	}
	return &Model{path, net, config, meta, images}, nil
}

// ID returns the id of the run whose folder holds the checkpoint, or else the checkpoint's path.
func (m *Model) ID() string {
	if dir := m.Run(); dir != nil {
		return dir.Status().ID
	}
	return m.Path
}

// file returns the weights as a checkpoint.
func (m *Model) file() *ckpt.File {
	return &ckpt.File{Meta: m.Meta.Strings(), Tensors: m.Net.Tensors()}
}

// Prune returns the model without its degenerate heads, which attend (almost) uniformly, and those that surgery has
// pruned, and their number in each layer. Its Config has the heads that are left. The error says why the heads of such
// a network cannot be removed.
func (m *Model) Prune() (pruned *Model, gone []int, err error) {
	layers, _ := m.Net.Heads()
	silent := heads.Silent(m.Net)
	small, err := heads.Prune(m.Net, func(layer, head int) bool {
		return layers[layer][head].Uniform() || slices.Contains(silent, heads.At{layer + 1, head + 1})
	})
	if err != nil {
		return nil, nil, err
	}
	for l, of := range layers {
		gone = append(gone, len(of)-small.Spec.Heads[l])
	}
	config := m.Config
	config.Model.Heads, config.Model.Layers, config.Train.Surgery = small.Spec.Heads, small.Spec.Layers, []string{}
	meta := m.Meta
	// no run has had these heads
	meta.Config, meta.Cursor, meta.Metrics, meta.Surgery = string(config.YAML()), "", nil, ""
	return &Model{m.Path, small, config, meta, m.images}, gone, nil
}

// Run returns the run whose folder holds the checkpoint, or nil.
func (m *Model) Run() *run.Dir { return runOf(m.Path) }

// runOf returns the run whose folder holds a checkpoint, or nil.
func runOf(path string) *run.Dir {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	dir, err := run.Open(path, "")
	if err != nil {
		return nil
	}
	return dir
}

// Source names the run or, without its folder, the file that the network is from, for a figure.
func (m *Model) Source() string {
	if dir := m.Run(); dir != nil {
		return dir.Status().Title()
	}
	return filepath.Base(m.Path)
}

// Caption describes the network in one line, for a figure: model, data, epoch and accuracy.
func (m *Model) Caption() string {
	parts := []string{m.Net.Spec.ShortName(), m.Config.Data.Name}
	acc, evaluated := m.Meta.Metrics["val_acc"]
	if m.Meta.Cursor != "" { // trained by this program
		c := train.Cursor{Epoch: m.Meta.Epoch}
		if json.Unmarshal([]byte(m.Meta.Cursor), &c) == nil && c.Batch > 0 {
			evaluated = false // the accuracy is that of an earlier epoch
		}
		parts = append(parts, c.Of(m.Config.Train.Epochs))
		if !evaluated {
			parts = append(parts, "not evaluated")
		}
	}
	if evaluated {
		parts = append(parts, fmt.Sprintf("val acc %.1f %%", 100*acc))
	}
	return strings.Join(parts, " · ")
}

// UnknownStartError is the error if the initial weights of a network are unknown.
type UnknownStartError struct{ Path, Why string }

func (e *UnknownStartError) Error() string {
	return fmt.Sprintf("%s: the initial weights of its network are unknown: %s", e.Path, e.Why)
}

func (e *UnknownStartError) ExitCode() int { return fault.Usage }
func (e *UnknownStartError) Hint() string  { return "without --null, the heads can be drawn" }

// started returns the run whose folder holds m, or nil. The error is an *UnknownStartError if settings and seed do not
// determine the initial weights.
func (m *Model) started() (*run.Dir, error) {
	if m.Meta.Cursor == "" {
		return nil, &UnknownStartError{m.Path, "it was not trained by this program"}
	}
	dir := m.Run()
	if dir != nil && dir.Status().From != "" {
		return nil, &UnknownStartError{m.Path, "its run began with the weights of " + dir.Status().From}
	}
	return dir, nil
}

// Untrained rebuilds the network before its first step from settings and seed, bit for bit. Heads that started where
// those of another network are come from the record of its run. The error may be an *UnknownStartError.
func (m *Model) Untrained() (*model.Network, error) {
	if _, err := m.started(); err != nil {
		return nil, err
	}
	if m.Config.Model.Whitens() {
		return nil, &UnknownStartError{m.Path, "with model.stem_init whitening they depend on training images"}
	}
	net, err := model.New(m.Config.Model, m.Config.Seed)
	if _, ok, _ := m.Config.Model.Donor(); err != nil || !ok {
		return net, err
	}
	first, err := m.InitialHeads()
	if err != nil {
		return nil, err
	}
	_, isotropic := net.Heads()
	return net, net.Place(model.Donor{Centers: true, Widths: true}, first, isotropic)
}

// InitialHeads returns the Gaussian heads of each layer before the first step, or nil if the network has none: as
// recorded by its run or, without the run's folder, rebuilt from settings and seed, bit for bit. The error may be an
// *UnknownStartError.
func (m *Model) InitialHeads() ([][]geometry.Head, error) {
	now, _ := m.Net.Heads()
	if now == nil {
		return nil, nil
	}
	dir, err := m.started()
	if err != nil {
		return nil, err
	}
	recorded, err := event.Heads{}, fs.ErrNotExist
	if dir != nil {
		recorded, err = run.ReadHeads(dir.HeadsPath(0))
	}
	if _, ok, _ := m.Config.Model.Donor(); ok && errors.Is(err, fs.ErrNotExist) {
		return nil, &UnknownStartError{m.Path, "its heads started where those of another network are"}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return model.InitialHeads(m.Config.Model, m.Config.Seed)
	}
	first := heads.Recorded(recorded)
	if err == nil && !slices.EqualFunc(now, first, func(a, b []geometry.Head) bool { return len(a) == len(b) }) {
		err = &UnknownStartError{m.Path, "the folder that it is in has the heads of another network"}
	}
	if err != nil {
		return nil, err
	}
	return first, nil
}

// Surgery returns what training did to heads, in order. The error is a *ckpt.CorruptError.
func (m *Model) Surgery() ([]event.Surgery, error) {
	done, err := heads.ParseSurgery(m.Net.Spec, m.Meta.Surgery)
	if err != nil {
		return nil, &ckpt.CorruptError{Path: m.Path, Reason: err.Error()}
	}
	return done, nil
}

// OpenData is Open of m.Origin. The error is also an *option.Error if classes or images of the set of that name do not
// fit the network.
func (m *Model) OpenData(name, dir string) (*data.Set, error) {
	set, err := m.Origin().Open(name, dir)
	if err != nil {
		return nil, err
	}
	return set, m.fits(set)
}

// fits returns an *option.Error for "data" unless the network has the classes and the image size of set.
func (m *Model) fits(set *data.Set) error {
	spec := m.Net.Spec
	if image := [3]int{set.Rows, set.Cols, set.Channels}; spec.Classes != len(set.Classes) || spec.Image != image {
		return option.Errorf("data", "%s: has %d classes and images of %v; the checkpoint's model takes %d classes "+
			"and %v",
			set.Name, len(set.Classes), image, spec.Classes, spec.Image)
	}
	return nil
}
