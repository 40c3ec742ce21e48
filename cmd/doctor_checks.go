package cmd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/gemm"
	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/internal/stream"
	"github.com/attnconv/attnconv/run"
)

func checkProgram(context.Context, *cli.Console) (status, detail string) {
	b := cli.ReadBuild()
	modules := ""
	for _, path := range cli.ShownModules {
		if v := b.Modules[path]; v != "" {
			modules += ", " + path[strings.LastIndexByte(path, '/')+1:] + " " + v
		}
	}
	return pass, fmt.Sprintf("attnconv %s, %s %s/%s%s", b.Short(), b.Go, b.OS, b.Arch, modules)
}

func checkMachine(_ context.Context, c *cli.Console) (status, detail string) {
	e := run.Describe(nil, "", false)
	detail = fmt.Sprintf("%d cores, %d threads", e.Cores, threads.Limit())
	if e.CPU != "" {
		detail = e.CPU + ", " + detail
	}
	if e.Memory > 0 {
		detail += ", " + cli.Size(e.Memory) + " of memory"
	}
	detail += ", kernels " + kernel.Name()
	switch {
	case kernel.Name() != "generic":
		return pass, detail
	case c.Getenv(kernel.Variable) != "":
		return warn, detail + ", as " + kernel.Variable + " says: other kernels may be many times faster"
	}
	return warn, detail + ": faster kernels need a processor with AVX2 and FMA, or AVX-512"
}

// checkArithmetic compares matrix products of odd sizes with sums in float64.
func checkArithmetic(context.Context, *cli.Console) (status, detail string) {
	worst := 0.0
	for _, n := range []int{1, 7, 33, 130} {
		m, k := n+2, 2*n+1
		a, b, c := random("a", m*k), random("b", k*n), make([]float32, m*n)
		gemm.Mul(gemm.Matrix(c, m, n), gemm.Matrix(a, m, k), gemm.Matrix(b, k, n))
		for i := range m {
			for j := range n {
				sum := 0.0
				for l := range k {
					sum += float64(a[i*k+l]) * float64(b[l*n+j])
				}
				worst = max(worst, math.Abs(sum-float64(c[i*n+j]))/math.Sqrt(float64(k)))
			}
		}
	}
	detail = fmt.Sprintf("matrix products are accurate to %.1g", worst)
	if !(worst < 1e-5) {
		return fail, fmt.Sprintf("matrix products are off by %.1g with the kernels %s; %s=generic selects the plain ones",
			worst, kernel.Name(), kernel.Variable)
	}
	return pass, detail
}

// random returns n uniform values in [-1, 1).
func random(name string, n int) []float32 {
	r := stream.Rand(0, "doctor/"+name)
	x := make([]float32, n)
	for i := range x {
		x[i] = 2*r.Float32() - 1
	}
	return x
}

// checkSpeed times a large matrix product: its speed bounds that of training.
func checkSpeed(context.Context, *cli.Console) (status, detail string) {
	const n = 1024
	a, b, c := random("a", n*n), random("b", n*n), make([]float32, n*n)
	best := math.Inf(1)
	for begin := time.Now(); time.Since(begin) < time.Second/2; {
		start := time.Now()
		gemm.Mul(gemm.Matrix(c, n, n), gemm.Matrix(a, n, n), gemm.Matrix(b, n, n))
		best = min(best, time.Since(start).Seconds())
	}
	return pass, fmt.Sprintf("float32 product of 1024 × 1024 matrices: %.0f GFLOP/s", 2e-9*n*n*n/best)
}

func checkData(_ context.Context, c *cli.Console) (status, detail string) {
	set, err := data.Open(data.Options{Name: "cifar10"}, c.DataDir)
	var missing *data.Missing
	switch {
	case errors.As(err, &missing):
		return warn, "cifar10 is not in " + missing.Dir + "; to get it: attnconv data get cifar10; shapes32 is built in"
	case err != nil:
		return fail, cli.ShortMessage(err)
	case !set.Published:
		return warn, "cifar10 in " + c.DataDir + " is not the published one: a lossy copy?"
	}
	return pass, "cifar10 in " + c.DataDir + " is the published one"
}

// checkRuns writes a file to the folder of the runs, as a run does, and reads the list of runs.
func checkRuns(_ context.Context, c *cli.Console) (status, detail string) {
	_, err := os.Stat(c.Runs)
	created := errors.Is(err, os.ErrNotExist)
	if err := os.MkdirAll(c.Runs, 0o777); err != nil {
		return fail, "the folder of the runs cannot be created: " + cli.ShortMessage(err)
	}
	if created {
		defer os.Remove(c.Runs)
	}
	probe := filepath.Join(c.Runs, ".doctor")
	if err := run.WriteFile(probe, []byte("attnconv doctor\n")); err != nil {
		return fail, "the folder of the runs cannot be written: " + cli.ShortMessage(err)
	}
	if err := os.Remove(probe); err != nil {
		return fail, "the folder of the runs cannot be written: " + cli.ShortMessage(err)
	}
	list, err := run.List(c.Runs)
	if err != nil {
		return fail, cli.ShortMessage(err)
	}
	broken := 0
	for _, e := range list {
		if e.Err != nil {
			broken++
		}
	}
	detail = fmt.Sprintf("%s can be written; %d runs", c.Runs, len(list))
	if broken > 0 {
		return warn, fmt.Sprintf("%s, %d of them unreadable (attnconv runs ls)", detail, broken)
	}
	return pass, detail
}

func checkDisk(_ context.Context, c *cli.Console) (status, detail string) {
	folder := c.Runs
	for !cli.Exists(folder) && filepath.Dir(folder) != folder {
		folder = filepath.Dir(folder)
	}
	free := run.Free(folder)
	switch {
	case free < 0:
		return pass, "free space is unknown on this system"
	case free < 100e6:
		return fail, cli.Size(free) + " are free for runs: a checkpoint of the paper's model takes 97 MB"
	case free < 2e9:
		return warn, cli.Size(free) + " are free for runs: a run of the paper's model takes about 2 GB"
	}
	return pass, cli.Size(free) + " are free for runs"
}

func checkTerminal(_ context.Context, c *cli.Console) (status, detail string) {
	w := c.ErrWidth()
	switch {
	case w == 0:
		return pass, "standard error is no terminal: plain lines"
	case w < 80:
		return warn, fmt.Sprintf("%d columns: tables need 80", w)
	}
	color := "no colour"
	if c.Colored() {
		color = "colour"
	}
	return pass, fmt.Sprintf("%d columns, %s", w, color)
}
