package report

// SweepPlan is a planned sweep.
type SweepPlan struct {
	V      int     `json:"v"`      // 1
	Path   string  `json:"path"`   // of its folder; "" on a dry run
	Trials int     `json:"trials"` // number of runs
	ETA    float64 `json:"eta_s"`  // of all runs, one after the other
	Axes   []Axis  `json:"axes"`   // the settings that vary, the seed last
}

// An Axis is a setting that varies in a sweep.
type Axis struct {
	Key    string   `json:"key"`    // such as train.lr
	Values []string `json:"values"` // to try
}

// Sweep summarises the runs of a sweep.
type Sweep struct {
	V      int            `json:"v"`      // 1
	Path   string         `json:"path"`   // of its folder
	States map[string]int `json:"states"` // number of runs in each state: those of a run, waiting and broken
	Points []*Point       `json:"points"` // the best held-out accuracy first
}

// A Point is one combination of settings, with the runs that differ only in the seed.
type Point struct {
	Settings map[string]string `json:"settings"` // of the axes except the seed, by key
	Runs     []string          `json:"runs"`     // folders of the finished ones
	Planned  int               `json:"planned"`  // number of runs
	Diverged int               `json:"diverged"` // number of runs
	ValAcc   *Spread           `json:"val_acc"`  // null: no run is finished
	TestAcc  *Spread           `json:"test_acc"` // null unless chosen
	Chosen   bool              `json:"chosen"`   // the best of its model by held-out accuracy, once all runs are finished
	WallS    *Spread           `json:"wall_s"`   // of a run
}

// A Spread is mean and standard deviation over runs.
type Spread struct {
	N    int      `json:"n"`    // number of runs
	Mean float64  `json:"mean"` // over the runs
	Std  *float64 `json:"std"`  // with n-1 in the denominator; null if n is 1
}
