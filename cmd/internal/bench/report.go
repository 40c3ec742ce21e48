package bench

import (
	"runtime"

	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/run"
)

// newReport returns an empty report of this machine.
func newReport() *Bench {
	e := run.Describe(nil, "", false)
	return &Bench{V: 1, Rows: []Row{}, Machine: Machine{CPU: e.CPU, Cores: e.Cores,
		Threads: runtime.GOMAXPROCS(0), Memory: e.Memory, Kernels: kernel.Name(), Go: e.Go, OS: e.OS, Arch: e.Arch}}
}

// measureAll measures the points one after another, each by measure, and calls each for a row once it is measured.
func measureAll(points []Point, measure func(Point) (*Row, error), each func(Row)) (*Bench, error) {
	r := newReport()
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
