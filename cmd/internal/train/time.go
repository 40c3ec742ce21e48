package train

import (
	"context"
	"slices"

	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/session"
)

// fewSteps: a run with fewer steps ends before anybody reads a forecast.
const fewSteps = 20

// showForecast shows how long the run will take. If that is long and the preset is the default one, it suggests a
// faster command.
func (j *Job) showForecast(ctx context.Context) error {
	if j.c.Quiet || j.o.OneOfMany || j.Plan().Steps-j.Cursor().Step < fewSteps {
		return nil
	}
	f, err := j.Estimate(ctx)
	if err != nil {
		return err
	}
	if j.c.Streams() {
		j.c.Stream("forecast", Forecast{StepS: f.StepS, Measured: f.Steps, ETA: f.Left})
		return nil
	}
	left := "about " + table.Seconds(f.Left) + " here"
	if j.Cursor().Step > 0 {
		left += " for the remaining steps"
	}
	parts := []string{left}
	if f.Left > term.Long {
		if other := j.faster(ctx); other > 0 && other < f.Left/2 {
			parts = append(parts, "about "+table.Seconds(other)+": --data shapes32")
		}
		parts = append(parts, j.fastPresets(f)...)
	}
	j.c.Labeled("time", parts...)
	return nil
}

// faster estimates, in seconds, the same command on the built-in images. It is 0 if the user chose preset or data.
func (j *Job) faster(ctx context.Context) float64 {
	if origin := j.o.Origins["data.name"]; !j.ChosenPreset() || origin.Given() || j.o.Branch != "" {
		return 0
	}
	quiet := *j.c
	quiet.Quiet = true
	o := Options{Sources: j.o.Sources}
	o.DryRun = true
	o.Sources.Flags = append(slices.Clone(o.Sources.Flags), configs.Flag{Name: "--data", Key: "data.name",
		Text: "shapes32"})
	if o.Resolve(&quiet, nil) != nil {
		return 0
	}
	other, err := Start(&quiet, o)
	if err != nil {
		return 0
	}
	defer other.Close()
	f, err := other.Estimate(ctx)
	if err != nil {
		return 0
	}
	return f.Total
}

// fastPresets names the presets that train on CIFAR-10 in less than half of the time, with what they take here if the
// machine has the speed at which it was measured.
func (j *Job) fastPresets(f session.Forecast) (all []string) {
	own := j.Settings()
	if own.Data.Name != "cifar10" || own.Data.TrainSize > 0 || j.o.Resumes || j.o.Branch != "" {
		return nil
	}
	p := j.Plan()
	speed := work(own, p.EpochSteps*own.Train.Batch) / f.Total
	for _, name := range []string{"fast/quadratic", "fast/convnet"} {
		r, err := configs.Preset(name)
		if err != nil {
			continue // the presets are embedded, and tested
		}
		if seconds := work(r, p.Train) / speed; seconds < f.Total/2 {
			all = append(all, "about "+table.Seconds(seconds)+": --preset "+name)
		}
	}
	return all
}

// convolutionCost is what a multiply-add of a convolutional network costs, in multiply-adds of attention: fast/convnet
// does 1.9e10 a second, forward, where small/quadratic does 2.9e10 (configs/fast/convnet.yaml, bench/README.md).
const convolutionCost = 1.5

// work estimates what a run with so many images an epoch costs, in multiply-adds of attention, forward. On images of
// fewer pixels, a network does fewer in proportion.
func work(r configs.Run, images int) float64 {
	whole := float64(max(1, r.Model.Image[0]))
	share, n := 1.0, len(r.Train.Resolutions)
	if n > 0 {
		share = 0
	}
	for _, side := range r.Train.Resolutions {
		share += float64(side) / whole * float64(side) / whole / float64(n)
	}
	if !r.Model.Uses("encoding") {
		share *= convolutionCost
	}
	return float64(r.Model.MACs().Run) * share * float64(images) * float64(r.Train.Epochs)
}

// dryRun shows the plan of a run and how long it takes.
func (j *Job) dryRun(ctx context.Context) error {
	j.banner()
	j.c.Note("")
	f, err := j.Estimate(ctx)
	if err != nil {
		return err
	}
	if j.c.JSON {
		p := j.Plan()
		return j.c.Result(TrainPlan{V: 1, Params: p.Params, MACs: p.MACs, Epochs: p.Epochs, Steps: p.Steps,
			StepS: f.StepS, Measured: f.Steps, ETA: f.Total})
	}
	batch := j.Settings().Train.Batch
	j.c.Print("%s of %s of %s: about %s here\n", table.Count(j.Plan().Epochs, "epoch"),
		table.Count(j.Plan().EpochSteps, "step"), table.Count(batch, "image"), table.Seconds(f.Total))
	for _, side := range f.Sides {
		j.c.Note("%d pixels: %.0f img/s", side.Side, float64(batch)/side.StepS)
	}
	j.c.Note("%.0f img/s, the median of %s measured", float64(batch)/f.StepS, table.Count(f.Steps, "step"))
	if faster := j.fastPresets(f); faster != nil && f.Total > term.Long {
		j.c.Labeled("faster", faster...)
	}
	j.c.Note("nothing was written")
	return nil
}
