package cmd

import (
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/attnconv/attnconv/ckpt"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/invalid"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/train"
)

// evalResult is what eval --json prints.
type evalResult struct {
	V          int          `json:"v"`
	Checkpoint string       `json:"checkpoint"`
	Data       string       `json:"data"`
	Split      string       `json:"split"`
	N          int          `json:"n"`
	Loss       float64      `json:"loss"`
	Acc        float64      `json:"acc"`
	Top5       float64      `json:"top5"`
	PerClass   []classScore `json:"per_class"`
}

type classScore struct {
	Class string  `json:"class"`
	N     int     `json:"n"`
	Acc   float64 `json:"acc"`
}

// runEval measures the checkpoint that o names.
func runEval(ctx context.Context, c *console, o evalOptions) error {
	path, note, err := run.ResolveCheckpoint(o.Ref, c.Runs)
	if err != nil {
		return err
	}
	if note != "" {
		c.note("%s", note)
	}
	f, meta, err := readCheckpoint(path)
	if err != nil {
		return err
	}
	net, err := model.Load(f)
	if err != nil {
		return &ckpt.Corrupt{Path: path, Reason: err.Error()}
	}
	config, err := configs.Parse(path+": attnconv.config", []byte(meta.Config))
	if err != nil {
		return &ckpt.Corrupt{Path: path, Reason: err.Error()}
	}
	if o.Data != "" {
		config.Data.Name = o.Data
	}
	set, err := openFor(net.Spec, config.Data, c.DataDir)
	if err != nil {
		return err
	}
	score, err := measure(ctx, net, set, config, o)
	if err != nil {
		return err
	}
	r := evalResult{1, path, set.Name, o.Split, score.N, score.Loss, score.Acc, score.Top5, nil}
	for i, s := range score.PerClass {
		r.PerClass = append(r.PerClass, classScore{set.Classes[i], s.N, float64(s.Correct) / float64(max(1, s.N))})
	}
	if c.JSON {
		return c.result(r)
	}
	return r.print(c)
}

// openFor opens the data set for a network that must fit it.
func openFor(spec model.Spec, o data.Options, dir string) (*data.Set, error) {
	if err := (data.Options{Name: o.Name, Protocol: data.Holdout}).Validate(); err != nil {
		return nil, err
	}
	set, err := data.Open(o, dir)
	if err != nil {
		return nil, err
	}
	if image := [3]int{set.Rows, set.Cols, set.Channels}; spec.Classes != len(set.Classes) || spec.Image != image {
		return nil, invalid.Errorf("data", "%s: has %d classes and pictures of %v; the checkpoint's model takes %d classes and %v",
			set.Name, len(set.Classes), image, spec.Classes, spec.Image)
	}
	return set, nil
}

// measure scores net on the split that o names.
func measure(ctx context.Context, net *model.Network, set *data.Set, config configs.Run, o evalOptions) (
	train.Score, error,
) {
	trainSplit, val, test, err := set.Split(config.Data)
	if err != nil {
		return train.Score{}, err
	}
	batch := config.Train.EvalBatch
	if o.Batch > 0 {
		batch = o.Batch
	}
	split := map[string]data.Split{"train": trainSplit, "val": val, "test": test}[o.Split]
	batches, err := data.NewLoader(split, data.LoaderOptions{Batch: min(batch, max(1, split.Len())), Pad: true})
	if err != nil {
		return train.Score{}, err
	}
	e, err := train.NewEvaluator(net, train.Shape{min(batch, split.Len()), set.Rows, set.Cols, set.Channels})
	if err != nil {
		return train.Score{}, err
	}
	defer e.Close()
	return e.Score(ctx, batches, 0)
}

// print writes the scores as a table.
func (r evalResult) print(c *console) error {
	fmt.Fprintf(c.Out, "%s  %s, %s pictures of %s\n", r.Checkpoint, thousands(r.N), r.Split, r.Data)
	fmt.Fprintf(c.Out, "acc %.2f %%   top-5 %.2f %%   loss %.4f\n\n", 100*r.Acc, 100*r.Top5, r.Loss)
	w := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "class\tpictures\tacc %\t\n")
	for _, p := range r.PerClass {
		fmt.Fprintf(w, "%s\t%d\t%.1f\t\n", p.Class, p.N, 100*p.Acc)
	}
	return w.Flush()
}
