package compare

import (
	"context"
	"slices"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/measure"
	"github.com/attnconv/attnconv/report"
	"github.com/attnconv/attnconv/session"
	"github.com/attnconv/attnconv/study"
)

// nulls is how many untrained networks a model's layers are compared with.
const nulls = 3

// layers measures the layers of all runs if some column shows them. It reads the weights of each run, and no image.
func (o options) layers(ctx context.Context, c *cli.Console, s *study.Selection, result *study.Comparison) error {
	if !study.WantsLayers(o.Columns) {
		return nil
	}
	for i, row := range result.Rows {
		c.Note("measuring the layers of %s", row.Name)
		var runs, untrained []report.Analysis
		for _, r := range row.Runs {
			at := slices.IndexFunc(s.Compared, func(x study.Candidate) bool { return x.Study.ID == r.ID })
			m, err := session.Open(s.Compared[at].Path)
			if err != nil {
				return err
			}
			subject, err := m.Measurable(nil)
			if err != nil {
				return err
			}
			subject.Start = nil
			d, err := measure.Network(ctx, subject, measure.Options{})
			if err != nil {
				return cli.Unmeasurable(m.Path, err)
			}
			runs = append(runs, *d)
			for seed := uint64(0); seed < nulls && len(untrained) < nulls; seed++ {
				subject := subject
				if subject.Net, err = subject.Untrained(seed); err != nil {
					return err
				}
				d, err := measure.Network(ctx, subject, measure.Options{})
				if err != nil {
					return err
				}
				untrained = append(untrained, *d)
			}
		}
		result.Rows[i].Layers = measure.Means(runs, untrained)
	}
	return nil
}
