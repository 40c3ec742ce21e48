package configs

import (
	"strings"

	"github.com/attnconv/attnconv/run"
)

// Of returns the configuration of a run, from its folder. The error is an *Error if the file is not valid.
func Of(d *run.Dir) (Run, error) {
	if d == nil {
		return Run{}, &Error{Where: "config.yaml", Msg: "there is no run: the folder is nil",
			Hint: "open one with run.Open"}
	}
	text, err := d.Config()
	if err != nil {
		return Run{}, err
	}
	return Parse(d.Path+"/config.yaml", text)
}

// OfEntry returns the configuration of a listed run.
func OfEntry(e run.Entry) (Run, error) {
	d, err := e.Open()
	if err != nil {
		return Run{}, err
	}
	return Of(d)
}

// Uses reports whether the setting key has any effect on the run: the width of a residual network has none on
// attention.
func (r Run) Uses(key string) bool {
	setting, ofModel := strings.CutPrefix(key, "model.")
	return !ofModel || r.Model.Uses(setting)
}

// Base returns the configuration of the preset that the run began with, or the defaults if it had none or one that this
// version does not have.
func (r Run) Base() Run {
	base, err := Preset(r.Preset)
	if err != nil {
		return Default()
	}
	return base
}

// FastDevRun lists the settings of --fast-dev-run: two steps and one evaluation.
func FastDevRun() []Flag {
	flag := func(key, text string) Flag { return Flag{Name: "--fast-dev-run", Key: key, Text: text} }
	return []Flag{
		flag("train.epochs", "1"), flag("train.limit_train_batches", "2"), flag("train.limit_val_batches", "1"),
	}
}

// IsFastDevRun reports whether the run has the settings of --fast-dev-run.
func (r Run) IsFastDevRun() bool {
	o := r.Train
	return o.Epochs == 1 && o.TrainBatches == 2 && o.ValBatches == 1
}
