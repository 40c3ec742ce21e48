package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/run"
)

// A unknownStart says why it is not known how a network stood before its first step.
type unknownStart struct{ path, why string }

func (e *unknownStart) Error() string {
	return fmt.Sprintf("%s: how its network stood before the first step is not known: %s", e.path, e.why)
}

// originRun returns the run in whose folder m lies, or nil. The error is a *noStart for weights that did not begin with what
// the run's settings and seed make.
func (m loaded) originRun() (*run.Dir, error) {
	if m.meta.Cursor == "" {
		return nil, &unknownStart{m.path, "no run of this program trained it"}
	}
	dir := runOf(m.path)
	if dir != nil && dir.Status().From != "" {
		return nil, &unknownStart{m.path, "its run began with the weights of " + dir.Status().From}
	}
	return dir, nil
}

// untrained returns the network of m as it was before its first step: the one that the run's settings and seed make, bit
// for bit. The error is a *noStart for weights that began elsewhere.
func (m loaded) untrained() (*model.Network, error) {
	if _, err := m.originRun(); err != nil {
		return nil, err
	}
	return model.New(m.config.Model, m.config.Seed)
}

// initialHeads returns where the Gaussian heads of m stood before its first step: as its run wrote it down or, without
// the run's folder, rebuilt from settings and seed, which gives the same numbers. They are nil for a model without such
// heads; the error is a *noStart for weights that began elsewhere.
func (m loaded) initialHeads() ([][]posenc.Head, error) {
	if heads, _ := m.net.Heads(); heads == nil {
		return nil, nil
	}
	dir, err := m.originRun()
	if err != nil {
		return nil, err
	}
	if dir != nil {
		heads, err := headsAfter(dir.HeadsPath(0))
		if !errors.Is(err, fs.ErrNotExist) {
			return heads, err
		}
	}
	return model.InitialHeads(m.config.Model, m.config.Seed)
}

// runOf is the run in whose folder a checkpoint lies, or nil.
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

// headsAfter reads where the heads of all layers looked after an epoch, from the file in which a run wrote it down.
func headsAfter(path string) (layers [][]posenc.Head, err error) {
	moment, err := readHeads(path)
	for _, l := range moment.Layers {
		layers = append(layers, headsOf(l))
	}
	return layers, err
}

// readHeads reads one file of a run's folder heads.
func readHeads(path string) (heads run.Heads, err error) {
	b, err := run.ReadFile(path)
	if err != nil {
		return heads, err
	}
	var r run.Record
	if err := json.Unmarshal(b, &r); err != nil {
		return heads, &run.Corrupt{Path: path, Reason: err.Error()}
	}
	heads, ok := r.Event.(run.Heads)
	if !ok {
		return heads, &run.Corrupt{Path: path, Reason: "want heads, got " + run.Kind(r.Event)}
	}
	return heads, nil
}

// headsOf are the heads of a layer that a run wrote down.
func headsOf(l run.HeadLayer) []posenc.Head {
	heads := make([]posenc.Head, len(l.Centers))
	for i, center := range l.Centers {
		heads[i].Center = center
		if i < len(l.Precision) {
			heads[i].Precision = l.Precision[i]
		} else if i < len(l.Alpha) {
			heads[i].Precision = [2][2]float64{{2 * l.Alpha[i], 0}, {0, 2 * l.Alpha[i]}}
		}
	}
	return heads
}
