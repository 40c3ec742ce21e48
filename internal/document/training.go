package document

import (
	"encoding/json"

	"github.com/attnconv/attnconv/internal/foreign"
	"github.com/attnconv/attnconv/model/convert"
	"github.com/attnconv/attnconv/session/trained"
)

// Several has the documents of several runs.
type Several struct {
	V    int               `json:"v"`    // 1
	Runs []json.RawMessage `json:"runs"` // the document that the command writes of one run, for each
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

// FailureLine is the error with which a command ends: the line error of --progress json.
type FailureLine struct {
	Error Failure `json:"error"` // what failed
}

// Predictions classifies images.
type Predictions struct {
	V           int                  `json:"v"`               // 1
	Checkpoint  string               `json:"checkpoint"`      // path
	Predictions []trained.Prediction `json:"predictions"`     // in the order of the images
	Files       []string             `json:"files,omitempty"` // with -o: the figures
}

// Export is what export wrote.
type Export struct {
	V          int      `json:"v"`          // 1
	File       string   `json:"file"`       // path
	Checkpoint string   `json:"checkpoint"` // path of the source
	Model      string   `json:"model"`      // name of the network
	Elements   int      `json:"numbers"`    // number of values in all tensors
	Tensors    []Tensor `json:"tensors"`    // in the order of the file
}

// A Tensor is one array of weights.
type Tensor struct {
	Name  string `json:"name"`  // in the file
	Shape []int  `json:"shape"` // row-major
}

// Import is what import wrote.
type Import struct {
	V          int               `json:"v"`          // 1
	Checkpoint string            `json:"checkpoint"` // path
	Model      string            `json:"model"`      // kind of network
	Encoding   string            `json:"encoding"`   // of its attention; "": none
	Params     int               `json:"params"`     // number of trained values
	LeftOut    []string          `json:"left_out"`   // names of all that was left
	Weights    string            `json:"weights"`    // which set of weights; "": the file has none that is known
	Mean       []float32         `json:"mean"`       // of the channels, subtracted from a pixel's byte/255
	Std        []float32         `json:"std"`        // of the channels, by which the difference is divided
	Inventory  foreign.Inventory `json:"inventory"`  // what was taken and what was left
}

// Conversion is what convert wrote.
type Conversion struct {
	V          int             `json:"v"`          // 1
	Checkpoint string          `json:"checkpoint"` // path
	From       string          `json:"from"`       // path of the source
	Model      string          `json:"model"`      // kind of network
	Encoding   string          `json:"encoding"`   // of its attention; "": none
	Params     int             `json:"params"`     // number of trained values
	Layers     []convert.Layer `json:"layers"`     // that were converted
	// how far the logits are from those of the source, on training images; null without the data set
	Logits *trained.Difference `json:"logits"`
	// of --to nearest, on validation images
	Accuracy *trained.AccuracyChange `json:"accuracy,omitempty"`
}

// Demo has the results of the demo's steps.
type Demo struct {
	V      int        `json:"v"`      // 1
	Folder string     `json:"folder"` // that it wrote to
	Steps  []DemoStep `json:"steps"`  // in order
}

// A DemoStep is one command of the demo.
type DemoStep struct {
	Command string          `json:"command"` // as typed
	Result  json.RawMessage `json:"result"`  // its document
}
