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
	var list []viz.Contrast
	for _, l := range data.Layers {
		list = append(list, viz.Contrast{Number: l.Layer, Trained: l.Trained / 100,
			Interval: [2]float64{l.Low / 100, l.High / 100}, Untrained: l.Untrained / 100, Deviation: l.Deviation / 100,
			Pale: !l.Significant})
	}
	return viz.Contrasts(list, viz.ContrastsOptions{Axis: "% of the squared norm", Width: width,
		Trained: fmt.Sprintf("trained (n = %d)", data.Seeds), Untrained: "untrained",
		Pale: "no significant difference from untrained"})
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
	var line []viz.Term
	for _, alpha := range []float64{0.1, 1, 10} {
		line = append(line, viz.Term{Matrix: head(-1, alpha), Name: fmt.Sprintf("α = %g", alpha), Head: 1, Max: 1,
			Size: 1.2, Numbers: true})
	}
	return viz.Equation("As α grows, a blur becomes a choice", [][]viz.Term{line}, viz.EquationOptions{Width: width})
}

// fivePixels is the convolution of the five pixels as three heads.
func fivePixels(_ *program, width float64) (*viz.Figure, error) {
	var lines [][]viz.Term
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
		sign := "+"
		if h == 0 {
			sign = "   "
		}
		lines = append(lines, []viz.Term{viz.Sign(sign),
			{Matrix: p, Name: fmt.Sprintf("P%c", '₁'+h), Head: h + 1, Max: 1},
			viz.Sign("×"), {Matrix: pixels, Name: "X", Max: 8, Numbers: true}, viz.Sign("×"),
			{Matrix: [][]float64{{w}}, Name: fmt.Sprintf("W%c", '₁'+h), Head: h + 1, Max: 2, Numbers: true},
			viz.Sign("="), {Matrix: plain.Matrix(seen).Times([][]float64{{w}}), Name: fmt.Sprintf("head %d", h+1),
				Head: h + 1, Max: 12, Numbers: true}})
	}
	lines = append(lines, []viz.Term{viz.Sign("="), {Matrix: sum, Name: "Y, the convolution", Max: 8, Numbers: true}})
	return viz.Equation("Each head moves the pixels, then multiplies", lines, viz.EquationOptions{Width: width})
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
	var steps []viz.Sharpening
	for _, alpha := range alphas() {
		l, err := theorem.FromConv(c, theorem.FromOptions{Alpha: alpha})
		if err != nil {
			return nil, err
		}
		steps = append(steps, viz.Sharpening{Alpha: alpha, Output: matrix(l.Forward(size, x)[0])})
	}
	return viz.Sharpen(image, kernel, matrix(c.Forward(size, x)[0]), steps, viz.SharpenOptions{
		Title: "Nine heads of attention become a convolution",
		Marks: map[float64]string{1: "α = 1", 3: "3", 10: "10", 46: "46, the paper", 104: "104, exact"}})
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
	svg, err := a.Last().Encode("figure.svg", viz.Output{Theme: theme})
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
