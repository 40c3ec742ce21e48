package sweep_test

import (
	"context"
	"fmt"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/internal/sweep"
)

// A plan of two learning rates with two seeds each, and the folders of its runs. Draft.Create writes a plan to a
// folder, where any number of Workers train it.
func Example() {
	d, err := sweep.New(context.Background(), sweep.Options{
		Sources: configs.Sources{Set: []string{"preset=smoke", "data.name=shapes32", "train.lr=0.05,0.1"}},
		Seeds:   []uint64{0, 1},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, trial := range d.Trials {
		fmt.Println(trial.Name)
	}
	// Output:
	// 000-lr-0.05-s0
	// 001-lr-0.05-s1
	// 002-lr-0.1-s0
	// 003-lr-0.1-s1
}
