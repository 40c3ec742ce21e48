package report

import "time"

// Runs is the list of runs.
type Runs struct {
	V    int   `json:"v"`    // 1
	Runs []Run `json:"runs"` // in the order of --sort
}

// A Run is one run of the list: what its folder records.
type Run struct {
	ID       string            `json:"id"`              // four letters and digits
	Name     string            `json:"name"`            // of its folder
	Path     string            `json:"path"`            // of its folder
	State    string            `json:"state"`           // running, stopped, done, failed, diverged or unreadable
	Why      string            `json:"why,omitempty"`   // why the state differs from the recorded one
	Started  time.Time         `json:"started"`         // RFC 3339
	Preset   string            `json:"preset"`          // that its settings began with; "": none
	Model    string            `json:"model"`           // kind of network
	Encoding string            `json:"encoding"`        // of its attention; "": none
	Data     string            `json:"data"`            // name of the data set
	Seed     uint64            `json:"seed"`            // of all its random numbers
	Params   int               `json:"params"`          // number of trained values
	Epoch    int               `json:"epoch"`           // done
	Epochs   int               `json:"epochs"`          // planned
	Step     int               `json:"step"`            // done
	Steps    int               `json:"steps"`           // planned
	Best     int               `json:"best_epoch"`      // with the highest validation accuracy; 0: none yet
	ValAcc   *float64          `json:"val_acc"`         // of the best epoch
	TestAcc  *float64          `json:"test_acc"`        // of the best epoch's weights; null until the run is done
	WallS    *float64          `json:"wall_s"`          // of training so far
	Tags     []string          `json:"tags"`            // as runs tag set them
	Note     string            `json:"note"`            // as runs note set it
	Differs  map[string]string `json:"differs"`         // settings that differ from the preset, by key; null: they cannot be read
	Error    string            `json:"error,omitempty"` // why run.json cannot be read
}

// RunDetails is one run with its epochs.
type RunDetails struct {
	V int `json:"v"` // 1
	Run
	Checkpoint string     `json:"checkpoint"` // path of the best; "": none
	Bytes      int64      `json:"bytes"`      // of all its files
	EpochRows  []Epoch    `json:"epoch_rows"` // from the first on
	Nulls      []HeadNull `json:"head_nulls"` // of its current Gaussian heads; empty without such heads
}

// An Epoch is one epoch of a run.
type Epoch struct {
	Epoch     int      `json:"epoch"`      // from 1
	Step      int      `json:"step"`       // of the run, at its end
	TrainLoss *float64 `json:"train_loss"` // mean over the epoch
	TrainAcc  *float64 `json:"train_acc"`  // mean over the epoch
	ValLoss   *float64 `json:"val_loss"`   // at its end; null: not evaluated
	ValAcc    *float64 `json:"val_acc"`    // at its end; null: not evaluated
	LR        *float64 `json:"lr"`         // learning rate of its last step
	ImgS      *float64 `json:"img_s"`      // images per second
	WallS     *float64 `json:"wall_s"`     // of this epoch
	Best      bool     `json:"best"`       // it was the best so far, of those with its side

	Side int `json:"side,omitempty"` // of its images in pixels, where they were reduced
}

// A HeadNull compares a statistic of trained heads with its null distribution: that of untrained heads.
type HeadNull struct {
	Name  string   `json:"name"`  // of the statistic
	Heads int      `json:"heads"` // that it is taken over
	Now   *float64 `json:"now"`   // of the trained heads
	Start *float64 `json:"start"` // of the same heads before the first step; null: unknown
	Mean  *float64 `json:"mean"`  // over the untrained heads of seeds seeds
	Lo    *float64 `json:"lo"`    // lower end of the central 95 %
	Hi    *float64 `json:"hi"`    // upper end
	Seeds int      `json:"seeds"` // drawn
}

// RunsDiff has the settings in which runs differ.
type RunsDiff struct {
	V        int       `json:"v"`        // 1
	Runs     []string  `json:"runs"`     // ids, in the order of the command line
	Settings []Setting `json:"settings"` // that are not the same in all runs
}

// A Setting is a setting in which runs differ.
type Setting struct {
	Key    string   `json:"key"`    // such as train.lr
	Values []string `json:"values"` // as YAML on one line, in the order of the runs
}

// Labels has the labels of runs after a change.
type Labels struct {
	V    int     `json:"v"`    // 1
	Runs []Label `json:"runs"` // that were changed
}

// A Label is what a person noted about a run.
type Label struct {
	ID   string   `json:"id"`   // of the run
	Path string   `json:"path"` // of its folder
	Tags []string `json:"tags"` // all of them
	Note string   `json:"note"` // "": none
}

// Removal lists what was removed, or on a dry run what would be.
type Removal struct {
	V       int       `json:"v"`       // 1
	Removed []Removed `json:"removed"` // files and folders
	Bytes   int64     `json:"bytes"`   // of all of them
}

// A Removed is one file or folder.
type Removed struct {
	Path  string `json:"path"`          // of the file or folder
	Why   string `json:"why,omitempty"` // it is no longer needed
	Bytes int64  `json:"bytes"`         // that it takes
}
