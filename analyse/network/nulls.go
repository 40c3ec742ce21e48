package network

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/internal/null"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/study/stats"
)

// The names of nulls.
const (
	Initializer = "initialiser" // untrained networks of other seeds
	Centers     = "centers"     // the initializer's centers with the trained widths
	Maps        = "maps"        // each head with another head's map
	Tokens      = "tokens"      // tokens permuted, the same for all heads
)

// sharesOf returns the shares of the layers of an untrained network; nil for one without an operator. keep, which may
// be nil, is told of each layer that has one, of several at a time.
func (m *measuring) sharesOf(ctx context.Context, net *model.Network, keep func(i int, s *site)) ([]*analyse.Shares,
	error) {
	sites, err := sitesOf(net)
	if err != nil || len(sites) != len(m.sites) {
		return make([]*analyse.Shares, len(m.sites)), err
	}
	// as many images as of the trained network: fewer would move weight from the shifts to the place
	seen, _, err := see(ctx, net, m.Held, m.o.Attention, func(a *analyse.Attention) { a.MeanOnly = true })
	if err != nil {
		return nil, err
	}
	all := make([]*analyse.Shares, len(sites))
	return all, eachLayer(len(sites), func(i int) error {
		if m.sites[i].operator == nil {
			return nil
		}
		s := sites[i]
		if s.block >= 0 && seen != nil {
			s.seen = seen[s.block]
		}
		if err := s.project(); err != nil {
			return err
		}
		shares, err := s.operator.Shares(0)
		if err != nil {
			return err
		}
		all[i] = &shares
		if keep != nil {
			keep(i, s)
		}
		return nil
	})
}

// untrained is the initializer's null of each layer, the same for all snapshots of a run.
type untrained struct {
	shares []analyse.Null    // of networks of other seeds; nil: not drawn yet
	own    []*analyse.Shares // of the run's own start, nil for a layer without an operator
	r2     []untrainedR2     // nil: not drawn yet
	// of each layer, of networks of other seeds
	profiles [][]*analyse.Profiles
}

// untrained compares the layers with untrained networks, and with the run's own start.
func (m *measuring) untrained(ctx context.Context) error {
	if m.against.shares == nil {
		if err := m.drawUntrained(ctx); err != nil {
			return err
		}
	}
	for i, null := range m.against.shares {
		if len(null.Draws) == 0 {
			continue
		}
		null.Name = Initializer
		of := nullShares(null, m.d.Layers[i].Shares)
		if own := m.against.own[i]; own != nil {
			of.Own = own
		}
		m.d.Layers[i].Null = &of
	}
	return nil
}

// untrainedSeed is the seed of untrained network n, far from the seeds of runs.
func untrainedSeed(n uint64) uint64 { return 1000 + n }

// Untrained returns untrained network n of the same architecture. s.Fresh is not nil.
func (s Subject) Untrained(n uint64) (*model.Network, error) { return s.Fresh(untrainedSeed(n)) }

// eachFresh calls f with untrained networks, the same for every null: at most so many, and no more than are asked for.
func (m *measuring) eachFresh(ctx context.Context, most int, f func(n int, net *model.Network) error) error {
	type made struct {
		net *model.Network
		err error
	}
	begin := func(n int) <-chan made { // the next one is made while f measures one
		c := make(chan made, 1)
		go func() {
			net, err := m.Untrained(m.o.Seed + uint64(n))
			c <- made{net, err}
		}()
		return c
	}
	all := m.freshOnes(most)
	if all < 1 {
		return nil
	}
	for n, next := 0, begin(0); n < all; n++ {
		now := <-next
		if now.err == nil {
			now.err = ctx.Err()
		}
		if now.err != nil {
			return now.err
		}
		if n+1 < all {
			next = begin(n + 1)
		}
		if err := f(n, now.net); err != nil {
			return err
		}
	}
	return nil
}

// freshOnes is the number of networks of eachFresh.
func (m *measuring) freshOnes(most int) int {
	if m.Fresh == nil {
		return 0
	}
	return max(0, min(most, m.o.Seeds))
}

