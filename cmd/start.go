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

// An unknownStart says why the initial weights of a network are unknown.
type unknownStart struct{ path, why string }

func (e *unknownStart) Error() string {
	return fmt.Sprintf("%s: the initial weights of its network are unknown: %s", e.path, e.why)
}

// originRun returns the run whose folder holds m, or nil. The error is an *unknownStart if settings and seed do not
// determine the initial weights.
func (m loaded) originRun() (*run.Dir, error) {
	if m.meta.Cursor == "" {
		return nil, &unknownStart{m.path, "it was not trained by this program"}
	}
	dir := runOf(m.path)
	if dir != nil && dir.Status().From != "" {
		return nil, &unknownStart{m.path, "its run began with the weights of " + dir.Status().From}
	}
	return dir, nil
}

// untrained rebuilds the network of m before its first step from settings and seed, bit for bit. The error may be an
// *unknownStart.
func (m loaded) untrained() (*model.Network, error) {
	if _, err := m.originRun(); err != nil {
		return nil, err
	}
	return model.New(m.config.Model, m.config.Seed)
}

// initialHeads returns the Gaussian heads of m before its first step, or nil if it has none: as recorded by its run or,
// without the run's folder, rebuilt from settings and seed, bit for bit. The error may be an *unknownStart.
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

// headsAfter reads the heads of all layers from the file that a run wrote after an epoch.
func headsAfter(path string) (layers [][]posenc.Head, err error) {
	moment, err := readHeads(path)
	for _, l := range moment.Layers {
		layers = append(layers, headsOf(l))
	}
	return layers, err
}

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

// headsOf converts the recorded heads of a layer.
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
