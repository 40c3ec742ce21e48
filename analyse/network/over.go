package network

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/attnconv/attnconv/model"
)

// Epochs are analyses of the snapshots of one run.
type Epochs struct {
	V        int      `json:"v"`        // 1
	Source   string   `json:"source"`   // run
	Model    string   `json:"model"`    // kind of network
	Encoding string   `json:"encoding"` // of its attention; "": none
	Data     string   `json:"data"`     // name of the data set; "": no images were read
	Seed     uint64   `json:"seed"`     // of the run
	Images   Images   `json:"images"`   // that measures on data have read, the same after each epoch
	Epochs   []Epoch  `json:"epochs"`   // in order
	Notes    []string `json:"notes"`    // what was not measured, and why
}

// An Epoch is the layers after an epoch.
type Epoch struct {
	Epoch  int     `json:"epoch"`  // 0: before the first step
	Layers []Layer `json:"layers"` // from input to output
}

// EpochsOfRuns are analyses of the snapshots of several runs, and what they have in common.
type EpochsOfRuns struct {
	V     int         `json:"v"`     // 1
	Runs  []Epochs    `json:"runs"`  // in the order of the command line
	Seeds []SeedEpoch `json:"seeds"` // each epoch over all runs; empty: the runs have different epochs or layers
}

// A SeedEpoch is the layers after an epoch, over several runs.
type SeedEpoch struct {
	Epoch  int         `json:"epoch"`  // 0: before the first step
	Layers []SeedLayer `json:"layers"` // from input to output
}

// A Snapshot is a network after an epoch of its training.
type Snapshot struct {
	Epoch int
	Load  func() (*model.Network, error)
}

// Over measures the snapshots of a run in order and, as epoch 0, its start if that is known. Untrained networks are
// drawn once, for all of them. s.Net is the network after any epoch. The errors are those of Measure, with the epoch,
// and of Load.
func Over(ctx context.Context, s Subject, snapshots []Snapshot, o Options) (*Epochs, error) {
	if s.Start != nil {
		start := s.Start
		snapshots = append([]Snapshot{{0, func() (*model.Network, error) { return start, nil }}}, snapshots...)
	}
	if len(snapshots) == 0 {
		return nil, errors.New("no snapshots: want one or more")
	}
	all := &Epochs{V: 1, Epochs: []Epoch{}, Notes: []string{}}
	if s.Start == nil {
		all.Notes = append(all.Notes, "the weights before the first step are unknown: there is no epoch 0")
	}
	against := &baselines{}
	for i, snapshot := range snapshots {
		if s.Tell != nil {
			s.Tell("%s   epoch %d   snapshot %d of %d", s.Name, snapshot.Epoch, i+1, len(snapshots))
		}
		var err error
		if s.Net, err = snapshot.Load(); err != nil {
			return nil, err
		}
		d, err := measureAgainst(ctx, s, o, against)
		if err != nil {
			return nil, fmt.Errorf("epoch %d: %w", snapshot.Epoch, err)
		}
		all.Source, all.Model, all.Encoding, all.Data, all.Seed, all.Images = d.Source, d.Model, d.Encoding, d.Data,
			d.Seed, d.Images
		all.Epochs = append(all.Epochs, Epoch{Epoch: snapshot.Epoch, Layers: d.Layers})
		for _, n := range d.Notes {
			if !slices.Contains(all.Notes, n) {
				all.Notes = append(all.Notes, n)
			}
		}
	}
	return all, nil
}

// at returns the analysis after the epoch with index e.
func at(d Epochs, e int) Analysis {
	return Analysis{V: 1, Source: d.Source, Model: d.Model, Encoding: d.Encoding, Data: d.Data, Seed: d.Seed,
		Images: d.Images,
		Layers: d.Epochs[e].Layers, Notes: d.Notes}
}

// After returns the analysis of each run after its measured epoch e, counted from 0, of the runs that have so many.
func After(runs []Epochs, e int) (all []Analysis) {
	for _, d := range runs {
		if e < len(d.Epochs) {
			all = append(all, at(d, e))
		}
	}
	return all
}

// SeedsOver is Seeds after each epoch. It is empty for fewer than two runs, and if their epochs or layers differ. Its
// p-values are corrected for the layers, not for the epochs.
func SeedsOver(runs []Epochs) []SeedEpoch {
	all := []SeedEpoch{}
	if len(runs) < 2 {
		return all
	}
	for _, d := range runs[1:] {
		if !slices.EqualFunc(d.Epochs, runs[0].Epochs, func(a, b Epoch) bool { return a.Epoch == b.Epoch }) {
			return all
		}
	}
	for e, epoch := range runs[0].Epochs {
		layers := Seeds(After(runs, e))
		if len(layers) == 0 {
			return []SeedEpoch{}
		}
		all = append(all, SeedEpoch{Epoch: epoch.Epoch, Layers: layers})
	}
	return all
}
