package analyse

import (
	"cmp"
	"context"
	"io"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/cmd/internal/output"
	"github.com/attnconv/attnconv/figures"
	"github.com/attnconv/attnconv/measure"
	"github.com/attnconv/attnconv/report"
	"github.com/attnconv/attnconv/study"
)

// epochs is the value of --over.
const epochs = "epochs"

// overDefaults leaves out what would be measured anew for each snapshot, unless it was asked for: regressions, and the nulls
// that untrained networks are not.
func (o *options) overDefaults(changed func(flag string) bool) {
	if o.Over == "" {
		return
	}
	if !changed("images") {
		o.Images = 0
	}
	if !changed("draws") {
		o.Draws = 0
	}
	if !changed("figure") {
		o.Figure = figures.OverEpochs
	}
}

// over analyses the snapshots of runs.
func (o options) over(ctx context.Context, c *cli.Console) error {
	runs := []report.AnalysedEpochs{}
	for _, ref := range o.Refs {
		d, err := o.overOne(ctx, c, ref)
		if err != nil {
			return err
		}
		runs = append(runs, *d)
	}
	if len(o.Plot.Output) > 0 {
		figure, err := figures.AnalysisCurves(runs, o.Plot.Width)
		if err != nil {
			return output.CannotDraw(err)
		}
		if err := o.Plot.WriteNoted(c, figure); err != nil || o.Plot.ToStdout() {
			return err
		}
	}
	seeds := measure.SeedsOver(runs)
	var document any = runs[0]
	if len(runs) > 1 {
		document = report.AnalysesOver{V: 1, Runs: runs, Seeds: seeds}
	}
	return c.Show(document, func(c *cli.Console) error {
		text := measure.OverText(runs, seeds, cmp.Or(c.OutWidth(), cli.HelpWidth))
		if o.Format == "csv" {
			text = measure.OverCSV(runs)
		}
		_, err := io.WriteString(c.Out, text)
		return err
	})
}

// overOne analyses the snapshots of one run.
func (o options) overOne(ctx context.Context, c *cli.Console, ref string) (*report.AnalysedEpochs, error) {
	m, err := c.LoadModel(ref, study.AnyRun)
	if err != nil {
		return nil, err
	}
	snapshots, err := m.Snapshots()
	if err != nil {
		return nil, err
	}
	s, err := o.subject(c, m, o.Images > 0 || m.Net.Spec.ByImage()) // else no image would be looked at
	if err != nil {
		return nil, err
	}
	d, err := measure.Over(ctx, s, snapshots, o.measurement(s))
	return d, cli.Unmeasurable(m.Path, err)
}
