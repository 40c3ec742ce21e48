package train

import (
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/run"
)

// Documents lists the documents of --json.
var Documents = []term.Document{
	{Command: "train", Value: run.Summary{}},
	{Command: "train", If: "--dry-run", Value: TrainPlan{}},
	{Command: "train", If: "--seeds", Value: term.Several{}},
}

// TrainPlan is what train would do.
type TrainPlan struct {
	V        int     `json:"v"`              // 1
	Params   int     `json:"params"`         // number of trained values
	MACs     int     `json:"macs_run"`       // multiply-adds of an image that this program computes in evaluation
	Epochs   int     `json:"epochs"`         // planned
	Steps    int     `json:"steps"`          // planned
	StepS    float64 `json:"step_s"`         // of a step, the median of those measured
	Measured int     `json:"steps_measured"` // number of steps
	ETA      float64 `json:"eta_s"`          // of the whole run
}

// Forecast says how long the rest of a run takes: the line forecast of --progress json.
type Forecast struct {
	StepS    float64 `json:"step_s"`         // of a step, the median of those measured
	Measured int     `json:"steps_measured"` // number of steps
	ETA      float64 `json:"eta_s"`          // of the remaining steps
}

// SavedFiles names the files of a finished run: the line saved of --progress json.
type SavedFiles struct {
	Checkpoint string `json:"checkpoint"`       // path of the best
	Figure     string `json:"figure,omitempty"` // of the heads
}

// StopPoint says where a run stopped: the line stopped of --progress json.
type StopPoint struct {
	Step   int    `json:"step"`   // done
	Steps  int    `json:"steps"`  // planned
	Resume string `json:"resume"` // the command that resumes the run
}

// NextCommands lists commands to try after a run: the line next of --progress json.
type NextCommands struct {
	Commands []string `json:"commands"` // whole command lines
}
