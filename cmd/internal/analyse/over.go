package analyse

import (
	"context"
	"fmt"

	"github.com/attnconv/attnconv/analyse/network"
	"github.com/attnconv/attnconv/cmd/internal/refs"
	"github.com/attnconv/attnconv/cmd/internal/term"
)

// epochs is the value of --over.
const epochs = "epochs"

// overDefaults leaves out what would be measured anew for each snapshot, unless it was asked for: regressions, and the
// nulls that untrained networks are not.
func (o *options) overDefaults(changed func(flag string) bool) {
	if o.Over == "" {
		return
	}
	o.Headline = false
	if !changed("images") {
		o.Images = 0
	}
	if !changed("draws") {
		o.Draws = 0
	}
	if !changed("figure") {
		o.Figure = overEpochs
	}
}

// over analyses the snapshots of runs.
func (o options) over(ctx context.Context, c *term.Console) error {
	runs := []network.Epochs{}
	for _, ref := range o.Refs {
		d, err := o.overOne(ctx, c, ref)
		if err != nil {
			return err
		}
		runs = append(runs, *d)
	}
	o.stages.Close()
	if len(o.Plot.Output) > 0 {
		figure, err := drawEpochs(runs, o.Plot.Width)
		if err != nil {
			return term.NameFlag(err)
		}
		if err := o.Plot.WriteNoted(c, figure); err != nil || o.Plot.ToStdout() {
			return err
		}
	}
	seeds := network.SeedsOver(runs)
	warnOfSameSeed(c, network.After(runs, 0))
	var document any = runs[0]
	if len(runs) > 1 {
		document = network.EpochsOfRuns{V: 1, Runs: runs, Seeds: seeds}
	}
	return o.show(c, document, network.OverCSV(runs), func(width int) string {
		return network.OverText(runs, seeds, width)
	})
}

// overOne analyses the snapshots of one run.
func (o options) overOne(ctx context.Context, c *term.Console, ref string) (*network.Epochs, error) {
	m, err := refs.LoadModel(c, ref, refs.AnyRun)
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
	d, err := network.Over(ctx, s, snapshots, o.measurement(s))
	if err != nil {
		err = fmt.Errorf("%s: %w", m.Path, err)
	}
	return d, err
}
