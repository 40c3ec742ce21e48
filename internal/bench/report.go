package bench

import (
	"runtime"

	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/report"
	"github.com/attnconv/attnconv/run"
)

// NewReport returns an empty report of this machine.
func NewReport() *report.Bench {
	e := run.Describe(nil, "", false)
	return &report.Bench{V: 1, Rows: []report.BenchRow{}, Machine: report.Machine{CPU: e.CPU, Cores: e.Cores,
		Threads: runtime.GOMAXPROCS(0), Memory: e.Memory, Kernels: kernel.Name(), Go: e.Go, OS: e.OS, Arch: e.Arch}}
}

// Measured measures the points one after another, each by measure, and calls each for a row once it is measured.
func Measured(points []Point, measure func(Point) (*report.BenchRow, error), each func(report.BenchRow)) (*report.Bench, error) {
	r := NewReport()
	for _, p := range points {
		row, err := measure(p)
		if err != nil {
			return nil, err
		}
		r.Rows, r.GEMM = append(r.Rows, *row), max(r.GEMM, row.GEMMGFLOPS)
		each(*row)
	}
	return r, nil
}
