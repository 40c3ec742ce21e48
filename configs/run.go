// Package configs says what a run is: the model, the data and the training options together, where each value comes
// from, and the presets. Values come in layers, each over the ones before:
//
//	default < preset < -c file (left to right) < environment < flag < --set
//
// and every value remembers its layer, so that an error names the flag or the line that the user can change.
//
// Resolve puts the layers together, Preset returns one preset, Parse reads a run's config.yaml.
//
// Stable: the keys of settings, Run, Resolve, Parse, Preset and Error. Other names follow the commands.
package configs

import (
	"bytes"

	"go.yaml.in/yaml/v3"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/train"
)

// A Run is everything that decides a training run, except for the machine and the name of its folder.
type Run struct {
	Preset string        `yaml:"preset"` // what the other values were taken from, where nothing else set them
	Seed   uint64        `yaml:"seed"`
	Model  model.Spec    `yaml:"model"`
	Data   data.Options  `yaml:"data"`
	Train  train.Options `yaml:"train"`
}

// Loader returns the batches that the run trains on: shuffled and augmented.
func (r Run) Loader(on data.Split) (*data.Loader, error) {
	return data.NewLoader(on, data.LoaderOptions{Batch: r.Train.Batch, Seed: r.Seed, Augment: r.Data.Augment,
		Shuffle: true})
}

// Default is the run that no preset, file or flag changes.
func Default() Run {
	return Run{Model: model.Default(), Data: data.Default(), Train: train.Default()}
}

// Validate reports the first value that cannot be used, as an *option.Error.
func (r Run) Validate() error {
	if err := r.Model.Validate(); err != nil {
		return err
	}
	if err := sets.Validate(r.Data); err != nil {
		return err
	}
	if err := r.Train.Validate(); err != nil {
		return err
	}
	if len(r.Train.Resolutions) > 0 && r.Data.Permute != 0 {
		return option.Errorf("train.resolutions",
			"%v: pixels in the order of data.permute have no neighbors to average with; want none",
			r.Train.Resolutions)
	}
	if err := r.Model.CheckSurgery(r.Train.Surgery); err != nil {
		return err
	}
	return r.Model.CheckFreeze(r.Train.Freeze)
}

// Parse reads a run from the text of a YAML file, such as the one in a run's folder or in a checkpoint. What the text
// does not say has its default: a preset that the text names is not looked up. name is what errors call the text. The
// values have the right type; whether they make sense is for Validate to say. The error wraps an *option.MissingError
// where the text needs a kind that another program has registered.
func Parse(name string, text []byte) (Run, error) {
	if r, ok := quick(text); ok {
		return r, nil
	}
	l, err := readLayer(text, Origin{Kind: FromFile, Name: name})
	if err != nil {
		return Run{}, explainMissing(err, name, text)
	}
	return decodeRun(l)
}

// YAML returns the text of a file that Parse turns into r again, bit for bit.
func (r Run) YAML() []byte {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	tree := encodeRun(r)
	portable(tree)
	if err := enc.Encode(tree); err != nil {
		panic(err) // a tree of these scalars has nothing that cannot be written
	}
	return b.Bytes()
}
