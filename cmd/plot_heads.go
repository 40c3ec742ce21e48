package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/attnconv/attnconv/ckpt"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/viz"
)

// plotOptions is what `attnconv plot-heads` was told.
type plotOptions struct {
	Ref    string
	Output []string
	Layers string
	Force  bool
	DPI    int
}

// newPlotHeads is the plot-heads command.
func newPlotHeads(c *console) *cobra.Command {
	o := plotOptions{}
	cmd := &cobra.Command{
		Use:   "plot-heads [CKPT|RUN] [flags]",
		Short: "Draw where the heads look",
		Long: "Draw where the heads of a quadratic model look: for each the contour that holds\n" +
			"half of its attention and that with nine tenths, layer by layer; and print\n" +
			"their numbers. Without a checkpoint or run, the latest run's.",
		Example: `attnconv plot-heads run.ckpt
attnconv plot-heads latest -o heads.svg -o heads.png --layers 1-3
attnconv plot-heads k3f9 --json`,
		Args:              arguments(1),
		ValidArgsFunction: c.completeRuns(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.Ref = args[0]
			}
			return runPlotHeads(cmd.Context(), c, o)
		},
	}
	f := flags{cmd.Flags(), "Output"}
	f.texts(&o.Output, "output", "o", "FILE",
		"figure to write, .svg, .png or .pdf; several may be given (default: figures/heads.svg in the run)")
	f.text(&o.Layers, "layers", "", "LIST", "layers to draw, such as 1-3 or 1,4 (default: all)", nil)
	f.number(&o.DPI, "dpi", "N", "dots an inch of a .png (default: 150)", 1)
	f.truth(&o.Force, "force", "", "write over files given with -o")
	return cmd
}

func runPlotHeads(_ context.Context, c *console, o plotOptions) error {
	path, note, err := run.ResolveCheckpoint(o.Ref, c.Runs)
	if err != nil {
		return err
	}
	if note != "" {
		c.note("%s", note)
	}
	f, _, err := readCheckpoint(path)
	if err != nil {
		return err
	}
	net, err := model.Load(f)
	if err != nil {
		return &ckpt.Corrupt{Path: path, Reason: err.Error()}
	}
	heads, isotropic := net.Heads()
	if heads == nil {
		return usagef("", "%s: has encoding %s; plot-heads draws Gaussian heads, of quadratic and quadratic-general",
			path, net.Spec.Encoding)
	}
	layers, err := pickLayers(heads, o.Layers)
	if err != nil {
		return err
	}
	figure, err := viz.Heads(layers, viz.HeadsOptions{})
	if err != nil {
		return err
	}
	files := o.Output
	if len(files) == 0 {
		files, o.Force = []string{ownFigure(path)}, true
	}
	for _, name := range files {
		if err := writeFigure(figure, name, o); err != nil {
			return err
		}
	}
	if c.JSON {
		return c.result(headsResult(files, layers, isotropic))
	}
	return printHeads(c, files, layers, isotropic)
}

// pickLayers turns the network's heads into layers to draw: those in a list such as 1-3,5, or all.
func pickLayers(heads [][]posenc.Head, list string) (layers []viz.Layer, err error) {
	wanted := map[int]bool{}
	for _, part := range strings.Split(list, ",") {
		first, last, isRange := strings.Cut(part, "-")
		lo, err := strconv.Atoi(first)
		hi := lo
		if isRange && err == nil {
			hi, err = strconv.Atoi(last)
		}
		if list == "" {
			lo, hi, err = 1, len(heads), nil
		}
		if err != nil || lo < 1 || hi < lo || hi > len(heads) {
			return nil, usagef("", "--layers %q: want numbers from 1 to %d, such as 1-3 or 1,4", list, len(heads))
		}
		for n := lo; n <= hi; n++ {
			wanted[n] = true
		}
	}
	for i, l := range heads {
		if !wanted[i+1] {
			continue
		}
		layer := viz.Layer{Number: i + 1}
		for _, h := range l {
			layer.Heads = append(layer.Heads, viz.Head(h))
		}
		layers = append(layers, layer)
	}
	return layers, nil
}

