package train_test

import (
	"context"
	"fmt"
	"math"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/train"
)

// Training on shapes32, ten shapes that the program draws: the preset tiny, cut to 40 steps.
func ExampleTrainer() {
	settings, err := configs.Preset("tiny")
	check(err)
	settings.Train.Epochs, settings.Train.TrainBatches = 1, 40

	set := sets.Shapes()
	images, held, _, err := set.Split(settings.Data)
	check(err)
	batches, err := data.NewLoader(images, data.LoaderOptions{Batch: settings.Train.Batch, Shuffle: true})
	check(err)
	validation, err := data.NewLoader(held, data.LoaderOptions{Batch: settings.Train.EvalBatch, Pad: true})
	check(err)
	net, err := model.New(settings.Model, settings.Seed)
	check(err)

	t := &train.Trainer{Options: settings.Train, Net: net, Params: net.Params, Train: batches, Val: validation}
	t.Observe = func(e event.Event) error {
		if epoch, ok := e.(event.Epoch); ok {
			fmt.Printf("epoch %d, %d steps: loss below that of guessing, ln 10: %t\n", epoch.Epoch, epoch.Step,
				epoch.ValLoss < math.Ln10)
		}
		return nil
	}
	check(t.Prepare())
	defer t.Close()
	check(t.Run(context.Background()))
	// Output: epoch 1, 40 steps: loss below that of guessing, ln 10: true
}

// The schedule of Vaswani et al. 2017, lr·√(W/(W+t)) at step t behind a warm-up of W steps. A program registers it
// once, in an init function; then it is also --schedule rsqrt.
func ExampleRegisterSchedule() {
	own := train.Schedules
	defer func() { train.Schedules = own }() // other tests do not have it
	train.RegisterSchedule(train.Schedule{
		Name: "rsqrt", Help: "one over the root of the step",
		Rate: func(o train.Options, at train.Moment) float64 {
			return o.LR * math.Sqrt(at.Warmup/(at.Warmup+at.Step))
		},
	})
	o := train.Default()
	o.Schedule, o.LR, o.Warmup, o.Epochs = "rsqrt", 0.1, 0.1, 10
	for _, step := range []int{0, 9, 40, 90} {
		fmt.Printf("step %d: %.4f\n", step, o.Rate(step, 10))
	}
	// Output:
	// step 0: 0.0100
	// step 9: 0.1000
	// step 40: 0.0500
	// step 90: 0.0333
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
