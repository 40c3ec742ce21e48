package train

import (
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/session"
)

// Documents lists the documents of --json.
var Documents = []term.Document{
	{Command: "train", Value: run.Summary{}},
	{Command: "train", If: "--dry-run", Value: session.TrainPlan{}},
	{Command: "train", If: "--seeds", Value: term.Several{}},
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
