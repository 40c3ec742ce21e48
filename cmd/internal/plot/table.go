package plot

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/cmd/internal/output"
	"github.com/attnconv/attnconv/report"
	"github.com/attnconv/attnconv/study"
	"github.com/attnconv/attnconv/viz"
)

func headsResult(files []string, layers []viz.Layer, isotropic bool) report.HeadFigures {
	r := report.HeadFigures{V: 1, Files: files}
	for _, l := range layers {
		for i, h := range l.Heads {
			r.Heads = append(r.Heads, study.HeadDocument(l.Number, i+1, h, isotropic))
		}
	}
	return r
}

func printHeads(c *cli.Console, files []string, layers []viz.Layer, isotropic bool, pool int) error {
	output.PrintFiles(c, files)
	fmt.Fprint(c.Out, "\nrows count down, columns to the right\n\n")
	w := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', tabwriter.AlignRight)
	if isotropic {
		fmt.Fprintln(w, "layer\thead\trow\tcolumn\talpha\tr50\tr90\tnearest shift\tdistance\t")
	} else {
		fmt.Fprintln(w, "layer\thead\trow\tcolumn\tprecision\taxes 50 %\tangle\tcondition\t")
	}
	for _, l := range layers {
		for i, h := range l.Heads {
			fmt.Fprintf(w, "%d\t%d\t%.2f\t%.2f\t", l.Number, i+1, h.Center[0], h.Center[1])
			if isotropic {
				printRound(w, h)
			} else {
				printLong(w, h)
			}
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return printUnit(c, "centers and radii", pool)
}

// printUnit explains the unit of lengths in a table.
func printUnit(c *cli.Console, what string, pool int) error {
	size := "a token is a pixel"
	if pool > 1 {
		size = fmt.Sprintf("a token is %d × %d pixels", pool, pool)
	}
	_, err := fmt.Fprintf(c.Out, "\n%s are in tokens, from the query; %s\n", what, size)
	return err
}

// printRound prints a head with one width.
func printRound(w io.Writer, h viz.Head) {
	r50, _ := h.Axes(0.5)
	r90, _ := h.Axes(0.9)
	fmt.Fprintf(w, "%.4g\t%.2f\t%.2f\t", h.Precision[0][0]/2, r50, r90)
	if h.Uniform() {
		fmt.Fprint(w, "-\t-\t  uniform (degenerate)\n")
		return
	}
	dr, dc := math.Round(h.Center[0])+0, math.Round(h.Center[1])+0 // + 0: no -0
	fmt.Fprintf(w, "(%+.0f, %+.0f)\t%.2f\t\n", dr, dc, math.Hypot(h.Center[0]-dr, h.Center[1]-dc))
}

// printLong prints a head of any shape.
func printLong(w io.Writer, h viz.Head) {
	long, short := h.Axes(0.5)
	note := ""
	if h.Uniform() {
		note = "  uniform (degenerate)"
	}
	p := h.Precision
	fmt.Fprintf(w, "[%.3g %.3g %.3g]\t%.2f × %.2f\t%.0f°\t%.4g\t%s\n", p[0][0], p[0][1], p[1][1], long, short, h.Angle(),
		h.Condition(), note)
}
