package eval

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/internal/visible"
	"github.com/attnconv/attnconv/session/trained"
	"github.com/attnconv/attnconv/viz"
)

// confusion draws the confusion matrix, width cm wide; 0 is as wide as the classes need.
func confusion(m *trained.Model, e *Evaluation, width float64) (*viz.Figure, error) {
	figure, err := viz.Confusion(e.Outputs.Confusion(), visible.Apart(e.Classes), viz.ConfusionOptions{Width: width})
	if err != nil {
		return nil, err
	}
	figure.Source = m.Source()
	figure.Caption = fmt.Sprintf("%s · on %s %s images of %s: acc %.1f %%", m.Caption(), table.Thousands(e.N), e.Split,
		e.Data, 100*e.Acc)
	if e.Views != nil {
		figure.Caption += " from " + e.Views.String()
	}
	return figure, nil
}

// worst draws the images of Worst, with the class of each and below it the predicted class with its probability;
// width is in cm, 0 as the images need.
func worst(m *trained.Model, e *Evaluation, width float64) (*viz.Figure, error) {
	var shown []viz.Shown
	names := visible.Apart(e.Classes)
	for _, w := range e.Worst {
		shown = append(shown, viz.Shown{Image: e.Images.Image(w.Index), Name: names[e.Outputs.Labels[w.Index]],
			Note: fmt.Sprintf("%.0f %% %s", 100*w.P, names[e.Outputs.Predicted(w.Index)])})
	}
	o := viz.ImagesOptions{Across: min(8, len(shown)), Width: width}
	if width == 0 { // room for two words
		o.Width = max(8, 0.6+2.25*float64(o.Across))
	}
	figure, err := viz.Images(shown, o)
	if err != nil {
		return nil, err
	}
	wrong := 0
	for i := range e.Outputs.Len() {
		if !e.Outputs.Right(i) {
			wrong++
		}
	}
	figure.Source = m.Source()
	figure.Caption = fmt.Sprintf("%s · the %d most wrong of %s errors on %s %s images of %s; below the class: the "+
		"predicted one and its probability", m.Caption(), len(shown), table.Thousands(wrong),
		table.Thousands(e.N), e.Split, e.Data)
	return figure, nil
}
