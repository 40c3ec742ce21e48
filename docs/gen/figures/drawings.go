package main

import (
	"encoding/json"
	"fmt"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/attnconv/attnconv/internal/plain"
	"github.com/attnconv/attnconv/posenc/geometry"
	"github.com/attnconv/attnconv/theorem"
	"github.com/attnconv/attnconv/viz"
)

// shifts is the layer that Theorem 1 builds for a 3 × 3 kernel.
func shifts(_ *program, width float64) (*viz.Figure, error) {
	l := viz.Layer{Number: 1}
	for i := range 9 {
		l.Heads = append(l.Heads, geometry.Isotropic([2]float64{float64(i/3 - 1), float64(i%3 - 1)}, 46))
	}
	return viz.Shifts(l, viz.ShiftsOptions{Width: width})
}

// layers is docs/data/layers.json as bars.
func layers(p *program, width float64) (*viz.Figure, error) {
	b, err := os.ReadFile(filepath.Join(p.root, "docs/data/layers.json"))
	if err != nil {
		return nil, err
	}
	var data struct {
		Seeds  int
		Layers []struct {
			Layer                                    int
			Trained, Low, High, Untrained, Deviation float64
			Significant                              bool
		}
	}
	if err := json.Unmarshal(b, &data); err != nil {
		return nil, err
	}
	var list []contrast
	for _, l := range data.Layers {
		list = append(list, contrast{l.Layer, l.Trained / 100, [2]float64{l.Low / 100, l.High / 100}, l.Untrained / 100,
			l.Deviation / 100, !l.Significant})
	}
	return contrasts(list, "% of the squared norm", fmt.Sprintf("trained (n = %d)", data.Seeds),
		"no significant difference from untrained", width), nil
}

// The running example of docs/attention.md.
var (
	pixels = [][]float64{{0}, {0}, {1}, {1}, {5}}
	kernel = []float64{-1, 0, 1}
)

// head returns the attention of a head around one shift.
func head(center int, alpha float64) [][]float64 {
	return plain.SoftmaxRows(plain.Relative(5, 5, func(shift int) float64 {
		return -alpha * math.Pow(float64(shift-center), 2)
	}))
}

// sharpen is the head for the left neighbor at three α.
func sharpen(_ *program, width float64) (*viz.Figure, error) {
	var line []term
	for _, alpha := range []float64{0.1, 1, 10} {
		line = append(line, term{matrix: head(-1, alpha), name: fmt.Sprintf("α = %g", alpha), head: 1, max: 1,
			scale: 1.2, numbers: true})
	}
	return equation("As α grows, a blur becomes a choice", [][]term{line}, width), nil
}

// fivePixels is the convolution of the five pixels as three heads.
func fivePixels(_ *program, width float64) (*viz.Figure, error) {
	var lines [][]term
	sum := make([][]float64, len(pixels))
	for q := range sum {
		sum[q] = []float64{0}
	}
	for h, w := range kernel {
		p := head(h-1, 46)
		seen := plain.Matrix(p).Times(pixels)
		for q := range sum {
			sum[q][0] += w * seen[q][0]
		}
		plus := "+"
		if h == 0 {
			plus = "   "
		}
		lines = append(lines, []term{sign(plus),
			{matrix: p, name: fmt.Sprintf("P%c", '₁'+h), head: h + 1, max: 1},
			sign("×"), {matrix: pixels, name: "X", max: 8, numbers: true}, sign("×"),
			{matrix: [][]float64{{w}}, name: fmt.Sprintf("W%c", '₁'+h), head: h + 1, max: 2, numbers: true},
			sign("="), {matrix: plain.Matrix(seen).Times([][]float64{{w}}), name: fmt.Sprintf("head %d", h+1),
				head: h + 1, max: 12, numbers: true}})
	}
	lines = append(lines, []term{sign("="), {matrix: sum, name: "Y, the convolution", max: 8, numbers: true}})
	return equation("Each head moves the pixels, then multiplies", lines, width), nil
}

