package report

// TimeToAccuracy is how long models trained until they had accuracies on held-out images.
type TimeToAccuracy struct {
	V        int          `json:"v"`        // 1
	Data     string       `json:"data"`     // name of the data set
	ValN     int          `json:"val_n"`    // number of held-out images; 0: unknown
	Targets  []float64    `json:"targets"`  // accuracies, ascending
	Machines []RunMachine `json:"machines"` // that trained the runs; times on different ones do not compare
	Rows     []TargetRow  `json:"rows"`     // the first to the highest target first
}

// A RunMachine is what trained runs.
type RunMachine struct {
	CPU     string   `json:"cpu"`     // name of the processor; "": unknown
	Device  string   `json:"device"`  // cpu, or what the GPU's plugin calls it; "": unknown
	Threads int      `json:"threads"` // that computed; 0: unknown
	Kernels string   `json:"kernels"` // set of kernels that computed; "": unknown
	Runs    []string `json:"runs"`    // ids; a run that was resumed with other threads or kernels is in several
}

// A TargetRow is one model: runs that differ only in the seed.
type TargetRow struct {
	Name    string          `json:"name"`         // of the model, with what distinguishes it from others of that name
	N       int             `json:"n"`            // number of runs
	Seeds   []uint64        `json:"seeds"`        // of the runs
	Runs    []string        `json:"runs"`         // ids
	Best    *float64        `json:"best_val_acc"` // highest held-out accuracy, mean over the runs
	EpochS  *float64        `json:"epoch_s"`      // of an epoch, mean over the runs: times are exact to an evaluated epoch
	Targets []TargetReached `json:"targets"`      // one for each target
}

// A TargetReached is when the runs of a model first had an accuracy: at the end of the first epoch evaluated to have it.
type TargetReached struct {
	Acc       float64     `json:"acc"`        // the target
	N         int         `json:"reached"`    // number of runs that reached it
	Pending   int         `json:"pending"`    // number of runs that did not, but are not finished
	Seconds   *float64    `json:"seconds"`    // of training, mean; null unless all runs reached it, on one kind of machine
	SecondsCI *[2]float64 `json:"seconds_ci"` // 95 % interval of the mean over seeds; null for one run, and if all runs took as many epochs
	Images    *float64    `json:"images"`     // that were trained on, mean; null unless all runs reached it
	ImagesCI  *[2]float64 `json:"images_ci"`  // 95 % interval of the mean over seeds; null for one run, and if all runs took as many epochs
	Runs      []TargetRun `json:"runs"`       // those that reached it
}

// A TargetRun is when one run first had an accuracy.
type TargetRun struct {
	ID      string  `json:"id"`      // of the run
	Epoch   int     `json:"epoch"`   // at whose end
	Seconds float64 `json:"seconds"` // of training, evaluations and checkpoints included
	Images  int     `json:"images"`  // that were trained on, each as often as it was
}
