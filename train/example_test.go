package train_test

import (
	"context"
	"fmt"
	"math"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/train"
)

// Training on shapes32, ten shapes that the program draws: the preset tiny, cut to 40 steps.
func ExampleTrainer() {
	settings, err := configs.Preset("tiny")
	check(err)
	settings.Train.Epochs, settings.Train.TrainBatches = 1, 40

	set := data.Shapes()
	images, held, _, err := set.Split(settings.Data)
	check(err)
	batches, err := data.NewLoader(images, data.LoaderOptions{Batch: settings.Train.Batch, Shuffle: true})
	check(err)
	validation, err := data.NewLoader(held, data.LoaderOptions{Batch: settings.Train.EvalBatch, Pad: true})
	check(err)
	net, err := model.New(settings.Model, settings.Seed)
	check(err)

	t := &train.Trainer{Options: settings.Train, Net: net, Params: net.Params, Train: batches, Val: validation}
	t.Observe = func(e run.Event) error {
		if epoch, ok := e.(run.Epoch); ok {
			fmt.Printf("epoch %d, %d steps: loss below that of guessing, ln 10: %t\n", epoch.Epoch, epoch.Step, epoch.ValLoss < math.Ln10)
		}
		return nil
	}
	check(t.Prepare())
	defer t.Close()
	check(t.Run(context.Background()))
	// Output: epoch 1, 40 steps: loss below that of guessing, ln 10: true
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
