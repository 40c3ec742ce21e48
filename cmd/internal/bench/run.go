package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/internal/bench"
	"github.com/attnconv/attnconv/report"
)

// runBench measures the points one after another and writes each row once it is measured.
func runBench(ctx context.Context, c *cli.Console, points []bench.Point) error {
	if err := tryDevice(c, points); err != nil {
		return err
	}
	each := func(report.BenchRow) {}
	var listing *bench.Listing
	if !c.JSON {
		listing = bench.NewListing(c.Out, bench.NewReport().Machine, points)
		each = listing.Row
	}
	r, err := bench.Measured(points, func(p bench.Point) (*report.BenchRow, error) { return measureApart(ctx, c, p) }, each)
	if err != nil {
		return err
	}
	return c.Show(r, func(c *cli.Console) error {
		listing.End(r.Rows, !c.Quiet)
		return nil
	})
}

// tryDevice opens the device once for each precision, so that this process, not a child, reports what is wrong with it.
func tryDevice(c *cli.Console, points []bench.Point) error {
	tried := map[string]bool{}
	for _, p := range points {
		if tried[p.Train.Precision] {
			continue
		}
		tried[p.Train.Precision] = true
		d, err := c.OpenDevice(p.Train.Precision)
		if err != nil {
			return err
		}
		d.Close()
		if d.GPU() && p.Profile {
			return cli.Usagef("on a GPU a step is one program; --device cpu shows the operations of the CPU",
				"--profile has no operations to show on a GPU")
		}
	}
	return nil
}

// measureApart measures p in a child process, so that rows share neither memory nor the state of the garbage collector.
func measureApart(ctx context.Context, c *cli.Console, p bench.Point) (*report.BenchRow, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("bench: the program's own file: %w", err)
	}
	child := exec.CommandContext(ctx, program, "bench-point")
	child.Env = append(slices.Clone(c.Env), fmt.Sprintf("GOMAXPROCS=%d", p.Threads), "NO_COLOR=1")
	return bench.Apart(ctx, child, p)
}

func runBenchPoint(ctx context.Context, c *cli.Console) error {
	var p bench.Point
	if err := json.NewDecoder(c.In).Decode(&p); err != nil {
		return cli.Usagef("", "bench-point is run by attnconv bench: it reads a point from standard input")
	}
	c.Device = p.Device
	d, err := c.OpenDevice(p.Train.Precision)
	if err != nil {
		return err
	}
	defer d.Close()
	p.Device, p.Train.Device = d.String(), d.Accelerator
	row, err := bench.Measure(ctx, p)
	if err != nil {
		return err
	}
	return c.Result(row)
}
