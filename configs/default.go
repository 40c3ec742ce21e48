package configs

import (
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/train"
)

// Default is the run that no preset, file or flag changes.
func Default() Run {
	return Run{
		Model: model.Default(),
		Data:  data.Options{Name: "auto", ValSize: 5000, Protocol: "holdout", Augment: []string{"crop", "flip"}},
		Train: train.Default(),
	}
}
