package bench

import (
	"runtime"

	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/run"
)

// A Report is the result of one call of the bench command.
type Report struct {
	V       int     `json:"v"`
	Machine Machine `json:"machine"`
	GEMM    float64 `json:"gemm_gflops"` // the largest of the rows
	Rows    []Row   `json:"rows"`
}

// A Machine describes where a report was measured.
type Machine struct {
	CPU     string `json:"cpu"`
	Cores   int    `json:"cores"`
	Threads int    `json:"threads"` // default of a point
	Memory  int64  `json:"memory"`  // bytes
	Kernels string `json:"kernels"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

// NewReport returns an empty report of this machine.
func NewReport() *Report {
	e := run.Describe(nil, "", false)
	return &Report{V: 1, Rows: []Row{}, Machine: Machine{CPU: e.CPU, Cores: e.Cores, Threads: runtime.GOMAXPROCS(0),
		Memory: e.Memory, Kernels: kernel.Name(), Go: e.Go, OS: e.OS, Arch: e.Arch}}
}

// Add appends a row.
func (r *Report) Add(row Row) {
	r.Rows = append(r.Rows, row)
	r.GEMM = max(r.GEMM, row.GEMMGFLOPS)
}
