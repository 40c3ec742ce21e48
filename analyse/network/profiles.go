package network

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/internal/stream"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/posenc"
)

// profiles say of how many convolutions a layer is a mixture.
var profiles = measure{
	layer: func(s *site, l *Layer) error {
		if s.kind != attends {
			return nil
		}
		p, err := s.profiles()
		if bad := (*analyse.Error)(nil); errors.As(err, &bad) {
			return missing("no profiles: " + err.Error())
		} else if err != nil {
			return err
		}
		l.Profiles = &LayerProfiles{Profiles: *p, Sentence: p.String()}
		return nil
	},
	baseline: func(s *site, l *Layer) error {
		if s.kind != attends {
			return nil
		}
		if p, err := s.profiles(); err == nil { // a layer that has none is left out
			l.Profiles = &LayerProfiles{Profiles: *p}
		}
		return nil
	},
	compare: func(m *measurement, l *Layer, draws []Layer) {
		if l.Profiles == nil {
			return
		}
		if u := untrainedProfiles(draws); u.Draws > 0 {
			l.Profiles.Untrained = u
			l.Profiles.Sentence += fmt.Sprintf(" (untrained: %s)", number(u.Count.Mean, "%.3g").Text)
		}
		l.Profiles.Pooled = m.pooledSpread(l)
	},
	screen: []column{right("profiles", "", func(l Layer) table.Cell {
		if l.Profiles == nil {
			return dash
		}
		text := fmt.Sprint(l.Profiles.Count)
		if u := l.Profiles.Untrained; u != nil {
			text += fmt.Sprintf(" (%.3g)", float64(u.Count.Mean))
		}
		return table.Words(text)
	}).only(ofOwn).with(words("profiles  of its heads, so many convolutions it is a mixture of; in brackets at init"))},
	tables: profileTables,
}

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
	if s.profile == nil {
		s.profile, err = s.readProfiles()
	}
	return s.profile, err
}

func (s *site) readProfiles() (all []analyse.Profile, err error) {
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
	values, err := nn.Evaluate(func(g *nn.Graph) (nodes []*nn.Node) {
		if y := e.ShiftScores(g, grid.Rows-1, grid.Cols-1, 1); y != nil {
			nodes = append(nodes, y)
		}
		return nodes
	})
	if err != nil || len(values) == 0 {
		return nil, err
	}
	for _, v := range values[0] {
		scores = append(scores, float64(v))
	}
	return scores, nil
}

func untrainedProfiles(draws []Layer) *UntrainedProfiles {
	all := &UntrainedProfiles{}
	of := func(value func(*LayerProfiles) null.Float) *analyse.Band {
		var values []float64
		for _, d := range draws {
			if p := d.Profiles; p != nil && value(p).Known() {
				values = append(values, float64(value(p)))
			}
		}
		return new(analyse.NewBand(values))
	}
	for _, d := range draws {
		if d.Profiles != nil {
			all.Draws++
		}
	}
	all.Count = of(func(p *LayerProfiles) null.Float { return null.Float(p.Count) })
	all.Width = of(func(p *LayerProfiles) null.Float { return null.Float(p.Width) })
	all.Spread = of(func(p *LayerProfiles) null.Float { return p.Spread })
	all.Nearest = of(func(p *LayerProfiles) null.Float { return p.Nearest })
	all.OffUnit = of(func(p *LayerProfiles) null.Float { return null.Float(p.OffUnit) })
	return all
}

// pooled is how often heads are drawn from all layers.
const pooled = 1000

