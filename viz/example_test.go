package viz_test

import (
	"bytes"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/attnconv/attnconv/posenc/geometry"
	"github.com/attnconv/attnconv/viz"
)

// Heads drawn from plain numbers: layer 1 has one head for each direction, layer 2 has none, layer 3 one wide head.
func ExampleLayers() {
	layers := viz.Layers([][]geometry.Head{
		{
			geometry.Isotropic([2]float64{-1, 0}, 2), geometry.Isotropic([2]float64{1, 0}, 2),
			geometry.Isotropic([2]float64{0, -1}, 2), geometry.Isotropic([2]float64{0, 1}, 2),
		},
		nil,
		{{Center: [2]float64{0.5, 0.5}, Precision: [2][2]float64{{0.2, 0.1}, {0.1, 0.4}}}},
	})
	f, err := viz.Heads(layers, viz.HeadsOptions{Grid: viz.Middle(8, 8)})
	if err != nil {
		fmt.Println(err)
		return
	}
	f.Title = "Heads of my own"
	path := filepath.Join(os.TempDir(), "heads-of-my-own.png")
	if err := f.WriteFile(path); err != nil {
		fmt.Println(err)
		return
	}
	defer os.Remove(path)
	fmt.Println("layers", layers[0].Number, "and", layers[1].Number, "with", len(f.Data.Rows), "contours")
	// Output: layers 1 and 3 with 10 contours
}

// A figure of a program, in the colors and letters of the others: a curve, and its name.
func ExampleFigure() {
	f := &viz.Figure{Width: 8, Height: 5, Title: "A parabola", Alt: "y = x²"}
	f.Drawing = func(c draw.Canvas, t *viz.Theme) {
		var line []vg.Point
		for x := vg.Length(-1); x <= 1; x += 0.125 {
			line = append(line, vg.Point{X: c.Max.X * (0.5 + x/3), Y: c.Max.Y * x * x / 2})
		}
		c.StrokeLines(t.Line(t.Head(0)), line)
		c.FillText(t.Text(10, t.Ink), vg.Point{X: c.Max.X * 0.5, Y: c.Max.Y * 0.7}, "y = x²")
	}
	svg, err := f.Encode("parabola.svg", viz.Output{Theme: "dark"})
	fmt.Println(strings.Contains(string(svg), ">y = x²</text>"), err)
	// Output: true <nil>
}

// Two figures on one canvas of gonum/plot, in a theme of the program: wider lines on a light ground.
func ExampleFigure_Draw() {
	wide := viz.Themes[0]
	wide.Name, wide.Lines, wide.Ground = "wide", 2, color.NRGBA{R: 250, G: 245, B: 235, A: 255}
	estimates := []viz.Estimate{{Name: "wide", Value: 0.012, Lo: 0.004, Hi: 0.02}}
	f, err := viz.Forest(estimates, viz.ForestOptions{What: "difference"})
	if err != nil {
		fmt.Println(err)
		return
	}
	w, h := f.Size(&wide)
	page := vgsvg.New(2*w, h)
	for i := range 2 {
		c := draw.New(page)
		c.Min.X = w * vg.Length(i)
		f.Draw(c, &wide)
	}
	var b bytes.Buffer
	_, err = page.WriteTo(&b)
	svg := b.String()
	fmt.Println(strings.Count(svg, ">wide</text>"), "rows,", strings.Count(svg, "fill:#FAF5EB"), "grounds", err)
	// Output: 2 rows, 2 grounds <nil>
}

// Differences of accuracies, each with its interval: one that crosses 0 may be none.
func ExampleForest() {
	f, err := viz.Forest([]viz.Estimate{
		{Name: "wide", Value: 0.012, Lo: 0.004, Hi: 0.02}, {Name: "deep", Value: 0.003, Lo: -0.006, Hi: 0.012},
	}, viz.ForestOptions{What: "difference of test accuracy", Percent: true, From: "plain"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Alt)
	// Output: Difference of test accuracy: wide +1.20 [+0.40, +2.00]; deep +0.30 [-0.60, +1.20].
}
