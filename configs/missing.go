package configs

import (
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/attnconv/attnconv/internal/own"
	"github.com/attnconv/attnconv/internal/strict"
	"github.com/attnconv/attnconv/model"
)

// explainMissing returns err, or, where a run's own text has a key that is not known because it names a kind that
// another program has registered, an error that says so: it wraps an *option.MissingError.
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
		Model yaml.Node `yaml:"model"`
		Train yaml.Node `yaml:"train"`
		Data  yaml.Node `yaml:"data"`
	}
	if len(text) > maxFile || yaml.Unmarshal(text, &doc) != nil {
		return nil
	}
	if err := model.Missing(&doc.Model); err != nil {
		return err
	}
	if err := own.Missing(strict.Words(&doc.Train), own.Section("train").Kinds...); err != nil {
		return err
	}
	for key := range strict.Words(&doc.Data) {
		if _, known := current().byKey["data."+key]; !known { // else it names an imported set or a folder
			return own.Missing(strict.Words(&doc.Data), own.Section("data").Kinds...)
		}
	}
	return nil
}
