package network

import (
	"context"
	"fmt"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/heads"
)

// see accumulates the attention of sites over images, or once if it does not depend on them, and returns the number of
// images. Without images that it needs, and for a network without heads, there is none.
func see(ctx context.Context, net *model.Network, sites []*site, held data.Split, images int, meanOnly bool) (n int,
	err error) {
	if !net.Attends() {
		return 0, nil
	}
	r, err := heads.NewReader(net)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	all := make([]*analyse.Attention, len(r.Heads))
	for i, b := range net.Spec.Blocks() {
		if h := r.Heads[i]; h > 0 && !b.Joined() {
			if all[i], err = analyse.NewAttention(analyse.Grid(r.Grid), h); err != nil {
				return 0, err
			}
			all[i].Padded, all[i].MeanOnly = b.SeesZeros(), meanOnly
		}
	}
	add := func(image []float32) error {
		scores, err := r.Of(image)
		if err != nil {
			return err
		}
		for i, s := range scores {
			if all[i] != nil {
				if err := all[i].AddFloat32(s.Weights()); err != nil {
					return fmt.Errorf("layer %d: %w", i+1, err)
				}
			}
		}
		return nil
	}
	if !r.ByImage {
		err = add(nil)
	} else if n = min(images, held.Len()); n < 1 {
		return 0, nil
	} else {
		err = eachBatch(ctx, held.Subset(upTo(0, n)), 1, func(b *data.Batch) error { return add(b.X) })
	}
	for _, s := range sites {
		if s.block >= 0 {
			s.seen = all[s.block]
		}
	}
	return n, err
}

// Operators returns the operators of the layers that attend. Attention that depends on the image is averaged over
// images; without images such a network has no operators. The error is an *analyse.Error for a layer that cannot be
// measured, or ctx.Err().
func Operators(ctx context.Context, net *model.Network, images data.Split) (all []*analyse.Operator, err error) {
	sites, err := sitesOf(net)
	if err != nil {
		return nil, err
	}
	if _, err := see(ctx, net, sites, images, images.Len(), true); err != nil {
		return nil, err
	}
	for i, s := range sites {
		if s.seen == nil {
			continue
		}
		if err := s.project(); err != nil {
			return nil, fmt.Errorf("layer %d: %w", i+1, err)
		}
		all = append(all, s.operator)
	}
	return all, nil
}

// eachLayer calls f for n layers, in parallel, and returns the error of the first of them that has one.
func eachLayer(n int, f func(i int) error) error {
	errs := make([]error, n)
	threads.Parallel(n, func(i int) { errs[i] = f(i) })
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
