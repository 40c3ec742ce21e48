package bench

// Bench has measured speeds.
type Bench struct {
	V       int     `json:"v"`           // 1
	Machine Machine `json:"machine"`     // that was measured
	GEMM    float64 `json:"gemm_gflops"` // GFLOP/s of only the matrix product, the largest of the rows
	Rows    []Row   `json:"rows"`        // in order
}

// A Machine is what a speed depends on.
type Machine struct {
	CPU     string `json:"cpu"`     // name of the processor
	Cores   int    `json:"cores"`   // that the program may use
	Threads int    `json:"threads"` // default of a row
	Memory  int64  `json:"memory"`  // of the machine
	Kernels string `json:"kernels"` // set of kernels that computes
	Go      string `json:"go"`      // version of Go that built the program
	OS      string `json:"os"`      // operating system
	Arch    string `json:"arch"`    // architecture of the processor
}

// A Row is one measured network.
type Row struct {
	Model     string   `json:"model"`             // kind of network
	Encoding  string   `json:"encoding"`          // of its attention; "": none
	Preset    string   `json:"preset"`            // that its settings began with
	Changes   []string `json:"changes,omitempty"` // settings that differ from the preset's: model.dim=128
	Mode      string   `json:"mode"`              // train or infer
	Batch     int      `json:"batch"`             // images of a step
	Threads   int      `json:"threads"`           // that computed
	Device    string   `json:"device"`            // cpu, or what the GPU's plugin calls it
	Precision string   `json:"precision"`         // of matrix products
	Params    int      `json:"params"`            // number of trained values
	Steps     int      `json:"steps"`             // measured
	Warmup    int      `json:"warmup"`            // steps before
	ImgS      float64  `json:"img_s"`             // images per second at the median step
	ImgSBest  float64  `json:"img_s_best"`        // images per second at the fastest step
	StepS     float64  `json:"step_s"`            // median
	StepQ1    float64  `json:"step_s_q1"`         // lower quartile
	StepQ3    float64  `json:"step_s_q3"`         // upper quartile
	StepBest  float64  `json:"step_s_best"`       // fastest
	Necessary float64  `json:"necessary_gflop"`   // of one image; 1 multiply-add is 2 FLOP
	GFLOPS    float64  `json:"gflops"`            // necessary GFLOP/s
	// GFLOP/s of only the matrix product, timed between the steps; on a GPU 0
	GEMMGFLOPS  float64  `json:"gemm_gflops"`
	GEMMShare   float64  `json:"gemm_share"`        // gflops / gemm_gflops; on a GPU 0
	PeakRSS     int64    `json:"peak_rss"`          // resident memory of the process, at the end of the warm-up
	AllocsStep  int64    `json:"allocs_step"`       // bytes allocated in a step, median
	MallocsStep int64    `json:"mallocs_step"`      // allocations in a step, median
	FirstStepS  float64  `json:"first_step_s"`      // from the start of the process to the end of the first step
	Profile     *Profile `json:"profile,omitempty"` // with --profile
}

// A Profile says where the time of steps goes.
type Profile struct {
	Steps      int         `json:"steps"`      // profiled
	WallS      float64     `json:"wall_s"`     // of a step
	CPUS       float64     `json:"cpu_s"`      // of a step, sum over threads
	Functions  []Function  `json:"functions"`  // most expensive first
	Operations []Operation `json:"operations"` // most expensive first
}

// A Function is a Go function's share of a step.
type Function struct {
	Name  string  `json:"name"`  // with its package
	CPUS  float64 `json:"cpu_s"` // of a step
	Share float64 `json:"share"` // of the step's cpu_s
}

// An Operation is an operation's share of a step.
type Operation struct {
	Name      string  `json:"name"`       // of the operation, with the parameters that it is of
	ForwardS  float64 `json:"forward_s"`  // of a step
	BackwardS float64 `json:"backward_s"` // of a step
	Share     float64 `json:"share"`      // of the step's wall_s
}
