package predict

import (
	"fmt"
	"path/filepath"

	"github.com/attnconv/attnconv/cmd/internal/figures"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/model/heads"
	"github.com/attnconv/attnconv/session/trained"
	"github.com/attnconv/attnconv/viz"
)

// overlays returns the attention maps of each image, one view for each query token, titled with its prediction:
// viz.Maps draws them over the images. Without queries it is the middle token. The error is an *option.Error for
// "query".
func overlays(m *trained.Model, images data.Split, predictions []trained.Prediction, queries [][2]int) (
	all []viz.View, err error,
) {
	l, err := heads.NewReader(m.Net)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	inputs, err := images.Inputs(images.Len())
	if err != nil {
		return nil, err
	}
	for i, p := range predictions {
		views, err := figures.Views(l, inputs[i:i+1], figures.ViewOptions{Queries: queries})
		if err != nil {
			return nil, err
		}
		for _, v := range views {
			v.Image = figures.UnderTokens(images.Image(i), m.Net.Spec)
			v.Title = fmt.Sprintf("%s: %s; from (%d, %d)", filepath.Base(p.Image), mostLikely(p), v.Query[0],
				v.Query[1])
			all = append(all, v)
		}
	}
	return all, nil
}

// mostLikely returns the first class of a prediction with its probability, or a dash for a prediction without classes.
func mostLikely(p trained.Prediction) string {
	if len(p.Classes) == 0 {
		return "-"
	}
	return fmt.Sprintf("%s %.1f %%", p.Classes[0].Class, 100*p.Classes[0].P)
}
