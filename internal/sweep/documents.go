package sweep

import "github.com/attnconv/attnconv/null"

// PlanSummary is a planned sweep.
type PlanSummary struct {
	V      int     `json:"v"`      // 1
	Path   string  `json:"path"`   // of its folder; "" on a dry run
	Trials int     `json:"trials"` // number of runs
	ETA    float64 `json:"eta_s"`  // of all runs, one after the other
	Axes   []Axis  `json:"axes"`   // the settings that vary, the seed last
	// which runs are trained for how long; omitted: all to the end
	Halving *Halving `json:"halving,omitempty"`
}

// An Axis is a setting that varies in a sweep.
type Axis struct {
	Key    string   `json:"key"`             // such as train.lr
	Values []string `json:"values"`          // to try
	Range  string   `json:"range,omitempty"` // that the values were drawn from; omitted: none
}

// A Point is one combination of settings, with the runs that differ only in the seed.
type Point struct {
	Settings map[string]string `json:"settings"`         // of the axes except the seed, by key
	Runs     []string          `json:"runs"`             // folders of the finished ones
	Planned  int               `json:"planned"`          // number of runs
	Diverged int               `json:"diverged"`         // number of runs
	Pruned   int               `json:"pruned,omitempty"` // number of runs that halving trains no further
	ValAcc   *Spread           `json:"val_acc"`          // null: no run is finished
	TestAcc  *Spread           `json:"test_acc"`         // null unless chosen
	// the best of its model by validation accuracy, once all runs are finished
	Chosen bool    `json:"chosen"`
	WallS  *Spread `json:"wall_s"` // of a run
	// images that val_acc is of, if they are not all: 1,000 of 5,000 validation images
	ValOn string `json:"val_on,omitempty"`
	// images that test_acc is of, if they are not all: 1,000 of 10,000 test images
	TestOn string `json:"test_on,omitempty"`
}

// A Spread is mean and standard deviation over runs.
type Spread struct {
	N    int        `json:"n"`    // number of runs
	Mean float64    `json:"mean"` // over the runs
	Std  null.Float `json:"std"`  // with n-1 in the denominator; null if n is 1
}

// Status is how far the runs of a sweep are.
type Status struct {
	V    int    `json:"v"`    // 1
	Path string `json:"path"` // of its folder
	Runs int    `json:"runs"` // planned
	// number of runs in each state: those of a run, waiting, queued, lost, broken, paused and pruned
	States  map[string]int `json:"states"`
	Left    float64        `json:"left_s"`  // planned seconds of the runs that are not finished, one after the other
	Jobs    []Job          `json:"jobs"`    // that were submitted, the oldest first
	Running []Progress     `json:"running"` // in the order of the plan
	// runs that failed, were lost, are broken or diverged, in the order of the plan
	Problems []Problem `json:"problems"`
	Halving  *Rung     `json:"halving,omitempty"` // the rung that is being trained
}

// A Rung is a stretch of epochs that halving trains.
type Rung struct {
	Number int `json:"rung"`   // from 1
	Of     int `json:"of"`     // number of rungs; the last is that to the end
	Epochs int `json:"epochs"` // at its end
	Points int `json:"points"` // combinations of settings that are trained in it
}

// A Job is a job array that was submitted to an engine.
type Job struct {
	Engine  string `json:"engine"`   // slurm, sge, kubernetes or hyperqueue
	ID      string `json:"id"`       // that the engine gave; "": it was not accepted
	Collect string `json:"collect"`  // id of the job that collects afterwards; "": none
	Runs    string `json:"runs"`     // of the plan, as ranges: 0-3,7
	Tasks   int    `json:"tasks"`    // of the array
	Pack    int    `json:"pack"`     // runs of a task, one after the other
	TimeS   int    `json:"time_s"`   // limit of a task
	Memory  int64  `json:"memory_b"` // of a task, in bytes
	Cores   int    `json:"cores"`    // of a task
	Script  string `json:"script"`   // path of what was submitted
	Created string `json:"created"`  // RFC 3339
}

// A Progress is a run of a sweep that is being trained.
type Progress struct {
	Trial  int    `json:"trial"`  // in the plan, from 0
	Name   string `json:"name"`   // of its folder
	Epoch  int    `json:"epoch"`  // done
	Epochs int    `json:"epochs"` // planned
	Step   int    `json:"step"`   // done
	Steps  int    `json:"steps"`  // planned
}

// A Problem is a run of a sweep that ended without success.
type Problem struct {
	Trial int    `json:"trial"` // in the plan, from 0
	Name  string `json:"name"`  // of its folder
	State string `json:"state"` // failed, lost, broken or diverged
	Error string `json:"error"` // why
	Task  string `json:"task"`  // the engine's names of job and task; "": none
	Log   string `json:"log"`   // path of the file with what it said; "": unknown
}

// SubmissionReport is a job array that was submitted, or with --print would be.
type SubmissionReport struct {
	V int `json:"v"` // 1
	Job
	Text  string `json:"text"`  // what was submitted
	Watch string `json:"watch"` // the command that shows the job; "" with --print
}
