package report

// Comparison compares models: the document of compare, and comparison/table.json.
type Comparison struct {
	V        int             `json:"v"`        // 1
	Metric   string          `json:"metric"`   // test_acc or val_acc
	Baseline *string         `json:"baseline"` // name of its row; null: none
	Rows     []ComparisonRow `json:"rows"`     // the baseline first, then the best first
}

// A ComparisonRow is one model: runs that differ only in the seed.
type ComparisonRow struct {
	Name            string      `json:"name"`             // of the model, with what distinguishes it from others of that name
	N               int         `json:"n"`                // number of runs
	Seeds           []uint64    `json:"seeds"`            // of the runs
	Mean            *float64    `json:"mean"`             // of the metric
	Std             *float64    `json:"std"`              // over seeds, with n-1 in the denominator
	CI              *[2]float64 `json:"ci"`               // 95 % interval of the mean
	Diff            *float64    `json:"diff"`             // from the baseline
	DiffCI          *[2]float64 `json:"diff_ci"`          // 95 % interval of the difference
	P               *float64    `json:"p"`                // null hypothesis of no difference
	PHolm           *float64    `json:"p_holm"`           // p, corrected for the number of comparisons
	CICovers        []string    `json:"ci_covers"`        // what ci accounts for: seeds, images
	DiffCovers      []string    `json:"diff_ci_covers"`   // what diff_ci accounts for: seeds, images
	Paired          bool        `json:"paired"`           // differences are taken seed by seed
	Params          int         `json:"params"`           // number of trained values
	ParamsAttention int         `json:"params_attention"` // of the attention layers alone
	MACs            int         `json:"macs"`             // multiply-adds per image, with attention over all pairs of tokens
	MACsRun         int         `json:"macs_run"`         // multiply-adds per image that this program computes in evaluation
	MACsPaper       int         `json:"macs_paper"`       // multiply-adds per image of linear maps and convolutions, as the paper counts
	WallS           *float64    `json:"wall_s"`           // of a run, mean
	ImgS            *float64    `json:"img_s"`            // images per second, mean
	Reach           []Reached   `json:"reach"`            // one for each level of --reach
	Paper           *Printed    `json:"paper,omitempty"`  // with --paper, if the paper has the model
	Layers          *LayerMeans `json:"layers,omitempty"` // with a column of them, if the model has layers with an operator
	Runs            []string    `json:"runs"`             // ids
}

// LayerMeans say how convolutional the layers of a model are, as analyse measures them of the weights alone: means over layers.
type LayerMeans struct {
	Layers  int       `json:"layers"`    // that have an operator
	Draws   int       `json:"draws"`     // untrained networks
	Within3 LayerMean `json:"k1_k3"`     // share of a 3 × 3 convolution
	Place   LayerMean `json:"place"`     // share that depends on the place
	Tap     LayerMean `json:"tap_score"` // 1: every head is a tap of its own
	Rank    LayerMean `json:"rank"`      // effective rank of the nearest kernel
}

// A LayerMean is one value; null: no layer has it.
type LayerMean struct {
	Mean *float64 `json:"mean"` // over the runs
	Std  *float64 `json:"std"`  // over seeds; null: one run
	Null *float64 `json:"null"` // of untrained networks, a mean
}

// A Reached is when runs first reached a validation accuracy: means over the runs that did.
type Reached struct {
	Acc     float64  `json:"acc"`     // the level
	Runs    int      `json:"runs"`    // number of runs that reached it
	Epochs  *float64 `json:"epochs"`  // until then
	Seconds *float64 `json:"seconds"` // of training until then
}

// A Printed is the paper's result for a model.
type Printed struct {
	Acc    *float64 `json:"acc"`    // on the test set of CIFAR-10; null for other data
	Params float64  `json:"params"` // number of trained values
	FLOP   float64  `json:"flop"`   // per image
}

// ComparisonPlan lists the runs that a comparison lacks.
type ComparisonPlan struct {
	V    int          `json:"v"`     // 1
	Plan []PlannedRun `json:"plan"`  // in the order of training
	ETA  float64      `json:"eta_s"` // of all of them
}

// A PlannedRun is a run that is to be trained.
type PlannedRun struct {
	Model  string  `json:"model"`            // its name
	Seed   uint64  `json:"seed"`             // of all its random numbers
	Data   string  `json:"data"`             // name of the data set
	Preset string  `json:"preset"`           // that its settings begin with; "": none
	Epochs int     `json:"epochs"`           // planned
	Resume string  `json:"resume,omitempty"` // id of the run to resume
	ETA    float64 `json:"eta_s"`            // of what is left of it
}
