package network

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/internal/null"
	"github.com/attnconv/attnconv/internal/stream"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
)

// LayerProfiles are the profiles of a layer's heads, and those of layers to compare them with. Of Gaussian heads a
// profile is the scores around the center, of other heads that score shifts the softmax over all shifts, and of heads
// that read the image the mean attention away from borders.
type LayerProfiles struct {
	analyse.Profiles
	Untrained *UntrainedProfiles `json:"untrained"` // networks of other seeds before training; null: unknown
	// spread of the widths of as many heads, drawn from all layers; null: no other layer has as many heads or more
	Pooled   *analyse.Band `json:"spread_pooled"`
	Sentence string        `json:"sentence"` // what the heads of each profile do
}

// UntrainedProfiles are the profiles of a layer before training.
type UntrainedProfiles struct {
	Draws   int           `json:"draws"`    // networks
	Count   *analyse.Band `json:"count"`    // as those of the layer
	Width   *analyse.Band `json:"width"`    // as that of the layer
	Spread  *analyse.Band `json:"spread"`   // as that of the layer
	Nearest *analyse.Band `json:"nearest"`  // as that of the layer
	OffUnit *analyse.Band `json:"off_unit"` // as that of the layer
}

// shown is the largest shift of a profile in a document.
const shown = 7

// profiles groups the heads of an attention layer by their profiles.
func (s *site) profiles() (*analyse.Profiles, error) {
	p, err := s.headProfiles()
	if err != nil {
		return nil, err
	}
	return analyse.NewProfiles(p, s.operator, shown)
}

// headProfiles returns the profile of each head, from its scores if images and queries share them.
func (s *site) headProfiles() (all []analyse.Profile, err error) {
	if s.mix == nil || attentionOf(s).Rule != (posenc.Rule{}) {
		return s.operator.Profiles()
	}
	switch e := attentionOf(s).Encoding.(type) {
	case posenc.Gaussian:
		for _, h := range e.Heads() {
			p, err := analyse.GaussianProfile(s.grid, h.Center, h.Precision)
			if err != nil {
				return nil, err
			}
			all = append(all, p)
		}
		return all, nil
	case posenc.Shared:
		scores, err := shiftScores(e, s.grid)
		if err != nil || scores == nil {
			break
		}
		for of := range slices.Chunk(scores, (2*s.grid.Rows-1)*(2*s.grid.Cols-1)) {
			p, err := analyse.ScoreProfile(s.grid, of)
			if err != nil {
				return nil, err
			}
			all = append(all, p)
		}
		return all, nil
	}
	return s.operator.Profiles()
}

// shiftScores returns the scores of all shifts of a grid, (heads, shifts); nil if they depend on the image.
func shiftScores(e posenc.Shared, grid analyse.Grid) (scores []float64, err error) {
	var y *nn.Node
	g, err := nn.Build(false, func(g *nn.Graph) { y = e.ShiftScores(g, grid.Rows-1, grid.Cols-1, 1) })
	if err != nil || y == nil {
		return nil, err
	}
	f, err := nn.Compile(g, nil, y)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := f.Run(0); err != nil {
		return nil, err
	}
	for _, v := range nn.Value(y) {
		scores = append(scores, float64(v))
	}
	return scores, nil
}

// profile measures the profiles of a layer with an operator, if it has heads; without says why it has none.
func (l *AnalysedLayer) profile(s *site) (without, err error) {
	if s.kind != attends {
		return nil, nil
	}
	p, err := s.profiles()
	if bad := (*analyse.Error)(nil); errors.As(err, &bad) {
		return err, nil
	} else if err != nil {
		return nil, err
	}
	l.Profiles = &LayerProfiles{Profiles: *p, Sentence: p.String()}
	return nil, nil
}

// keepProfiles measures layer i of an untrained network. A layer that has no profiles is left out.
func (m *measuring) keepProfiles(i int, s *site) {
	if m.d.Layers[i].Profiles == nil {
		return
	}
	if p, err := s.profiles(); err == nil {
		m.against.profiles[i] = append(m.against.profiles[i], p)
	}
}

// compareProfiles compares the profiles of each layer with those of untrained networks and of other layers.
func (m *measuring) compareProfiles(context.Context) error {
	for i := range m.d.Layers {
		p := m.d.Layers[i].Profiles
		if p == nil {
			continue
		}
		if i < len(m.against.profiles) && len(m.against.profiles[i]) > 0 {
			p.Untrained = untrainedProfiles(m.against.profiles[i])
			p.Sentence = fmt.Sprintf("%s (untrained: %s)", p.Sentence, number(p.Untrained.Count.Mean, "%.3g").Text)
		}
		p.Pooled = m.pooledSpread(i)
	}
	return nil
}

func untrainedProfiles(draws []*analyse.Profiles) *UntrainedProfiles {
	band := func(of func(*analyse.Profiles) null.Float) *analyse.Band {
		var values []float64
		for _, d := range draws {
			if v := of(d); v.Known() {
				values = append(values, float64(v))
			}
		}
		return new(analyse.NewBand(values))
	}
	return &UntrainedProfiles{Draws: len(draws),
		Count:   band(func(p *analyse.Profiles) null.Float { return null.Float(p.Count) }),
		Width:   band(func(p *analyse.Profiles) null.Float { return null.Float(p.Width) }),
		Spread:  band(func(p *analyse.Profiles) null.Float { return p.Spread }),
		Nearest: band(func(p *analyse.Profiles) null.Float { return p.Nearest }),
		OffUnit: band(func(p *analyse.Profiles) null.Float { return null.Float(p.OffUnit) })}
}

// pooled is how often heads are drawn from all layers.
const pooled = 1000

// pooledSpread returns the spread of widths of as many heads as layer i has, drawn from all layers without
// replacement; nil if no other layer has heads. Heads of one layer are alike if their spread is below that.
func (m *measuring) pooledSpread(i int) *analyse.Band {
	var all []float64
	for _, l := range m.d.Layers {
		if l.Profiles != nil {
			all = append(all, l.Profiles.Widths...)
		}
	}
	heads := len(m.d.Layers[i].Profiles.Widths)
	if heads < 2 || len(all) == heads {
		return nil
	}
	rng := stream.Rand(m.o.Seed, fmt.Sprintf("analyse/widths/%d", i))
	values := make([]float64, pooled)
	for draw := range values {
		var widths []float64
		for _, at := range rng.Perm(len(all))[:heads] {
			widths = append(widths, all[at])
		}
		values[draw] = float64(analyse.NewBand(widths).Std)
	}
	return new(analyse.NewBand(values))
}

// profilesOf is the number of profiles of a layer.
func profilesOf(l AnalysedLayer) null.Float {
	if l.Profiles == nil {
		return null.Unknown
	}
	return null.Float(l.Profiles.Count)
}
