package sweep_test

import (
	"fmt"

	"github.com/attnconv/attnconv/sweep"
)

// Every combination of two settings, and the folder of each trial.
func ExampleGrid() {
	axes := []sweep.Axis{{Key: "train.lr", Values: []string{"0.05", "0.1"}}, {Key: sweep.Seed, Values: []string{"0", "1"}}}
	grid := sweep.Grid(axes)
	for i, values := range grid {
		fmt.Println(sweep.Name(i, len(grid), axes, values))
	}
	// Output:
	// 000-lr-0.05-s0
	// 001-lr-0.05-s1
	// 002-lr-0.1-s0
	// 003-lr-0.1-s1
}
