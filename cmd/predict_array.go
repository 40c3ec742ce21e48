package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/npy"
	"github.com/attnconv/attnconv/run"
)

// predictArray classifies the images in a NumPy file: normalised values, channels first.
func (s classifier) predictArray(ctx context.Context, path string, top int) ([]prediction, error) {
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
	size := min(100, a.Shape[0])
	name := func(i int) string { return fmt.Sprintf("%s[%d]", path, i) }
	return s.predict(ctx, size, batchesOf(a.Data, a.Shape[0], size, channels, rows*cols), name, top)
}

// batchesOf cuts n images, channels first, into batches of size images, channels last. The last batch is padded with
// zeros.
func batchesOf(x []float32, n, size, channels, pixels int) iter.Seq[*data.Batch] {
	return func(yield func(*data.Batch) bool) {
		for from := 0; from < n; from += size {
			b := &data.Batch{X: make([]float32, size*pixels*channels), Labels: make([]int32, size), N: min(size, n-from)}
			for i := range b.N {
				for ch := range channels {
					for p := range pixels {
						b.X[(i*pixels+p)*channels+ch] = x[((from+i)*channels+ch)*pixels+p]
					}
				}
			}
			if !yield(b) {
				return
			}
		}
	}
}
