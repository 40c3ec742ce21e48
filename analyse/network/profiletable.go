package network

import (
	"fmt"
	"math"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/internal/null"
	"github.com/attnconv/attnconv/internal/table"
)

// profileTables list the profiles of the layers, and the heads of each; none if no layer has heads.
func profileTables(d Analysis) []*table.Table {
	var rows []layerRow
	var groups []groupRow
	for _, l := range rowsOf(d) {
		if l.Profiles != nil {
			rows = append(rows, l)
			for i, g := range l.Profiles.Groups[:min(mostGroups, len(l.Profiles.Groups))] {
				groups = append(groups, groupRow{l, i, g})
			}
		}
	}
	if len(rows) == 0 {
		return nil
	}
	layers := &table.Table{Title: d.Source + "   how many profiles the heads of a layer have: of how many convolutions " +
		"it is a mixture"}
	layers.Notes = []string{"profiles   of heads that differ by at most 0.05 in total variation, whatever their centers; " +
		"≤0.02 and ≤0.2: by that",
		"width      of a head, in tokens: mean ± standard deviation; drawn: deviation of as many heads of all layers",
		"near       distance from a center to the nearest other one; off: of the centers from whole tokens",
	}
	if rows[0].Profiles.Untrained != nil {
		layers.Notes = append(layers.Notes, fmt.Sprintf("untr.      mean of %s",
			table.Count(rows[0].Profiles.Untrained.Draws, "untrained network")))
	}
	layers.Notes = append(layers.Notes, "")
	for _, l := range rows {
		layers.Notes = append(layers.Notes, fmt.Sprintf("layer %d: %s", l.Layer, l.Profiles.Sentence))
	}
	heads := &table.Table{Title: d.Source + "   the profiles of each layer, and the lattices of their centers"}
	heads.Notes = []string{"share      percent of the layer's squared norm; cross: of it, products with heads of other " +
		"profiles, if over 10",
		"lattice    rows × columns of shifts that the centers are on, ×2: every other one; –: on none",
		"off        heads farther than 0.25 tokens from the lattice; missing: shifts without a head"}
	return []*table.Table{table.Fill(layers, profileFields(), rows), table.Fill(heads, groupFields(), groups)}
}

// mostGroups is how many profiles of a layer a table lists; a document has all of them.
const mostGroups = 4

// profileFields are the columns of layers that have profiles.
func profileFields() []field {
	count := func(head string, at int) field {
		return right(head, "",
			func(l layerRow) table.Cell { return table.Words(fmt.Sprint(l.Profiles.Curve[at].Count)) })
	}
	value := func(head, format string, of func(p *LayerProfiles) null.Float) field {
		return right(head, "", func(l layerRow) table.Cell { return number(of(l.Profiles), format) })
	}
	untrained := func(format string, of func(u *UntrainedProfiles) *analyse.Band) field {
		return value("untr.", format, func(p *LayerProfiles) null.Float {
			if p.Untrained == nil {
				return null.Unknown
			}
			return of(p.Untrained).Mean
		})
	}
	return []field{
		numbered,
		value("profiles", "%.0f", func(p *LayerProfiles) null.Float { return null.Float(p.Count) }),
		untrained("%.3g", func(u *UntrainedProfiles) *analyse.Band { return u.Count }),
		count("≤0.02", 0), count("≤0.2", 18),
		right("width", "", func(l layerRow) table.Cell {
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
	layerRow
	number int
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
			func(g groupRow) table.Cell { return table.Words(fmt.Sprint(g.Layer)) }),
		column("profile", func(g groupRow) string { return fmt.Sprint(g.number + 1) }),
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
