package network

import (
	"context"
	"fmt"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/model"
)

// Operators returns the operators of the layers that attend. Attention that depends on the image is averaged over
// images; without images such a network has no operators. The error is an *analyse.Error for a layer that cannot be
// measured, or ctx.Err().
func Operators(ctx context.Context, net *model.Network, images data.Split) (all []*analyse.Operator, err error) {
	sites, err := sitesOf(net)
	if err != nil {
		return nil, err
	}
	seen, _, err := see(ctx, net, images, images.Len(), func(a *analyse.Attention) { a.MeanOnly = true })
	if err != nil {
		return nil, err
	}
	for i, s := range sites {
		if s.block < 0 || seen == nil || seen[s.block] == nil {
			continue
		}
		s.seen = seen[s.block]
		if err := s.project(); err != nil {
			return nil, fmt.Errorf("layer %d: %w", i+1, err)
		}
		all = append(all, s.operator)
	}
	return all, nil
}