// star returns the star of the example images in grays, the darkest 0 and the lightest 1.
func star(p *program) ([][]float64, error) {
	f, err := os.Open(filepath.Join(p.dir, "runs/example-images/star.png"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		return nil, err
	}
	b := img.Bounds()
	rows, low, high := make([][]float64, b.Dy()), 1.0, 0.0
	for y := range rows {
		for x := range b.Dx() {
			v := float64(color.Gray16Model.Convert(img.At(b.Min.X+x, b.Min.Y+y)).(color.Gray16).Y) / math.MaxUint16
			rows[y], low, high = append(rows[y], v), min(low, v), max(high, v)
		}
	}
	for _, row := range rows {
		for x, v := range row {
			row[x] = (v - low) / (high - low)
		}
	}
	return rows, nil
}

// theoremAt returns the animation of α: a convolution of the star, and the layer of nine heads, in float32.
func theoremAt(p *program) (*viz.Animation, error) {
	image, err := star(p)
	if err != nil {
		return nil, err
	}
	entries := []float32{-2, -1, 0, -1, 0, 1, 0, 1, 2}
	c := &theorem.Conv[float32]{In: 1, Out: 1, Weight: entries,
		Geometry: theorem.Geometry{Kernel: []int{3, 3}, Before: []int{1, 1}, After: []int{1, 1},
			Border: theorem.Replicate}}
	size := []int{len(image), len(image[0])}
	x, kernel := []float32(nil), make([][]float64, 3)
	for _, row := range image {
		for _, v := range row {
			x = append(x, float32(v))
		}
	}
	for i, w := range entries {
		kernel[i/3] = append(kernel[i/3], float64(w))
	}
	matrix := func(y []float32) (rows [][]float64) {
		for i, v := range y {
			if i%size[1] == 0 {
				rows = append(rows, nil)
			}
			rows[len(rows)-1] = append(rows[len(rows)-1], float64(v))
		}
		return rows
	}
	l := &limit{image: image, kernel: kernel, convolution: matrix(c.Forward(size, x)[0])}
	for _, alpha := range alphas() {
		heads, err := theorem.FromConv(c, theorem.FromOptions{Alpha: alpha})
		if err != nil {
			return nil, err
		}
		l.add(alpha, matrix(heads.Forward(size, x)[0]))
	}
	return l.animation(), nil
}

// alphas are the steps of the animation: most of them up to 26, where the difference ends.
func alphas() (list []float64) {
	const slow, fast = 48, 12
	for i := range slow {
		list = append(list, math.Pow(26, float64(i)/slow))
	}
	for i := range fast + 1 {
		list = append(list, 26*math.Pow(4, float64(i)/fast))
	}
	return list
}

// sharpening is the animation as a file.
func sharpening(p *program, theme string) ([]byte, error) {
	a, err := theoremAt(p)
	if err != nil {
		return nil, err
	}
	b, err := a.Encode(viz.Output{Theme: theme, DPI: 144})
	if err != nil {
		return nil, err
	}
	svg, err := a.Frames[len(a.Frames)-1].Encode("figure.svg", viz.Output{Theme: theme})
	if err != nil {
		return nil, err
	}
	l, err := lettersOf(svg)
	return stampedGIF(b, l), err
}

// social is the picture that other sites show with a link to the project.
func social(p *program, theme string) ([]byte, error) {
	f, err := shifts(p, 16)
	if err != nil {
		return nil, err
	}
	const width, height, title, words = 24.0, 12.0, "attnconv", "Can self-attention learn to be a convolution?"
	poster := &viz.Figure{Width: width, Height: height, Alt: title + ": " + words + ". " + f.Alt, Data: f.Data}
	poster.Drawing = func(c draw.Canvas, t *viz.Theme) {
		write := func(size float64, color color.Color, below vg.Length, s string) {
			st := t.Text(size, color)
			st.XAlign, st.YAlign = draw.XCenter, draw.YTop
			c.FillText(st, vg.Point{X: c.Center().X, Y: c.Max.Y - below}, s)
		}
		write(40, t.Ink, 0.8*vg.Centimeter, title)
		write(19, t.Quiet, 2.6*vg.Centimeter, words)
		low := c.Min.Add(vg.Point{X: vg.Length(width-f.Width) / 2 * vg.Centimeter, Y: 0.4 * vg.Centimeter})
		f.Drawing(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{Min: low, Max: low.Add(
			vg.Point{X: vg.Length(f.Width) * vg.Centimeter, Y: vg.Length(f.Height) * vg.Centimeter})}}, t)
	}
	return encoded(poster, theme, 136)
}
