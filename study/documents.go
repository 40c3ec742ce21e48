package study

import (
	"github.com/attnconv/attnconv/model/heads"
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/run/event"
)

// Inspection describes a network.
type Inspection struct {
	V         int    `json:"v"`                // 1
	Source    string `json:"source"`           // preset, file, run or checkpoint
	Model     string `json:"model"`            // kind of network
	Encoding  string `json:"encoding"`         // of its attention; "": none
	Params    int    `json:"params"`           // number of values
	Trainable int    `json:"params_trainable"` // of these, trained ones
	// multiply-adds of an image, with attention over all pairs of tokens
	MACs int `json:"macs"`
	// multiply-adds of an image that this program computes in evaluation
	MACsRun int `json:"macs_run"`
	// multiply-adds of linear maps and convolutions, as the paper counts
	MACsPaper int              `json:"macs_paper"`
	Layers    []Layer          `json:"layers"` // from input to output
	Heads     []heads.Gaussian `json:"heads"`  // Gaussian ones
	// by layer: the largest distance from the query, in pixels, that 90 % of the weight of every head lies within
	Reach  []null.Float `json:"reach"`
	Nulls  []HeadNull   `json:"head_nulls"` // of trained Gaussian heads
	Memory MemoryBytes  `json:"memory"`     // that its graphs need

	Surgery []event.Surgery `json:"surgery,omitempty"` // what training did to heads, in order (train.surgery)
}

// A Layer is one part of a network.
type Layer struct {
	Path      string `json:"path"`            // of its parameters
	Block     string `json:"block"`           // that it belongs to
	Kind      string `json:"kind"`            // of operation
	OutShape  []int  `json:"out_shape"`       // without the batch
	Params    int    `json:"params"`          // number of values
	MACs      int    `json:"macs"`            // multiply-adds of an image, as in the whole
	MACsRun   int    `json:"macs_run"`        // multiply-adds of an image, as in the whole
	MACsPaper int    `json:"macs_paper"`      // multiply-adds of an image, as in the whole
	Field     [2]int `json:"receptive_field"` // pixels of the image that an output depends on: rows, columns
}

// MemoryBytes is the memory of a network, in bytes.
type MemoryBytes struct {
	Params     int `json:"params"`      // values
	Checkpoint int `json:"checkpoint"`  // with the solver's state
	Train      int `json:"train"`       // of a training step
	TrainBatch int `json:"train_batch"` // images of that step
	Eval       int `json:"eval"`        // of an evaluation step
	EvalBatch  int `json:"eval_batch"`  // images of that step
}
