package network

import (
	"slices"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/null"
)

// elsewhere is the attention on tokens that are not on the grid, such as a class token and registers.
var elsewhere = measure{
	layer:    measureElsewhere,
	baseline: measureElsewhere,
	compare:  func(_ *measurement, l *Layer, draws []Layer) { next(l, draws, elsewhereTests) },
	sentence: func(l Layer) string {
		if l.Elsewhere == nil {
			return ""
		}
		text := rounded(l.Elsewhere.Value, analyse.Percent).Text +
			" % of its attention is on tokens that are not on the grid"
		if u := l.Elsewhere.Untrained; u != nil {
			text += " (untrained " + spread(*u, analyse.Percent).Text + " %)"
		}
		return text
	},
	columns: []column{
		plain("elsewhere", elsewhereOf),
		plain("null_elsewhere", func(l Layer) null.Float { return bandOr(elsewhereNull(l)).Mean }),
	},
	screen: []column{bracketed("elsewhere", elsewhereOf, elsewhereNull).with(words("elsewhere  percent of the " +
		"attention that is on tokens that are not on the grid, such as a class token; in brackets at init"))},
	tables: elsewhereTables,
}

func elsewhereTests(l Layer) []*NullTest {
	if l.Elsewhere == nil {
		return nil
	}
	return []*NullTest{l.Elsewhere}
}

func measureElsewhere(s *site, l *Layer) error {
	if s.seen != nil && s.seen.Prefixed {
		l.Elsewhere = &NullTest{Value: null.Float(mean(s.seen.Elsewhere(), func(m float64) float64 { return m }))}
	}
	return nil
}

var elsewhereOf = partOf(func(l Layer) *NullTest { return l.Elsewhere })(func(v *NullTest) null.Float {
	return v.Value
})

// elsewhereNull is what untrained layers have elsewhere; nil: unknown.
func elsewhereNull(l Layer) *analyse.Band {
	if l.Elsewhere == nil {
		return nil
	}
	return l.Elsewhere.Untrained
}

// elsewhereTables list what heads have elsewhere; none if all of attention is on the grid.
func elsewhereTables(d Analysis) []*table.Table {
	layers := layersWith(d, func(l Layer) bool { return l.Elsewhere != nil && len(l.Heads) > 0 })
	if len(layers) == 0 {
		return nil
	}
	of := func(head string, of func(heads []float64) float64) column {
		return percent(head, "", func(l Layer) null.Float {
			var heads []float64
			for _, h := range l.Heads {
				heads = append(heads, float64(h.Elsewhere))
			}
			return null.Float(of(heads))
		})
	}
	columns := []column{numbered, percent("mean", "", elsewhereOf), percents("untrained", "", elsewhereNull),
		of("least", slices.Min[[]float64]), of("most", slices.Max[[]float64])}
	return []*table.Table{layerTable(layers, columns,
		d.Source+"   percent of each layer's attention that is on tokens that are not on the grid",
		"mean       over heads, queries and images; least and most: of one head")}
}
