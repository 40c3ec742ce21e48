package weights

import (
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/model/convert"
)

// Documents lists the documents of --json.
var Documents = []term.Document{
	{Command: "convert", Value: Conversion{}},
	{Command: "export", Value: Export{}, Or: []any{term.Several{}}},
	{Command: "import", Value: Import{}},
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
	V          int            `json:"v"`          // 1
	Checkpoint string         `json:"checkpoint"` // path
	Model      string         `json:"model"`      // kind of network
	Encoding   string         `json:"encoding"`   // of its attention; "": none
	Params     int            `json:"params"`     // number of trained values
	LeftOut    []string       `json:"left_out"`   // names of all that was left
	Weights    string         `json:"weights"`    // which set of weights; "": the file has none that is known
	Mean       []float32      `json:"mean"`       // of the channels, subtracted from a pixel's byte/255
	Std        []float32      `json:"std"`        // of the channels, by which the difference is divided
	Inventory  data.Inventory `json:"inventory"`  // what was taken and what was left
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
	Logits *Difference `json:"logits"`
	// of --to nearest, on validation images
	Accuracy *AccuracyChange `json:"accuracy,omitempty"`
}
