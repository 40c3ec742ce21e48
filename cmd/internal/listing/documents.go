package listing

import (
	"time"

	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/study"
)

// ListReport is the list of runs.
type ListReport struct {
	V    int      `json:"v"`    // 1
	Runs []Record `json:"runs"` // in the order of --sort
}

// NewListReport returns the document of a list.
func NewListReport(list []ListRow) ListReport {
	d := ListReport{V: 1, Runs: []Record{}}
	for _, l := range list {
		d.Runs = append(d.Runs, l.Record)
	}
	return d
}

// A Record is one run of the list: what its folder records.
type Record struct {
	ID       string     `json:"id"`            // four letters and digits
	Name     string     `json:"name"`          // of its folder
	Path     string     `json:"path"`          // of its folder
	State    string     `json:"state"`         // running, stopped, done, failed, diverged or unreadable
	Why      string     `json:"why,omitempty"` // why the state differs from the recorded one
	Started  time.Time  `json:"started"`       // RFC 3339
	Preset   string     `json:"preset"`        // that its settings began with; "": none
	Model    string     `json:"model"`         // kind of network
	Encoding string     `json:"encoding"`      // of its attention; "": none
	Data     string     `json:"data"`          // name of the data set
	Seed     uint64     `json:"seed"`          // of all its random numbers
	Params   int        `json:"params"`        // number of trained values
	Epoch    int        `json:"epoch"`         // done
	Epochs   int        `json:"epochs"`        // planned
	Step     int        `json:"step"`          // done
	Steps    int        `json:"steps"`         // planned
	Best     int        `json:"best_epoch"`    // with the highest validation accuracy; 0: none yet
	ValAcc   null.Float `json:"val_acc"`       // of the best epoch
	TestAcc  null.Float `json:"test_acc"`      // of the best epoch's weights; null until the run is done
	// images that val_acc is of, if they are not all: 1,000 of 5,000 validation images
	ValOn string `json:"val_on,omitempty"`
	// images that test_acc is of, if they are not all: 1,000 of 10,000 test images
	TestOn string     `json:"test_on,omitempty"`
	WallS  null.Float `json:"wall_s"` // of training so far
	Tags   []string   `json:"tags"`   // as runs tag set them
	Note   string     `json:"note"`   // as runs note set it
	// settings that differ from the preset, by key; null: they cannot be read
	Differs map[string]string `json:"differs"`
	Error   string            `json:"error,omitempty"` // why run.json cannot be read
}

// RunDetails is one run with its epochs.
type RunDetails struct {
	V int `json:"v"` // 1
	Record
	Checkpoint string           `json:"checkpoint"` // path of the best; "": none
	Bytes      int64            `json:"bytes"`      // of all its files
	EpochRows  []EpochRow       `json:"epoch_rows"` // from the first on
	Nulls      []study.HeadNull `json:"head_nulls"` // of its current Gaussian heads; empty without such heads

	Images  *run.Images     `json:"images"`            // that it was trained on; null: a run of an earlier version
	Surgery []event.Surgery `json:"surgery,omitempty"` // what was done to heads, in order
}

// An EpochRow is one epoch of a run.
type EpochRow struct {
	Epoch     int        `json:"epoch"`      // from 1
	Step      int        `json:"step"`       // of the run, at its end
	TrainLoss null.Float `json:"train_loss"` // mean over the epoch
	TrainAcc  null.Float `json:"train_acc"`  // mean over the epoch
	ValLoss   null.Float `json:"val_loss"`   // at its end; null: not evaluated
	ValAcc    null.Float `json:"val_acc"`    // at its end; null: not evaluated
	LR        null.Float `json:"lr"`         // learning rate of its last step
	ImgS      null.Float `json:"img_s"`      // images per second
	WallS     null.Float `json:"wall_s"`     // of this epoch
	Best      bool       `json:"best"`       // it was the best so far, of those with its side

	Side int `json:"side,omitempty"` // of its images in pixels, where they were reduced
}

// SettingsDiff has the settings in which runs differ, and their results.
type SettingsDiff struct {
	V        int           `json:"v"`        // 1
	Runs     []string      `json:"runs"`     // ids, in the order of the command line
	Settings []SettingDiff `json:"settings"` // that are not the same in all runs
	Results  []ResultDiff  `json:"results"`  // also those that are the same
}

// A ResultDiff is one result of several runs.
type ResultDiff struct {
	Name   string       `json:"name"`   // val_acc, test_acc, best_epoch, epoch, params or wall_s
	Values []null.Float `json:"values"` // in the order of the runs; null: unknown
	Head   string       `json:"-"`      // of its line in a table
	Texts  []string     `json:"-"`      // the values for people
}

// A SettingDiff is a setting in which runs differ.
type SettingDiff struct {
	Key    string   `json:"key"`    // such as train.lr
	Values []string `json:"values"` // as YAML on one line, in the order of the runs
}
