package network

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/study/stats"
)

// shifts are how far from their queries the heads of a layer look, and whether they are single taps.
var shifts = measure{
	layer:    measureShifts,
	baseline: measureShifts,
	compare:  func(_ *measurement, l *Layer, draws []Layer) { next(l, draws, shiftTests) },
	sentence: func(l Layer) string { return l.Shifts.sentence() },
	columns: []column{
		plain("mean_shift", shiftOf),
		plain("null_mean_shift", ofShifts(func(s *LayerShifts) null.Float { return bandOr(s.Mean.Untrained).Mean })),
		plain("distance", distanceOf),
		plain("taps", tapsOf),
		plain("different_taps", differentOf),
		plain("clamped", clampedOf),
	},
	tables: shiftTables,
}

// LayerShifts say where the heads of a layer look. A head has π(δ), the mean over queries of its attention at the shift
// δ. Lengths are in tokens.
type LayerShifts struct {
	Heads    int      `json:"heads"`    // of the layer
	Mean     NullTest `json:"mean"`     // of ‖Σ π(δ)·δ‖ over the heads; a head that averages all tokens has 0
	Distance NullTest `json:"distance"` // of Σ π(δ)·‖δ‖, a mean over the heads
	// heads with more than half of their weight on one shift: on a grid without end where heads have scores, else of
	// the attention away from borders
	Taps      NullTest   `json:"taps"`
	Different int        `json:"different_taps"` // shifts of taps
	Far       null.Float `json:"tap_distance"`   // median of ‖δ‖ over the taps; null: none
	// part of the queries of taps, in 0..1, for which the shift leaves the grid and the head reads its edge; null: no
	// taps
	Clamped null.Float `json:"clamped"`
}

// shiftTests are the values that a layer has next to untrained ones.
func shiftTests(l Layer) []*NullTest {
	if s := l.Shifts; s != nil {
		return []*NullTest{&s.Mean, &s.Distance, &s.Taps}
	}
	return nil
}

func measureShifts(s *site, l *Layer) error {
	if s.kind != attends {
		return nil
	}
	profiles, err := s.headProfiles()
	if err != nil {
		return nil // the profiles say why
	}
	d, heads := &LayerShifts{Heads: len(profiles), Far: null.Unknown, Clamped: null.Unknown}, s.operator.Geometry()
	d.Mean.Value = null.Float(mean(heads, func(g analyse.Geometry) float64 {
		return math.Hypot(g.Center[0], g.Center[1])
	}))
	d.Distance.Value = null.Float(mean(heads, func(g analyse.Geometry) float64 { return g.Distance }))
	var taps []analyse.Shift
	for _, p := range profiles {
		if p.Tap != nil {
			taps = append(taps, *p.Tap)
		}
	}
	if d.Taps.Value = null.Float(len(taps)); len(taps) > 0 {
		d.Clamped = null.Float(mean(taps, func(t analyse.Shift) float64 {
			return 1 - float64(s.grid.Pairs(t))/float64(s.grid.Tokens())
		}))
		slices.SortFunc(taps, func(a, b analyse.Shift) int { return cmp.Compare(a.Length(), b.Length()) })
		different := map[analyse.Shift]bool{}
		for _, t := range taps {
			different[t] = true
		}
		d.Different = len(different)
		d.Far = null.Float((taps[(len(taps)-1)/2].Length() + taps[len(taps)/2].Length()) / 2)
	}
	l.Shifts = d
	return nil
}

// trend returns Kendall's τ of the layers with heads and their mean shifts; nil for fewer than two of them.
func (m *measurement) trend() *NullTest {
	tau := depthTrend(m.d.Layers)
	if !tau.Known() {
		return nil
	}
	var fresh []float64
	for k := 0; ; k++ {
		var layers []Layer
		for _, draws := range m.against.layers {
			if k < len(draws) {
				layers = append(layers, draws[k])
			}
		}
		if len(layers) == 0 {
			break
		}
		fresh = append(fresh, float64(depthTrend(layers)))
	}
	return &NullTest{tau, bandOf(fresh, func(tau float64) float64 { return tau })}
}

// depthTrend returns Kendall's τ of layers and their mean shifts, in -1..1: 1 if each is farther out than all before.
func depthTrend(layers []Layer) null.Float {
	var values []float64
	for _, l := range layers {
		if l.Shifts != nil {
			values = append(values, float64(l.Shifts.Mean.Value))
		}
	}
	return null.Float(stats.Trend(values))
}

var (
	ofShifts    = partOf(func(l Layer) *LayerShifts { return l.Shifts })
	shiftOf     = ofShifts(func(s *LayerShifts) null.Float { return s.Mean.Value })
	distanceOf  = ofShifts(func(s *LayerShifts) null.Float { return s.Distance.Value })
	differentOf = ofShifts(func(s *LayerShifts) null.Float { return null.Float(s.Different) })
	tapsOf      = ofShifts(func(s *LayerShifts) null.Float { return s.Taps.Value })
	clampedOf   = ofShifts(func(s *LayerShifts) null.Float { return s.Clamped })
)

