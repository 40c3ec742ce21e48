package trained

import (
	"context"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/train"
)

// A ViewSet is the changed copies of an image whose logits f are averaged before the image is classified:
//
//	logits(x) = Σ_v w_v·f(v(x)),  Σ_v w_v = 1
type ViewSet struct {
	Name, Help string
	views      []view
}

// A view is an image that is moved, and then mirrored.
type view struct {
	weight float64
	nudge  [2]int // pixels: down, right; the image comes in, mirrored at its border
	mirror bool   // left and right change places
}

// Entry implements option.Named.
func (s ViewSet) Entry() (name, help string) { return s.Name, s.Help }

// Len is the number of views.
func (s ViewSet) Len() int { return len(s.views) }

// Views lists what EvaluateOptions.Views may name. To add one, write its line here.
//
// Mirror and shifts are the two of Jordan 2024 (arXiv:2404.00498, and infer_mirror_translate of its code).
var Views = option.List[ViewSet]{
	{"one", "the image as it is", []view{{weight: 1}}},
	{"mirror", "the mean of the image and its mirror image", mirrorPair(1, 0)},
	{"shifts", "mirror for half, and for half the same of the image shifted by one pixel, up and left and down and " +
		"right",
		append(append(mirrorPair(0.5, 0), mirrorPair(0.25, -1)...), mirrorPair(0.25, 1)...)},
}

// mirrorPair is an image, shifted down and right by the same number of pixels, and its mirror image.
func mirrorPair(weight float64, by int) []view {
	nudge := [2]int{by, by}
	return []view{{weight / 2, nudge, false}, {weight / 2, nudge, true}}
}

// viewSet returns the views of o.
func (o EvaluateOptions) viewSet() (*ViewSet, error) {
	if o.Views == "" {
		return &Views[0], nil
	}
	if err := Views.Check("views", o.Views); err != nil {
		return nil, err
	}
	return Views.Find(o.Views), nil
}

// outputs returns the mean logits of the views of each image of split. Sums are in float64, in the order of the views.
func (s *ViewSet) outputs(ctx context.Context, e *train.Evaluator, split data.Split,
	o EvaluateOptions) (out train.Outputs, err error) {
	var sums []float64
	for _, v := range s.views {
		batches, err := data.NewLoader(split, data.LoaderOptions{Batch: o.Batch, Pad: true, Shift: o.Shift,
			Nudge: v.nudge, Mirror: v.mirror})
		if err != nil {
			return train.Outputs{}, err
		}
		if out, err = e.Outputs(ctx, batches, 0); err != nil || len(s.views) == 1 {
			return out, err
		}
		if sums == nil {
			sums = make([]float64, len(out.Logits))
		}
		for i, logit := range out.Logits {
			sums[i] += v.weight * float64(logit)
		}
	}
	for i, sum := range sums {
		out.Logits[i] = float32(sum)
	}
	return out, nil
}
