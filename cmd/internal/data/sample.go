package data

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/internal/visible"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/viz"
)

// draw draws images of a set, split as r.Data says, with the names of their classes: one of each class in turn, or
// those of the first batch that r trains on, shuffled and augmented. n is the number of images. The error may be an
// *option.Error, for "split", "images" or a setting of r.
func (o showOptions) draw(ctx context.Context, set *data.Set, r configs.Run) (figure *viz.Figure, n int, err error) {
	if err := option.Between("images", o.Images, 1, 400); err != nil {
		return nil, 0, err
	}
	if o.Batch {
		o.Split = "train"
	}
	split, err := set.Part(o.Split, r.Data)
	if err != nil {
		return nil, 0, err
	}
	name, names := set.Name, visible.Apart(set.Classes)
	if kind := set.Unusual(); kind != "" {
		name += " · " + kind
	}
	shown, caption, options := ofClasses(split, names, o.Images), "", viz.ImagesOptions{Width: o.Width}
	if o.Batch {
		if shown, err = ofBatch(ctx, split, names, r, o.Images); err != nil {
			return nil, 0, err
		}
		augment := strings.Join(r.Data.Augment, ", ")
		if augment == "" {
			augment = "nothing"
		}
		caption = fmt.Sprintf("the first %d images of epoch 1 of a run with seed %d, augmented by %s", len(shown),
			r.Seed, augment)
		if hasNotes(shown) {
			caption += "; below: the share of a second class in the label"
		}
	} else {
		caption = fmt.Sprintf("%s of %s images to %s", table.Thousands(len(shown)), table.Thousands(split.Len()),
			map[string]string{"train": "train on", "val": "choose an epoch by", "test": "test"}[o.Split])
		if classes := len(names); classes <= 12 {
			options.Across = min(classes, len(shown))
		}
	}
	if figure, err = viz.Images(shown, options); err != nil {
		return nil, 0, err
	}
	figure.Caption = name + " · " + caption
	return figure, len(shown), nil
}

func hasNotes(shown []viz.Shown) bool {
	return slices.ContainsFunc(shown, func(s viz.Shown) bool { return s.Note != "" })
}

// ofClasses returns the first images of a split, one of each class in turn.
func ofClasses(s data.Split, classes []string, most int) (shown []viz.Shown) {
	of := make([][]int, len(classes))
	for i, label := range s.Labels {
		of[label] = append(of[label], i)
	}
	for round := 0; len(shown) < min(most, s.Len()); round++ {
		for class, list := range of {
			if round < len(list) && len(shown) < most {
				shown = append(shown, viz.Shown{Image: s.Image(list[round]), Name: classes[class]})
			}
		}
	}
	return shown
}

// ofBatch returns the first images of the first batch that r trains on, as its network sees them.
func ofBatch(ctx context.Context, s data.Split, classes []string, r configs.Run, most int) (shown []viz.Shown,
	err error) {
	r.Train.Batch = max(1, min(r.Train.Batch, s.Len()))
	loader, err := r.Loader(s)
	if err != nil {
		return nil, err
	}
	for b := range loader.Epoch(ctx, 0, 0) {
		for i := range min(b.N, most) {
			one := viz.Shown{Image: s.Seen(b.X[i*s.Size():][:s.Size()]), Name: classes[b.Labels[i]]}
			if b.Others != nil && b.Shares[i] > 0 {
				one.Note = fmt.Sprintf("%.0f %% %s", 100*b.Shares[i], classes[b.Others[i]])
			}
			shown = append(shown, one)
		}
		break
	}
	if len(shown) == 0 && ctx.Err() == nil {
		err = term.Usagef("", "the training set has no image")
	}
	return shown, errors.Join(err, ctx.Err())
}
