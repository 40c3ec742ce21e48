package report

import (
	"context"
	"fmt"

	"github.com/attnconv/attnconv/cmd/internal/figures"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/session/trained"
	"github.com/attnconv/attnconv/study"
)

// figures writes the curves of the runs, and the intervals of the models.
func (r *report) figures() error {
	r.element("h2", "Training")
	curves, _ := figures.Together(r.curves...)
	if len(curves) == 0 {
		r.element("p", "No epoch is finished yet.")
		return nil
	}
	f, err := figures.Curves(curves, figures.CurvesOptions{Show: []string{"acc", "loss"}, Width: 18})
	if err != nil {
		return err
	}
	if err := r.figure(f); err != nil {
		return err
	}
	if len(r.groups) == 1 {
		return nil
	}
	r.element("h2", "Intervals")
	return r.drawing(func(ext, theme string) ([]byte, error) {
		return r.comparison.Encode("differences."+ext, study.Output{Figure: "differences", Theme: theme})
	}, "Accuracies with their intervals")
}

// heads writes where the heads of models look. One without attention has none.
func (r *report) heads(ctx context.Context, models []*trained.Model, o Options) error {
	titled := false
	for i, m := range models {
		if err := ctx.Err(); err != nil {
			return err
		}
		o.Tell(fmt.Sprintf("heads of run %d of %d", i+1, len(models)))
		images, note := testImages(m, o.Data)
		if note != "" {
			r.element("p", note)
		}
		start, _ := m.InitialHeads() // without it, it is not drawn
		f, err := figures.Attention(m.Net, start, images)
		if err != nil || f == nil {
			continue // images that attention depends on are not here
		}
		f.Source, f.Caption = "run "+m.ID(), m.Caption()
		if !titled {
			r.element("h2", "Where heads look")
			titled = true
		}
		if err := r.figure(f); err != nil {
			return fmt.Errorf("heads of %s: %w", m.ID(), err)
		}
	}
	return nil
}

// testImages returns test images for attention that depends on them. The note says why there are none, or how they
// differ from those that the network was trained on.
func testImages(m *trained.Model, dataDir string) (test data.Split, note string) {
	if !m.Net.Spec.ByImage() {
		return test, ""
	}
	set, err := m.OpenData("", dataDir)
	if err == nil {
		test, err = set.Part("test", m.Config.Data)
	}
	if err != nil {
		return test, fmt.Sprintf("Heads of %s are not drawn, because they depend on images: %v.", m.Source(), err)
	}
	return test, set.Note
}
