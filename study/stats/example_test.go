package stats_test

import (
	"fmt"

	"github.com/attnconv/attnconv/study/stats"
)

// Two models, four seeds each, tested on the same 10,000 images: their difference, with an interval that allows for
// other seeds and other images.
func ExampleCompare() {
	base := stats.Accuracies{Runs: []float64{0.791, 0.798, 0.786, 0.793}, Images: 10000}
	mine := stats.Accuracies{Runs: []float64{0.812, 0.820, 0.809, 0.815}, Images: 10000}

	s := stats.Summarize(mine)
	fmt.Printf("mine: %.4f ± %.4f (n = %d), 95 %% [%.3f, %.3f]\n", s.Mean, s.Std, s.N, s.CI.Lo, s.CI.Hi)
	c, err := stats.Compare(mine, base, false)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("difference %.4f, 95 %% [%.3f, %.3f], p = %.1g; allows for %v\n", c.Diff, c.CI.Lo, c.CI.Hi, c.P,
		c.Covers.Words())
	fmt.Println("corrected for two comparisons:", stats.Holm([]float64{0.01, 0.04}))
	// Output:
	// mine: 0.8140 ± 0.0047 (n = 4), 95 % [0.803, 0.824]
	// difference 0.0220, 95 % [0.008, 0.036], p = 0.004; allows for [seeds images]
	// corrected for two comparisons: [0.02 0.04]
}
