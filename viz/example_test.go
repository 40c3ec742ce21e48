package viz_test

import (
	"fmt"
	"os"
	"path/filepath"

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