// pooledSpread returns the spread of widths of as many heads as a layer has, drawn from all layers without
// replacement; nil if no other layer has heads. Heads of one layer are alike if their spread is below that.
func (m *measurement) pooledSpread(of *Layer) *analyse.Band {
	var all []float64
	for _, l := range m.d.Layers {
		if l.Profiles != nil {
			all = append(all, l.Profiles.Widths...)
		}
	}
	heads := len(of.Profiles.Widths)
	if heads < 2 || len(all) == heads {
		return nil
	}
	rng := stream.Rand(m.o.Seed, fmt.Sprintf("analyse/widths/%d", of.Layer-1))
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
func profilesOf(l Layer) null.Float {
	if l.Profiles == nil {
		return null.Unknown
	}
	return null.Float(l.Profiles.Count)
}

// profileTables list the profiles of the layers, and the heads of each; none if no layer has heads.
func profileTables(d Analysis) []*table.Table {
	var groups []groupRow
	notes := []string{"profiles   of heads that differ by at most 0.05 in total variation, whatever their centers; " +
		"≤0.02 and ≤0.2: by that",
		"width      of a head, in tokens: mean ± standard deviation; drawn: deviation of as many heads of all layers",
		"near       distance from a center to the nearest other one; off: of the centers from whole tokens"}
	sentences := []string{""}
	layers := layersWith(d, func(l Layer) bool { return l.Profiles != nil })
	for _, l := range layers {
		for i, g := range l.Profiles.Groups[:min(mostGroups, len(l.Profiles.Groups))] {
			groups = append(groups, groupRow{l.Layer, i + 1, g})
		}
		sentences = append(sentences, fmt.Sprintf("layer %d: %s", l.Layer, l.Profiles.Sentence))
	}
	if len(layers) == 0 {
		return nil
	}
	if u := layers[0].Profiles.Untrained; u != nil {
		notes = append(notes, fmt.Sprintf("untr.      mean of %s", table.Count(u.Draws, "untrained network")))
	}
	heads := &table.Table{Title: d.Source + "   the profiles of each layer, and the lattices of their centers"}
	heads.Notes = []string{"share      percent of the layer's squared norm; cross: of it, products with heads of other " +
		"profiles, if over 10",
		"lattice    rows × columns of shifts that the centers are on, ×2: every other one; –: on none",
		"off        heads farther than 0.25 tokens from the lattice; missing: shifts without a head"}
	title := d.Source + "   how many profiles the heads of a layer have: of how many convolutions it is a mixture"
	return []*table.Table{layerTable(layers, profileColumns(), title, append(notes, sentences...)...),
		table.Fill(heads, groupFields(), groups)}
}

// mostGroups is how many profiles of a layer a table lists; a document has all of them.
const mostGroups = 4

// profileColumns are the columns of layers that have profiles.
func profileColumns() []column {
	count := func(head string, at int) column {
		return right(head, "",
			func(l Layer) table.Cell { return table.Words(fmt.Sprint(l.Profiles.Curve[at].Count)) })
	}
	value := func(head, format string, of func(p *LayerProfiles) null.Float) column {
		return right(head, "", func(l Layer) table.Cell { return number(of(l.Profiles), format) })
	}
	untrained := func(format string, of func(u *UntrainedProfiles) *analyse.Band) column {
		return value("untr.", format, func(p *LayerProfiles) null.Float {
			if p.Untrained == nil {
				return null.Unknown
			}
			return of(p.Untrained).Mean
		})
	}
	return []column{
		numbered,
		value("profiles", "%.0f", func(p *LayerProfiles) null.Float { return null.Float(p.Count) }),
		untrained("%.3g", func(u *UntrainedProfiles) *analyse.Band { return u.Count }),
		count("≤0.02", 0), count("≤0.2", 18),
		right("width", "", func(l Layer) table.Cell {
			text := fmt.Sprintf("%.1f", l.Profiles.Width)
			if l.Profiles.Spread.Known() {
				text += fmt.Sprintf(" ± %.1f", float64(l.Profiles.Spread))
			}
			return table.Words(text)
		}),
		value("drawn", "%.1f", func(p *LayerProfiles) null.Float { return bandOr(p.Pooled).Mean }),
		value("near", "%.1f", func(p *LayerProfiles) null.Float { return p.Nearest }),
		untrained("%.1f", func(u *UntrainedProfiles) *analyse.Band { return u.Nearest }),
		value("off", "%.2f", func(p *LayerProfiles) null.Float { return null.Float(p.OffUnit) }),
		untrained("%.2f", func(u *UntrainedProfiles) *analyse.Band { return u.OffUnit }),
	}
}

// A groupRow is a profile of a layer.
type groupRow struct {
	layer, number int
	analyse.ProfileGroup
}

// groupFields are the columns of profiles.
func groupFields() []table.Field[groupRow] {
	column := func(head string, cell func(g groupRow) string) table.Field[groupRow] {
		return table.For(table.Column{Head: head, Right: true},
			func(g groupRow) table.Cell { return table.Words(cell(g)) })
	}
	lattice := func(of func(l *analyse.Lattice) string) func(g groupRow) string {
		return func(g groupRow) string {
			if g.Lattice == nil {
				return "–"
			}
			return of(g.Lattice)
		}
	}
	return []table.Field[groupRow]{
		table.For(table.Column{Head: "layer", Right: true, Name: true},
			func(g groupRow) table.Cell { return table.Words(fmt.Sprint(g.layer)) }),
		column("profile", func(g groupRow) string { return fmt.Sprint(g.number) }),
		column("heads", func(g groupRow) string { return ranges(g.ProfileGroup.Heads) }),
		column("width", func(g groupRow) string { return fmt.Sprintf("%.1f", g.Width) }),
		column("share", func(g groupRow) string { return rounded(g.Share, analyse.Percent).Text }),
		column("cross", func(g groupRow) string {
			if !(math.Abs(float64(g.Cross)) > 0.1) {
				return "–"
			}
			return rounded(g.Cross, analyse.Percent).Text
		}),
		column("lattice", lattice(func(l *analyse.Lattice) string {
			if l.Sides[0] == 0 {
				return "–"
			}
			text := fmt.Sprintf("%d×%d", l.Sides[0], l.Sides[1])
			if l.Spacing > 1 {
				text += fmt.Sprintf(" ×%d", l.Spacing)
			}
			return text
		})),
		column("off", lattice(func(l *analyse.Lattice) string { return fmt.Sprint(len(l.Off)) })),
		column("missing", lattice(func(l *analyse.Lattice) string {
			if !l.Kernel() {
				return "–"
			}
			return fmt.Sprint(len(l.Missing))
		})),
	}
}
