package trained

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/internal/npy"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/train"
)

// PredictOptions say what Predict tells of each image.
type PredictOptions struct {
	Classes []string // names; nil: those in the data folder Dir() of package data
	Top     int      // number of classes, the most likely first; 0: all
}

// Predict classifies images, whose labels do not matter. The images have names, as ReadImages returns them. The error
// may be a *NotFiniteError.
func (m *Model) Predict(ctx context.Context, images data.Split, names []string, o PredictOptions) ([]Prediction,
	error) {
	if len(names) != images.Len() {
		return nil, fmt.Errorf("%d names of %d images", len(names), images.Len())
	}
	out, err := m.Classify(ctx, images)
	return m.predictions(out, err, func(i int) string { return names[i] }, o)
}

// PredictArray classifies the images in a NumPy file (.npy) of normalized values, float32 (n, channels, rows, columns).
// The error is a *run.NotFoundError, a *data.CorruptError, or an *option.Error for "array" if its shape does not fit
// the network.
func (m *Model) PredictArray(ctx context.Context, path string, o PredictOptions) ([]Prediction, error) {
	a, err := npy.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &run.NotFoundError{What: "array", Ref: path}
	}
	if err != nil {
		return nil, &data.CorruptError{Path: path, Reason: err.Error()}
	}
	rows, cols, channels := m.Net.Spec.Image[0], m.Net.Spec.Image[1], m.Net.Spec.Image[2]
	if want := []int{channels, rows, cols}; len(a.Shape) != 4 || !slices.Equal(a.Shape[1:], want) || a.Shape[0] == 0 {
		return nil, option.Errorf("array", "%s: want shape (n, %d, %d, %d), got %v", path, channels, rows, cols,
			a.Shape)
	}
	out, err := m.ClassifyValues(ctx, a.Data)
	return m.predictions(out, err, func(i int) string { return fmt.Sprintf("%s[%d]", path, i) }, o)
}

// predictions lists the most likely classes of each image; err is that of the outputs.
func (m *Model) predictions(out train.Outputs, err error, name func(i int) string, o PredictOptions) (all []Prediction,
	_ error) {
	if bad := (*NotFiniteError)(nil); errors.As(err, &bad) {
		return nil, fmt.Errorf("%s: %w", name(bad.Image), bad)
	}
	if err != nil {
		return nil, err
	}
	if o.Classes == nil {
		o.Classes, _ = m.Classes(sets.Dir())
	}
	if len(o.Classes) != out.Classes {
		return nil, fmt.Errorf("PredictOptions.Classes has %d names: the network has %d classes", len(o.Classes),
			out.Classes)
	}
	if o.Top <= 0 {
		o.Top = out.Classes
	}
	for i := range out.Len() {
		p := Prediction{Image: name(i), Logits: out.Row(i)}
		for _, class := range out.Top(i, o.Top) {
			p.Classes = append(p.Classes, ClassProb{Class: o.Classes[class], P: out.Probability(i, class)})
		}
		all = append(all, p)
	}
	return all, nil
}
