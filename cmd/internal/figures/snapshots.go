package figures

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/model/heads"
	"github.com/attnconv/attnconv/posenc/geometry"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/viz"
)

// Snapshots reads the Gaussian heads that a run recorded before training and after its epochs, in order, for
// viz.Animate; nil means all layers. It returns none for a run without such heads. The error is an *option.Error for
// "layers", or a *run.CorruptError.
func Snapshots(dir *run.Dir, layers []int) (snapshots []viz.Snapshot, err error) {
	names, err := filepath.Glob(filepath.Join(dir.Path, "heads", "epoch-*.json"))
	if err != nil {
		return nil, err
	}
	var moments []event.Heads
	for _, name := range names {
		m, err := run.ReadHeads(name)
		if err != nil {
			return nil, err
		}
		moments = append(moments, m)
	}
	slices.SortFunc(moments, func(a, b event.Heads) int { return cmp.Compare(a.Epoch, b.Epoch) })
	for _, m := range moments {
		l, err := Layers(heads.Recorded(m), layers)
		if err != nil {
			return nil, err
		}
		snapshots = append(snapshots, viz.Snapshot{Title: fmt.Sprintf("epoch %d", m.Epoch), Layers: l})
	}
	return snapshots, nil
}

// Start returns the heads of a run before its first step; nil if it recorded none, or began with trained weights.
func Start(dir *run.Dir) [][]geometry.Head {
	recorded, err := run.ReadHeads(dir.HeadsPath(0))
	if err != nil || dir.Status().From != "" {
		return nil
	}
	return heads.Recorded(recorded)
}

// Paths draws how the Gaussian heads of a run moved.
func Paths(dir *run.Dir, snapshots []viz.Snapshot, o viz.AnimateOptions) (*viz.Animation, error) {
	config, err := configs.Of(dir)
	if err != nil {
		return nil, err
	}
	a, err := viz.Animate(snapshots, o)
	if err != nil {
		return nil, err
	}
	a.Source, a.Caption = dir.Status().Title(), config.Model.ShortName()+" · "+config.Data.Name
	return a, nil
}
