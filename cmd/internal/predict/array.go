package predict

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/npy"
	"github.com/attnconv/attnconv/report"
	"github.com/attnconv/attnconv/run"
)

// predictArray classifies the images in a NumPy file: normalised values, channels first.
func (s classifier) predictArray(ctx context.Context, path string, top int) ([]report.Prediction, error) {
	a, err := npy.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &run.NotFound{What: "array", Ref: path}
	}
	if err != nil {
		return nil, &data.Corrupt{Path: path, Reason: err.Error()}
	}
	rows, cols, channels := s.Net.Spec.Image[0], s.Net.Spec.Image[1], s.Net.Spec.Image[2]
	if want := []int{channels, rows, cols}; len(a.Shape) != 4 || !slices.Equal(a.Shape[1:], want) || a.Shape[0] == 0 {
		return nil, cli.Usagef("", "--array %s: want shape (n, %d, %d, %d), got %v", path, channels, rows, cols, a.Shape)
	}
	out, err := s.ClassifyValues(ctx, a.Data)
	return s.predictions(out, err, func(i int) string { return fmt.Sprintf("%s[%d]", path, i) }, top)
}
