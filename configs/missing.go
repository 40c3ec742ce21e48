package configs

import (
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/invalid"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/train"
)

// explainMissing returns err, or, where a run's own text has a key that is not known because it names a kind that another
// program has registered, an error that says so: it wraps an *option.Missing.
func explainMissing(err error, name string, text []byte) error {
	var unknown *Error
	if !errors.As(err, &unknown) {
		return err
	}
	if missing := missingIn(text); missing != nil {
		return fmt.Errorf("%s: %w", name, missing)
	}
	return err
}

// missingIn returns the first kind that a run's text names and this program does not have.
func missingIn(text []byte) error {
	var doc struct {
		Model yaml.Node            `yaml:"model"`
		Train map[string]yaml.Node `yaml:"train"`
		Data  map[string]yaml.Node `yaml:"data"`
	}
	if len(text) > maxFile || yaml.Unmarshal(text, &doc) != nil {
		return nil
	}
	if err := model.Missing(&doc.Model); err != nil {
		return err
	}
	for _, what := range []string{"optimizer", "schedule", "loss"} {
		if n, ok := doc.Train[what]; ok && n.Kind == yaml.ScalarNode {
			if err := train.Missing(what, n.Value); err != nil {
				return err
			}
		}
	}
	if n, ok := doc.Data["name"]; ok && n.Kind == yaml.ScalarNode && len(doc.Data) > 0 {
		return missingSet(n.Value, doc.Data)
	}
	return nil
}

// missingSet returns an *option.Missing where the data of a run have options that no set here has, and are none of these
// sets.
func missingSet(name string, settings map[string]yaml.Node) error {
	if data.Kinds.Has(name) {
		return nil
	}
	for key := range settings {
		if _, known := current().byKey["data."+key]; !known {
			return &option.Missing{Key: "data.name", Name: name, By: "data.Register", Near: invalid.Nearest(name, data.Kinds.Names())}
		}
	}
	return nil
}
