package train

import (
	"context"
	"fmt"
	"slices"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/internal/progress"
)

// fewSteps: a run with fewer steps ends before anybody reads a forecast.
const fewSteps = 20

// showForecast shows how long the run will take. If that is long and the preset is the default one, it suggests a faster
// command.
func (j *Job) showForecast(ctx context.Context) error {
	if j.c.Quiet || j.o.OneOfMany || j.Plan().Steps-j.Cursor().Step < fewSteps {
		return nil
	}
	f, err := j.Estimate(ctx)
	if err != nil {
		return err
	}
	if j.c.Streams() {
		j.c.Stream("forecast", struct {
			StepS    float64 `json:"step_s"`
			Measured int     `json:"steps_measured"`
			ETA      float64 `json:"eta_s"`
		}{f.StepS, f.Steps, f.Left})
		return nil
	}
	left := "about " + progress.Duration(cli.Seconds(f.Left)) + " here"
	if j.Cursor().Step > 0 {
		left += " for the remaining steps"
	}
	parts := []string{left}
	if f.Left > cli.Long {
		if other := j.faster(ctx); other > 0 && other < f.Left/2 {
			parts = append(parts, "about "+progress.Duration(cli.Seconds(other))+": --data shapes32")
		}
	}
	j.c.Labelled("time", parts...)
	return nil
}

// faster estimates, in seconds, the same command on the built-in images. It is 0 if the user chose preset or data.
func (j *Job) faster(ctx context.Context) float64 {
	if origin := j.o.Config.Origins["data.name"]; !j.chosen() || origin.Given() || j.o.From != "" {
		return 0
	}
	quiet := *j.c
	quiet.Quiet = true
	o := Options{Sources: j.o.Sources, DryRun: true}
	o.Sources.Flags = append(slices.Clone(o.Sources.Flags), configs.Flag{Name: "--data", Key: "data.name", Text: "shapes32"})
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

// dryRun shows the plan of a run and how long it takes.
func (j *Job) dryRun(ctx context.Context) error {
	j.banner()
	j.c.Note("")
	f, err := j.Estimate(ctx)
	if err != nil {
		return err
	}
	epochs, steps := j.Settings().Train.Epochs, j.Plan().Steps
	plan := struct {
		V        int     `json:"v"`
		Params   int     `json:"params"`
		MACs     int     `json:"macs_run"`
		Epochs   int     `json:"epochs"`
		Steps    int     `json:"steps"`
		StepS    float64 `json:"step_s"`
		Measured int     `json:"steps_measured"`
		ETA      float64 `json:"eta_s"`
	}{1, j.Settings().Model.Params(), j.Settings().Model.MACs().Run, epochs, steps, f.StepS, f.Steps, f.Total}
	if j.c.JSON {
		return j.c.Result(plan)
	}
	fmt.Fprintf(j.c.Out, "%s of %s of %s: about %s here\n", cli.Count(epochs, "epoch"), cli.Count(j.Plan().EpochSteps, "step"),
		cli.Count(j.Settings().Train.Batch, "image"), progress.Duration(cli.Seconds(f.Total)))
	j.c.Note("%.0f img/s, the median of %s measured\nnothing was written", float64(j.Settings().Train.Batch)/f.StepS,
		cli.Count(f.Steps, "step"))
	return nil
}
