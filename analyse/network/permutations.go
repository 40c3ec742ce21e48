package network

import (
	"context"
	"fmt"
	"slices"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/posenc"
)

// permutations are the nulls of the shares of each layer by itself: permuted tokens and maps, and other centers.
var permutations = measure{
	all: drawNulls,
	columns: []column{
		percents("permuted", "null_tokens", nullNamed(tokensNull)).only(onArrays),
		percents("maps", "null_maps", nullNamed(mapsNull)).only(onArrays),
	},
	legend: func(d Analysis) []string {
		if !ofArrays(d) && d.Foreign == nil || !d.some(hasShares) {
			return nil
		}
		return []string{"permuted   ≤3×3 of the layer with its tokens permuted: mean ± standard deviation",
			"maps       ≤3×3 of the layer with its heads' maps exchanged"}
	},
}

// nullNamed is k1 + k3 of one of a layer's nulls; nil: it was not drawn.
func nullNamed(name string) func(l Layer) *analyse.Band {
	return func(l Layer) *analyse.Band {
		if at := slices.IndexFunc(l.Nulls, func(n NullShares) bool { return n.Name == name }); at >= 0 {
			return l.Nulls[at].Within
		}
		return nil
	}
}

// drawNulls are the nulls of each layer by itself.
func drawNulls(ctx context.Context, m *measurement) error {
	if m.o.Draws < 1 {
		return nil
	}
	gaussian, _ := m.Net.Heads()
	starts, err := m.otherStarts(gaussian)
	if err != nil {
		return err
	}
	return eachLayer(len(m.sites), func(i int) error {
		s := m.sites[i]
		if s.operator == nil {
			return nil
		}
		var learned []posenc.Head
		if s.kind == attends && s.block < len(gaussian) {
			learned = gaussian[s.block]
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		_, err := m.nullsOf(i, s, starts, learned)
		return err
	})
}

// nullsOf adds the nulls of one layer, whose Gaussian heads are learned, and returns the one of permuted tokens.
func (m *measurement) nullsOf(i int, s *site, starts [][][]posenc.Head, learned []posenc.Head) (tokens analyse.Null,
	err error) {
	l := &m.d.Layers[i]
	add := func(name string, null analyse.Null) {
		null.Name = name
		l.Nulls = append(l.Nulls, nullShares(null, l.Shares))
	}
	if s.kind == attends && len(s.operator.Layer.Maps) > 1 {
		maps, err := s.operator.MapsShuffled(m.o.Draws, m.o.Seed)
		if err != nil {
			return tokens, err
		}
		add(mapsNull, maps)
	}
	if len(learned) > 0 {
		centers, err := otherCenters(s, starts, learned)
		if err != nil {
			return tokens, err
		}
		add(centersNull, centers)
	}
	if tokens, err = s.operator.TokensShuffled(m.o.Draws, m.o.Seed); err == nil {
		add(tokensNull, tokens)
	}
	return tokens, err
}

// otherStarts returns the heads of the layers before training for each draw, none for a network without Gaussian heads.
func (m *measurement) otherStarts(gaussian [][]posenc.Head) (starts [][][]posenc.Head, err error) {
	if !slices.ContainsFunc(gaussian, func(heads []posenc.Head) bool { return len(heads) > 0 }) {
		return nil, nil
	}
	starts = make([][][]posenc.Head, m.o.Draws)
	for draw := range starts {
		if starts[draw], err = model.InitialHeads(m.Net.Spec, untrainedSeed(m.o.Seed+uint64(draw))); err != nil {
			return nil, err
		}
	}
	return starts, nil
}

// otherCenters is the null of the centers of starts with the widths and the maps that were learned.
func otherCenters(s *site, starts [][][]posenc.Head, learned []posenc.Head) (null analyse.Null, err error) {
	null.Name = centersNull
	for _, start := range starts {
		l := s.operator.Layer
		l.Attention = make([][]float64, len(learned))
		for h, head := range learned {
			if l.Attention[h], err = analyse.Gaussian(s.grid, start[s.block][h].Center, head.Precision); err != nil {
				return null, fmt.Errorf("layer %d, head %d: %w", s.block+1, h+1, err)
			}
		}
		o, err := analyse.NewOperator(l)
		if err != nil {
			return null, err
		}
		shares, err := o.Shares(0)
		if err != nil {
			return null, err
		}
		null.Draws = append(null.Draws, shares)
	}
	return null, nil
}
