package bench

import (
	"fmt"
	"strconv"
	"strings"
)

// The table is printed row by row, as measurements finish, so all columns but the first have fixed widths.
const (
	head = "%-*s  %-5s  %5s  %7s  %8s  %8s  %8s  %6s  %7s  %7s  %7s  %7s  %7s\n"
	line = "%-*s  %-5s  %5d  %7s  %8s  %8s  %8s  %6s  %7s  %7s  %7s  %7s  %7s\n"
)

// Head returns a line on the machine and the head of the table; name is the width of the first column.
func (m Machine) Head(name int) string {
	return fmt.Sprintf("%s, %d cores   %s, %s\n\n", m.CPU, m.Cores, m.Kernels, m.Go) +
		fmt.Sprintf(head, max(name, len("model")), "model", "mode", "batch", "threads", "images/s", "best", "step",
			"spread", "GFLOP/s", "of GEMM", "memory", "alloc", "start")
}

// Line returns the row as a line of the table; name is the width of the first column.
func (r Row) Line(name int) string {
	on, share := strconv.Itoa(r.Threads), fmt.Sprintf("%.0f %%", 100*r.GEMMShare)
	if r.gpu() {
		on, share = "gpu", "-"
	}
	return fmt.Sprintf(line, max(name, len("model")), r.Name(), r.Mode, r.Batch, on,
		digits(r.ImgS), digits(r.ImgSBest), seconds(r.StepS), fmt.Sprintf("±%.0f %%", 50*(r.StepQ3-r.StepQ1)/r.StepS),
		digits(r.GFLOPS), share, size(r.PeakRSS), size(r.AllocsStep), seconds(r.FirstStepS))
}

func (r Row) gpu() bool { return r.Device != "cpu" }

// Name returns the preset, with a star if settings differ from it.
func (r Row) Name() string {
	if len(r.Changes) > 0 {
		return r.Preset + "*"
	}
	return r.Preset
}

// Legend explains the columns of rows; changes are the settings that the stars stand for.
func Legend(changes []string, rows []Row) string {
	star := ""
	if len(changes) > 0 {
		star = "*        with " + strings.Join(changes, ", ") + "\n"
	}
	gpu := ""
	for _, r := range rows {
		if r.gpu() {
			gpu = "gpu      " + r.Device + ", experimental; memory and alloc are of the program on the host\n"
		}
	}
	return "\n" + star + gpu +
		`images/s at the median step, and at the best; spread is half of what lies between the quartiles
GFLOP/s  of the work that is necessary: nothing that is computed twice; backward counts twice forward
of GEMM  against the matrix product alone, in the model's own shape, measured in turn with the steps
memory   the most that the process has held; alloc: allocated in a step
start    from the start of the process to the end of the first step
`
}

const shown = 14 // rows of a profile; the rest is summed in one row

// Text formats the profile as two tables.
func (p *Profile) Text(r Row) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s, %s, batch %d, %d threads: a step takes %s, and %s of processor time (%.1f threads busy)\n",
		r.Name(), r.Mode, r.Batch, r.Threads, seconds(p.WallS), seconds(p.CPUS), p.CPUS/p.WallS)
	fmt.Fprintf(&b, "\n%9s  %7s  %s\n", "cpu", "share", "function")
	for i, f := range p.Functions {
		if i == shown {
			rest := Function{Name: fmt.Sprintf("(%d others)", len(p.Functions)-i)}
			for _, f := range p.Functions[i:] {
				rest.CPUS, rest.Share = rest.CPUS+f.CPUS, rest.Share+f.Share
			}
			fmt.Fprintf(&b, "%9s  %5.1f %%  %s\n", seconds(rest.CPUS), 100*rest.Share, rest.Name)
			break
		}
		fmt.Fprintf(&b, "%9s  %5.1f %%  %s\n", seconds(f.CPUS), 100*f.Share, f.Name)
	}
	fmt.Fprintf(&b, "\n%9s  %9s  %7s  %s\n", "forward", "backward", "share", "operation")
	for _, o := range p.Operations {
		fmt.Fprintf(&b, "%9s  %9s  %5.1f %%  %s\n", seconds(o.ForwardS), seconds(o.BackwardS), 100*o.Share, o.Name)
	}
	return b.String()
}

// seconds formats a time with three digits: 2.09 s, 25.9 ms, 0.90 ms; 0 is a dash.
func seconds(s float64) string {
	switch {
	case s == 0:
		return "-"
	case s < 0.9995:
		return digits(1e3*s) + " ms"
	}
	return digits(s) + " s"
}

// digits formats x with three digits, or as an integer from 100 on: 0.93, 15.3, 350, 12345.
func digits(x float64) string {
	switch {
	case x < 9.995:
		return strconv.FormatFloat(x, 'f', 2, 64)
	case x < 99.95:
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return strconv.FormatFloat(x, 'f', 0, 64)
}

// size formats a number of bytes: 34.0 kB, 1.21 GB.
func size(n int64) string {
	x, unit := float64(n), 0
	units := []string{"B", "kB", "MB", "GB", "TB"}
	for x >= 999.5 && unit+1 < len(units) {
		x, unit = x/1000, unit+1
	}
	if unit == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return digits(x) + " " + units[unit]
}