// shiftTables list where the heads of the layers look; none if no layer has heads.
func shiftTables(d Analysis) []*table.Table {
	layers := layersWith(d, func(l Layer) bool { return l.Shifts != nil })
	if len(layers) == 0 {
		return nil
	}
	value := func(head, format string, of func(l Layer) null.Float) column {
		return right(head, "", func(l Layer) table.Cell { return number(of(l), format) })
	}
	untrained := func(of func(*LayerShifts) NullTest) column {
		return right("untr.", "", func(l Layer) table.Cell { return spread(bandOr(of(l.Shifts).Untrained), tenths) })
	}
	columns := []column{numbered,
		value("shift", "%.1f", shiftOf), untrained(func(s *LayerShifts) NullTest { return s.Mean }),
		value("distance", "%.1f", distanceOf), untrained(func(s *LayerShifts) NullTest { return s.Distance }),
		value("taps", "%.0f", tapsOf),
		value("untr.", "%.1f", ofShifts(func(s *LayerShifts) null.Float { return bandOr(s.Taps.Untrained).Mean })),
		value("different", "%.0f", differentOf),
		value("far", "%.1f", ofShifts(func(s *LayerShifts) null.Float { return s.Far })),
		right("clamped", "", func(l Layer) table.Cell { return rounded(clampedOf(l), analyse.Percent) }),
	}
	return []*table.Table{layerTable(layers, columns, d.Source+"   where the heads of each layer look, in tokens",
		"shift      of the mean of a head's attention from its query; distance: mean distance of what it reads; means "+
			"over heads",
		"taps       heads with more than half of their weight on one shift; different: their shifts; far: their median "+
			"distance",
		"clamped    percent of the reads of taps that leave the grid, where a head reads its edge")}
}

// sentence says where the heads of a layer look.
func (s *LayerShifts) sentence() string {
	if s == nil {
		return ""
	}
	text := "mean shift " + tenths(float64(s.Mean.Value)) + " tokens"
	if u := s.Mean.Untrained; u != nil {
		text += " (untrained " + spread(*u, tenths).Text + ")"
	}
	text += "; " + tapsOfHeads(float64(s.Taps.Value), s.Heads)
	if s.Taps.Value > 0 {
		text += fmt.Sprintf(" of %s, %s %% of whose reads are clamped to the border", table.Count(s.Different, "shift"),
			analyse.Percent(float64(s.Clamped)))
	}
	return text
}

func tapsOfHeads(taps float64, heads int) string {
	text := fmt.Sprintf("%.0f of %s are taps", taps, table.Count(heads, "head"))
	if taps == 1 {
		text = strings.Replace(text, "are taps", "is a tap", 1)
	}
	return text
}

// whereHeadsLook says how the mean shift of heads goes over depth; "" for a network without heads.
func whereHeadsLook(d Analysis) string {
	layers := layersWith(d, func(l Layer) bool { return l.Shifts != nil })
	if len(layers) == 0 {
		return ""
	}
	first, last := layers[0], layers[len(layers)-1]
	text := fmt.Sprintf("The mean shift of heads is %s tokens in layer %d", tenths(float64(shiftOf(first))),
		first.Layer)
	if t := d.Trend; t != nil {
		text += fmt.Sprintf(" and %s in layer %d, with a Kendall's τ of %.2f over %s", tenths(float64(shiftOf(last))),
			last.Layer, float64(t.Value), table.Count(len(layers), "layer"))
		if t.Untrained != nil {
			text += " (untrained " + spread(*t.Untrained, analyse.Hundredths).Text + ")"
		}
	}
	return text + "; " + tapsOfHeads(tapsIn(layers)) + "."
}

// tapsIn counts the taps and the heads of layers with shifts.
func tapsIn(layers []Layer) (taps float64, heads int) {
	for _, l := range layers {
		taps, heads = taps+float64(tapsOf(l)), heads+l.Shifts.Heads
	}
	return taps, heads
}

// howHeadsLook says how many heads look at one token, and how far away the heads of the first and of the last layer
// look, next to the same before training; "" for a network without heads.
func howHeadsLook(d Analysis) string {
	layers := layersWith(d, func(l Layer) bool { return l.Shifts != nil })
	if len(layers) == 0 {
		return ""
	}
	before := 0.0
	for _, l := range layers {
		before += float64(bandOr(l.Shifts.Taps.Untrained).Mean)
	}
	now, heads := tapsIn(layers)
	than := func(was float64, format string) string {
		if math.IsNaN(was) {
			return ""
		}
		return " (" + fmt.Sprintf(format, was) + ")"
	}
	away := func(tokens string, l Layer) string {
		was := than(float64(bandOr(l.Shifts.Mean.Untrained).Mean), "%.1f")
		return fmt.Sprintf("%s%s in layer %d%s", tenths(float64(shiftOf(l))), tokens, l.Layer, was)
	}
	text := fmt.Sprintf("In one run, %.0f of %s look at one token%s; heads look %s", now, table.Count(heads, "head"),
		than(before, "%.0f "+d.baseline), away(" tokens away", layers[0]))
	if len(layers) > 1 {
		text += " and " + away("", layers[len(layers)-1])
	}
	return text + "."
}

func tenths(v float64) string { return fmt.Sprintf("%.1f", v) }