func (m *measuring) drawUntrained(ctx context.Context) (err error) {
	draws := make([]analyse.Null, len(m.sites))
	m.against.own, m.against.profiles = make([]*analyse.Shares, len(m.sites)), make([][]*analyse.Profiles, len(m.sites))
	if m.Start != nil {
		if m.against.own, err = m.sharesOf(ctx, m.Start, nil); err != nil {
			return err
		}
	}
	if n := m.freshOnes(m.o.Seeds); n > 0 {
		m.tell("%s", table.Count(n, "untrained network"))
	}
	err = m.eachFresh(ctx, m.o.Seeds, func(_ int, net *model.Network) error {
		shares, err := m.sharesOf(ctx, net, m.keepProfiles)
		for i, s := range shares {
			if s != nil {
				draws[i].Draws = append(draws[i].Draws, *s)
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	m.against.shares = draws
	return nil
}

// nullShares summarizes a null. p is that of the layer's k1 + k3.
func nullShares(draws analyse.Null, of *analyse.Shares) NullShares {
	n := NullShares{Name: draws.Name, Draws: len(draws.Draws), P: null.Unknown, PHolm: null.Unknown, Each: []float64{}}
	mean := make([]float64, 6)
	for _, d := range draws.Draws {
		for i, v := range d.List() {
			mean[i] += v / float64(len(draws.Draws))
		}
		n.Each = append(n.Each, d.Within(3))
	}
	n.Shares = analyse.Shares{K1: mean[0], K3: mean[1], K5: mean[2], K7: mean[3], Larger: mean[4], Place: mean[5]}
	band := draws.Of(func(s analyse.Shares) float64 { return s.Within(3) })
	n.Within, n.Place = &band, new(draws.Of(func(s analyse.Shares) float64 { return s.Place }))
	if of != nil {
		n.P = null.Float(band.P(of.K1 + of.K3))
	}
	return n
}

// drawNulls are the nulls of each layer by itself.
func (m *measuring) drawNulls(ctx context.Context) error {
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

// nullsOf are the nulls of one layer; learned are its heads, if they are Gaussian. It returns that of permuted tokens.
func (m *measuring) nullsOf(i int, s *site, starts [][][]posenc.Head, learned []posenc.Head) (tokens analyse.Null,
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
		add(Maps, maps)
	}
	if len(learned) > 0 {
		centers, err := otherCenters(s, starts, learned)
		if err != nil {
			return tokens, err
		}
		add(Centers, centers)
	}
	if tokens, err = s.operator.TokensShuffled(m.o.Draws, m.o.Seed); err == nil {
		add(Tokens, tokens)
	}
	return tokens, err
}

// otherStarts returns the heads of the layers before training for each draw, none for a network without Gaussian heads.
func (m *measuring) otherStarts(gaussian [][]posenc.Head) (starts [][][]posenc.Head, err error) {
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
	null.Name = Centers
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

// correct fills p_holm: for each null, over the layers.
func correct(layers []AnalysedLayer) {
	of := map[string][]*NullShares{}
	for i := range layers {
		all := []*NullShares{layers[i].Null}
		for j := range layers[i].Nulls {
			all = append(all, &layers[i].Nulls[j])
		}
		for _, n := range all {
			if n != nil && n.P.Known() {
				of[n.Name] = append(of[n.Name], n)
			}
		}
	}
	for _, list := range of {
		p := make([]float64, len(list))
		for i, n := range list {
			p[i] = float64(n.P)
		}
		for i, v := range stats.Holm(p) {
			list[i].PHolm = null.Float(v)
		}
	}
}

// tooFew says of each null how many draws its corrected p-values want to be able to reach the level: with n draws and L
// layers none is below L/(1+n).
func tooFew(layers []AnalysedLayer) (notes []string) {
	for _, f := range []struct {
		nulls      []string
		what, flag string
	}{{[]string{Initializer}, "untrained network", "--null-seeds"},
		{[]string{Centers, Maps, Tokens}, "draw", "--draws"}} {
		of, draws := map[string]int{}, 0 // layers with each null
		for _, l := range layers {
			for _, n := range append(slices.Clone(l.Nulls), nullOf(l)) {
				if slices.Contains(f.nulls, n.Name) && n.P.Known() {
					of[n.Name]++
					draws = max(draws, n.Draws)
				}
			}
		}
		n := 0
		for _, layers := range of {
			n = max(n, layers)
		}
		if least := float64(n) / float64(1+draws); least > analyse.Level {
			notes = append(notes, fmt.Sprintf("with %s, p corrected for %s (p_holm) is never below %.2g: %g takes "+
				"%s %d",
				table.Count(draws, f.what), table.Count(n, "layer"), least, analyse.Level, f.flag,
				int(math.Ceil(float64(n)/analyse.Level))-1))
		}
	}
	return notes
}
