package bench

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/internal/table"
)

// columns has the heads of the table behind the name of the model, and their widths, which are fixed since the table is
// printed row by row, as measurements finish; a negative one is aligned at the left.
var columns = []struct {
	head  string
	width int
}{{"mode", -5}, {"batch", 5}, {"threads", 7}, {"images/s", 8}, {"best", 8}, {"step", 8}, {"spread", 6}, {"GFLOP/s", 7},
	{"of GEMM", 7},
	{"memory", 7}, {"alloc", 7}, {"start", 7}}

// A Listing writes rows as a table while they are measured.
type Listing struct {
	out     io.Writer
	width   int      // of the terminal; 0 is any
	name    int      // width of the first column
	changes []string // settings that the stars stand for
}

// newListing writes a line on the machine and the head of a table for the rows of points, for a terminal of width
// columns; 0 is any width.
func newListing(out io.Writer, width int, m Machine, points []Point) *Listing {
	l := &Listing{out: out, width: width, name: len("model")}
	for _, p := range points {
		l.name = max(l.name, len(name(Row{Preset: p.Preset, Changes: p.Changes})))
		for _, change := range p.Changes {
			if !slices.Contains(l.changes, change) {
				l.changes = append(l.changes, change)
			}
		}
	}
	fmt.Fprintf(out, "%s, %s   %s, %s\n\n", m.CPU, table.Count(m.Cores, "core"), m.Kernels, m.Go)
	var heads []string
	for _, c := range columns {
		heads = append(heads, c.head)
	}
	l.line("model", heads...)
	return l
}

// line writes a line of the table. Columns that do not fit go on below the first ones.
func (l *Listing) line(name string, cells ...string) {
	line := fmt.Sprintf("%-*s", l.name, name)
	for i, cell := range cells {
		cell = fmt.Sprintf("  %*s", columns[i].width, cell)
		if !table.Fits(line+cell, l.width) {
			fmt.Fprintln(l.out, line)
			line = strings.Repeat(" ", l.name)
		}
		line += cell
	}
	fmt.Fprintln(l.out, line)
}

// say writes text, wrapped.
func (l *Listing) say(text string) {
	for line := range strings.Lines(text) {
		fmt.Fprintln(l.out, strings.Join(table.Wrap(strings.TrimSuffix(line, "\n"), l.width), "\n"))
	}
}

// Row writes a row.
func (l *Listing) Row(r Row) {
	on, share := strconv.Itoa(r.Threads), fmt.Sprintf("%.0f %%", 100*r.GEMMShare)
	if gpu(r) {
		on, share = "gpu", "-"
	}
	l.line(name(r), r.Mode, strconv.Itoa(r.Batch), on,
		digits(r.ImgS), digits(r.ImgSBest), seconds(r.StepS), fmt.Sprintf("±%.0f %%", 50*(r.StepQ3-r.StepQ1)/r.StepS),
		digits(r.GFLOPS), share, size(r.PeakRSS), size(r.AllocsStep), seconds(r.FirstStepS))
}

func gpu(r Row) bool { return r.Device != "cpu" }

// name is the preset, with a star if settings differ from it.
func name(r Row) string {
	if len(r.Changes) > 0 {
		return r.Preset + "*"
	}
	return r.Preset
}

// End writes the profiles of rows, if there are any, after an explanation of the columns with legend.
func (l *Listing) End(rows []Row, legend bool) {
	if legend {
		l.legend(rows)
	}
	for _, r := range rows {
		if r.Profile != nil {
			l.say(profileText(r))
		}
	}
}

func (l *Listing) legend(rows []Row) {
	star := ""
	if len(l.changes) > 0 {
		star = "*        with " + strings.Join(l.changes, ", ") + "\n"
	}
	device := ""
	for _, r := range rows {
		if gpu(r) {
			device = "gpu      " + r.Device + ", experimental; memory and alloc are of the program on the host\n"
		}
	}
	l.say("\n" + star + device +
		`images/s at the median step, and at the best; spread is half of what lies between the quartiles
GFLOP/s  of the work that is necessary: nothing that is computed twice; backward counts twice forward
of GEMM  against the matrix product alone, in the model's own shape, measured in turn with the steps
memory   the most that the process has held; alloc: allocated in a step
start    from the start of the process to the end of the first step
`)
}

const shown = 14 // rows of a profile; the rest is summed in one row

// profileText formats a row's profile as two tables.
func profileText(r Row) string {
	p := r.Profile
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s, %s, batch %d, %s: a step takes %s, and %s of processor time (%.1f threads busy)\n",
		name(r), r.Mode, r.Batch, table.Count(r.Threads, "thread"), seconds(p.WallS), seconds(p.CPUS), p.CPUS/p.WallS)
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
