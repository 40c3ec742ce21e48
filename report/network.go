package report

// Inspection describes a network.
type Inspection struct {
	V         int         `json:"v"`                // 1
	Source    string      `json:"source"`           // preset, file, run or checkpoint
	Model     string      `json:"model"`            // kind of network
	Encoding  string      `json:"encoding"`         // of its attention; "": none
	Params    int         `json:"params"`           // number of values
	Trainable int         `json:"params_trainable"` // of these, trained ones
	MACs      int         `json:"macs"`             // multiply-adds of an image, with attention over all pairs of tokens
	MACsRun   int         `json:"macs_run"`         // multiply-adds of an image that this program computes in evaluation
	MACsPaper int         `json:"macs_paper"`       // multiply-adds of linear maps and convolutions, as the paper counts
	Layers    []Layer     `json:"layers"`           // from input to output
	Heads     []Head      `json:"heads"`            // Gaussian ones
	Reach     []*float64  `json:"reach"`            // by layer: the largest distance from the query, in pixels, that 90 % of the weight of every head lies within
	Nulls     []HeadNull  `json:"head_nulls"`       // of trained Gaussian heads
	Memory    MemoryBytes `json:"memory"`           // that its graphs need
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

// A Head is one Gaussian head. Lengths are in tokens.
type Head struct {
	Layer      int           `json:"layer"`           // from 1
	Head       int           `json:"head"`            // from 1
	Kind       string        `json:"kind"`            // encoding of its layer: quadratic (isotropic) or quadratic-general
	Center     [2]float64    `json:"center"`          // relative to the query: row, column
	Alpha      *float64      `json:"alpha,omitempty"` // of an isotropic head, 1/tokens²
	Precision  [2][2]float64 `json:"precision"`       // inverse covariance
	R50        *float64      `json:"r50"`             // radius of the disc with half of the weight
	R90        *float64      `json:"r90"`             // radius of the disc with 90 % of the weight
	Axes       [2]*float64   `json:"axes"`            // of the 50 % contour, longer first
	Angle      float64       `json:"angle"`           // of the longer axis, in degrees: 0 is down, 90 to the right
	Condition  *float64      `json:"condition"`       // number of the precision
	Degenerate bool          `json:"degenerate"`      // it attends (almost) uniformly
	Start      *HeadStart    `json:"start,omitempty"` // of inspect, if known
}

// A HeadStart is a head before the first step.
type HeadStart struct {
	Center [2]float64  `json:"center"`          // relative to the query: row, column
	Alpha  *float64    `json:"alpha,omitempty"` // of an isotropic head
	R50    *float64    `json:"r50"`             // radius of the disc with half of the weight
	Axes   [2]*float64 `json:"axes"`            // of the 50 % contour, longer first
}

// HeadFigures are figures of Gaussian heads, and the heads.
type HeadFigures struct {
	V     int      `json:"v"`     // 1
	Files []string `json:"files"` // written
	Heads []Head   `json:"heads"` // that were drawn; null: the figure shows attention maps
}

// Animation is a figure of heads that moves from epoch to epoch.
type Animation struct {
	V      int      `json:"v"`      // 1
	Files  []string `json:"files"`  // written
	Epochs int      `json:"epochs"` // recorded, including epoch 0
	Frames int      `json:"frames"` // drawn
}

// MapFigures are figures of attention maps, and a line for each map.
type MapFigures struct {
	V     int           `json:"v"`               // 1
	Files []string      `json:"files"`           // written
	Heads []AttentionOf `json:"heads,omitempty"` // omitted with --raw
}

// AttentionOf summarises the attention of a head for one query.
type AttentionOf struct {
	Query  [2]int     `json:"query"`  // token: row, column
	Layer  int        `json:"layer"`  // from 1
	Head   int        `json:"head"`   // from 1
	Mean   [2]float64 `json:"mean"`   // mean of the attention, relative to the query: row, column
	Peak   float64    `json:"peak"`   // largest attention to a token
	At     [2]int     `json:"at"`     // that token, relative to the query
	Tokens float64    `json:"tokens"` // exp of the entropy: the effective number of tokens
}

// CurveFigures are figures of training curves, and a line for each curve.
type CurveFigures struct {
	V      int      `json:"v"`      // 1
	Files  []string `json:"files"`  // written
	Curves []Curve  `json:"curves"` // that were drawn
}

// A Curve is the training of one model: a mean over runs.
type Curve struct {
	Name   string   `json:"name"`         // in the legend
	Runs   []string `json:"runs"`         // ids
	Epochs int      `json:"epochs"`       // done
	Best   *float64 `json:"best_val_acc"` // highest validation accuracy, mean over the runs
	At     float64  `json:"at_epoch"`     // of that, mean over the runs
	Loss   *float64 `json:"val_loss"`     // of the last epoch, mean over the runs
	Bests  []int    `json:"best_epochs"`  // epoch of each run's highest validation accuracy; 0: none was evaluated
}
