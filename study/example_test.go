package study_test

import (
	"fmt"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/study"
)

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
	fmt.Print(c.Table([]string{"model", "n", "acc", "diff"}).Markdown())
	// Output:
	// data shapes32, 6 epochs, best epoch by one validation split
	//
	// | model | n | test acc % | vs baseline |
	// | --- | ---: | ---: | ---: |
	// | learned (baseline) | 2 | 79.45 ± 0.49 | – |
	// | quadratic | 2 | 81.45 ± 0.49 | +2.00 [-1.07, +5.07] |
	//
	// note   intervals (95 %) cover other seeds and other test images; ± is the standard deviation over seeds
}

// The training time after each epoch. A run of an earlier version recorded only how long each epoch took.
func ExampleElapsed() {
	fmt.Println(study.Elapsed([]event.Epoch{{WallS: 10, TotalS: 10}, {WallS: 8, TotalS: 21}, {WallS: 9}}))
	// Output: [10 21 27]
}
