package study_test

import (
	"fmt"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/study"
)

// Two models, four seeds each, tested on the same 10,000 images: their difference, with an interval that allows for other
// seeds and other images.
func ExampleCompared() {
	base := study.Measured{Runs: []float64{0.791, 0.798, 0.786, 0.793}, Images: 10000}
	mine := study.Measured{Runs: []float64{0.812, 0.820, 0.809, 0.815}, Images: 10000}

	s := study.Summarise(mine)
	fmt.Printf("mine: %.4f ± %.4f (n = %d), 95 %% [%.3f, %.3f]\n", s.Mean, s.Std, s.N, s.CI.Lo, s.CI.Hi)
	c := study.Compared(mine, base, false)
	fmt.Printf("difference %.4f, 95 %% [%.3f, %.3f], p = %.1g; allows for %v\n", c.Diff, c.CI.Lo, c.CI.Hi, c.P, c.Covers.Words())
	fmt.Println("corrected for two comparisons:", study.Holm([]float64{0.01, 0.04}))
	// Output:
	// mine: 0.8140 ± 0.0047 (n = 4), 95 % [0.803, 0.824]
	// difference 0.0220, 95 % [0.008, 0.036], p = 0.004; allows for [seeds images]
	// corrected for two comparisons: [0.02 0.04]
}

// Runs of two models with two seeds each, as a table.
func ExampleCompare() {
	made := func(name string, seed uint64, acc float64) study.Run {
		spec := model.Default()
		spec.Encoding = name
		return study.Run{
			ID: fmt.Sprint(name, "-", seed), Name: name, Seed: seed, Spec: spec, TestAcc: acc, TestN: 2000,
			Settings: []study.Setting{
				{Key: "model.encoding", Value: name}, {Key: "data.name", Value: "shapes32"},
				{Key: "data.protocol", Value: "holdout"}, {Key: "train.epochs", Value: "6"},
			},
		}
	}
	groups := study.Groups([]study.Run{
		made("learned", 0, 0.791), made("learned", 1, 0.798), made("quadratic", 0, 0.811), made("quadratic", 1, 0.818),
	})
	c, err := study.Compare(groups, study.Options{Baseline: "learned"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(c.Table(false, []string{"model", "n", "acc", "diff"}).Markdown())
	// Output:
	// data shapes32, 6 epochs, best epoch by one held-out split
	//
	// | model | n | test acc % | vs baseline |
	// | --- | ---: | ---: | ---: |
	// | learned (baseline) | 2 | 79.45 ± 0.49 | – |
	// | quadratic | 2 | 81.45 ± 0.49 | +2.00 [-1.07, +5.07] |
	//
	// note   intervals (95 %) cover other seeds and other test images; ± is the standard deviation over seeds
}
