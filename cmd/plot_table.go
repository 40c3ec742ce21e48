package cmd

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/viz"
)

// A headRow describes a Gaussian head.
type headRow struct {
	Layer      int           `json:"layer"`
	Head       int           `json:"head"`
	Kind       string        `json:"kind"`
	Center     [2]float64    `json:"center"` // row, column
	Alpha      *float64      `json:"alpha,omitempty"`
	Precision  [2][2]float64 `json:"precision"`
	R50        *float64      `json:"r50"`
	R90        *float64      `json:"r90"`
	Axes       [2]*float64   `json:"axes"`  // of the 50 % contour, longer first
	Angle      float64       `json:"angle"` // of the longer axis, in degrees: 0 is down, 90 to the right
	Condition  *float64      `json:"condition"`
	Degenerate bool          `json:"degenerate"`
	Start      *headStart    `json:"start,omitempty"` // in inspect, if known
}

// headStart is a head before training.
type headStart struct {
	Center [2]float64  `json:"center"`
	Alpha  *float64    `json:"alpha,omitempty"`
	R50    *float64    `json:"r50"`
	Axes   [2]*float64 `json:"axes"`
}

type plotResult struct {
	V     int       `json:"v"`
	Files []string  `json:"files"`
	Heads []headRow `json:"heads"`
}

func headsResult(files []string, layers []viz.Layer, isotropic bool) plotResult {
	r := plotResult{V: 1, Files: files}
	for _, l := range layers {
		for i, h := range l.Heads {
			r.Heads = append(r.Heads, newHeadRow(l.Number, i+1, h, isotropic))
		}
	}
	return r
}

func newHeadRow(layer, number int, h viz.Head, isotropic bool) headRow {
	long, short := h.Axes(0.5)
	row := headRow{Layer: layer, Head: number, Kind: "quadratic-general", Center: h.Center, Precision: h.Precision,
		Axes: [2]*float64{cli.Finite(long), cli.Finite(short)}, Condition: cli.Finite(h.Condition()),
		Angle: h.Angle(), Degenerate: h.Uniform()}
	if isotropic {
		alpha := h.Precision[0][0] / 2
		r90, _ := h.Axes(0.9)
		row.Kind, row.Alpha, row.R50, row.R90, row.Angle = "quadratic", &alpha, cli.Finite(long), cli.Finite(r90), 0
	}
	return row
}

func printHeads(c *cli.Console, files []string, layers []viz.Layer, isotropic bool, pool int) error {
	printFiles(c, files)
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