// ownFigure is where the figure of a checkpoint goes: into its run's folder, else beside it.
func ownFigure(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	dir := filepath.Dir(path)
	if filepath.Base(dir) == "checkpoints" {
		return filepath.Join(filepath.Dir(dir), "figures", "heads.svg")
	}
	return filepath.Join(dir, "heads.svg")
}

// writeFigure writes whole files only, and none that is there already unless it may.
func writeFigure(figure *viz.Figure, name string, o plotOptions) error {
	if _, err := os.Lstat(name); err == nil && !o.Force {
		return usagef("write over it with --force", "-o %s: the file is there already", name)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	dpi := 150
	if o.DPI > 0 {
		dpi = o.DPI
	}
	b, err := figure.Encode(name, dpi)
	if err != nil {
		return usagef("", "-o %v", strings.TrimPrefix(err.Error(), "viz: "))
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return run.WriteFile(name, b)
}

// headRow is a head in numbers, for people and, with --json, for programs.
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
	Angle      float64       `json:"angle"` // of the longer axis, in degrees from the row direction
	Condition  *float64      `json:"condition"`
	Degenerate bool          `json:"degenerate"`
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
	_, _, d := h.Eigen()
	row := headRow{Layer: layer, Head: number, Kind: "quadratic-general", Center: h.Center, Precision: h.Precision,
		Axes: [2]*float64{finite(long), finite(short)}, Condition: finite(h.Condition()),
		Angle: math.Mod(math.Atan2(d[0], -d[1])*180/math.Pi+180, 180), Degenerate: h.Uniform()}
	if isotropic {
		alpha := h.Precision[0][0] / 2
		r90, _ := h.Axes(0.9)
		row.Kind, row.Alpha, row.R50, row.R90, row.Angle = "quadratic", &alpha, finite(long), finite(r90), 0
	}
	return row
}

// finite is nil for what JSON cannot say.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

func printHeads(c *console, files []string, layers []viz.Layer, isotropic bool) error {
	for _, name := range files {
		fmt.Fprintln(c.Out, name)
	}
	fmt.Fprintln(c.Out)
	w := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', tabwriter.AlignRight)
	if isotropic {
		fmt.Fprintln(w, "layer\thead\trow\tcolumn\talpha\tr50\tr90\tnearest shift\tdistance\t")
	} else {
		fmt.Fprintln(w, "layer\thead\trow\tcolumn\tprecision\taxes 50 %\tangle\tcondition\t")
	}
	for _, l := range layers {
		for i, h := range l.Heads {
			note := ""
			if h.Uniform() {
				note = "  uniform (degenerate)"
			}
			fmt.Fprintf(w, "%d\t%d\t%.2f\t%.2f\t", l.Number, i+1, h.Center[0], h.Center[1])
			long, short := h.Axes(0.5)
			if isotropic {
				r90, _ := h.Axes(0.9)
				dr, dc := math.Round(h.Center[0])+0, math.Round(h.Center[1])+0 // + 0: no -0
				fmt.Fprintf(w, "%.4g\t%.2f\t%.2f\t(%+.0f, %+.0f)\t%.2f\t%s\n", h.Precision[0][0]/2, long, r90, dr, dc,
					math.Hypot(h.Center[0]-dr, h.Center[1]-dc), note)
			} else {
				row := newHeadRow(l.Number, i+1, h, false)
				p := h.Precision
				fmt.Fprintf(w, "[%.3g %.3g %.3g]\t%.2f × %.2f\t%.0f°\t%.4g\t%s\n", p[0][0], p[0][1], p[1][1], long, short,
					row.Angle, h.Condition(), note)
			}
		}
	}
	return w.Flush()
}
