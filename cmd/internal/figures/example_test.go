package figures_test

import (
	"fmt"

	"github.com/attnconv/attnconv/cmd/internal/figures"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/heads"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/run/event"
)

// Where the heads of a network attend from the token in the third row and column. With heads_init grid, an untrained
// head attends to one of the query's neighbors.
func ExampleViews() {
	spec := model.Default()
	spec.Layers, spec.Heads, spec.Dim, spec.FFN, spec.Pool = model.Equal(1), model.Ints{4}, 8, 16, 4
	spec.HeadsInit = "grid"
	net, err := model.New(spec, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	reader, err := heads.NewReader(net)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer reader.Close()
	views, err := figures.Views(reader, nil, figures.ViewOptions{Queries: [][2]int{{2, 2}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range figures.Summaries(views) {
		fmt.Printf("head %d: %.0f %% at shift %+d\n", s.Head, 100*s.Peak, s.At)
	}
	// Output:
	// head 1: 100 % at shift [+0 +0]
	// head 2: 100 % at shift [+0 +1]
	// head 3: 100 % at shift [+1 +0]
	// head 4: 100 % at shift [+1 +1]
}

// The curves of two runs that differ in the learning rate; WriteFile draws them.
func ExampleCurves() {
	var runs []figures.CurveRun
	for i, lr := range []float64{0.1, 0.2} {
		r := figures.CurveRun{Config: configs.Default(), Status: run.Status{Name: fmt.Sprint("run", i)}}
		r.Config.Train.LR = lr
		r.Epochs = []event.Epoch{{Epoch: 1, ValAcc: 0.5, ValLoss: 1.5}, {Epoch: 2, ValAcc: 0.6 + lr, ValLoss: 1.2}}
		runs = append(runs, r)
	}
	curves, _ := figures.Together(runs...)
	for _, c := range curves {
		acc, epoch := c.Best()
		fmt.Printf("%s: best %.0f %% after epoch %.0f\n", c.Name, 100*acc, epoch)
	}
	figure, err := figures.Curves(curves, figures.CurvesOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(figure.Source, "·", figure.Caption)
	// Output:
	// quadratic, lr 0.1: best 70 % after epoch 2
	// quadratic, lr 0.2: best 80 % after epoch 2
	// runs run0, run1 · auto · to epoch 2
}
