package network

import (
	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/posenc/geometry"
)

// headMeasures are what the heads of attention do, one by one, and what they can express together.
var headMeasures = measure{
	layer: func(s *site, l *Layer) error {
		if s.kind != attends {
			return nil
		}
		l.Leverage = s.leverage()
		return describeHeads(l, s)
	},
	columns: []column{
		hundredths("tap", "tap_score", tapOf),
		hundredths("bits", "content_bits", contentOf),
		plain("leverage_k3", func(l Layer) null.Float {
			if l.Leverage == nil {
				return null.Unknown
			}
			return null.Float(l.Leverage.K3)
		}),
	},
	legend: func(d Analysis) []string {
		if !d.some(func(l Layer) bool { return len(l.Heads) > 0 }) {
			return nil
		}
		return []string{"tap        1: every head attends to one shift of its own; bits: what the image tells heads of " +
			"where to attend"}
	},
}

// A Head is one attention head. Lengths are in tokens.
type Head struct {
	Head  int     `json:"head"`       // from 1
	Blur  float64 `json:"blur_bits"`  // entropy of the key when query and image are known
	Place float64 `json:"place_bits"` // what the query says of the shift
	// what the image says of the shift, when the query is known; null: attention came without images
	Content null.Float `json:"content_bits"`
	Border  float64    `json:"border_bits"` // of place_bits, those that borders cause
	Shift   float64    `json:"shift_bits"`  // entropy of the shift: blur + place + content
	NMI     float64    `json:"nmi"`         // normalized mutual information of query and key
	// part of its attention that is on tokens that are not on the grid; null: there are no such tokens
	Elsewhere null.Float `json:"elsewhere"`
	// entropy of whether the key is on the grid; the other bits are given that it is. null: there are no other tokens
	Choice   null.Float     `json:"choice_bits"`
	Center   [2]float64     `json:"center"`      // mean shift: row, column
	Half     float64        `json:"half_radius"` // least radius around the center with half of the attention
	Distance float64        `json:"distance"`    // mean attention distance
	Tap      *analyse.Shift `json:"tap"`         // its shift in the layout of the tap score; null: none is left
	TapMean  null.Float     `json:"tap_mean"`    // mean attention there
}

// HeadLeverage says what the heads of a layer can express, in 0..1: 1 where they can be every convolution on those
// shifts.
type HeadLeverage struct {
	Rank int         `json:"rank"` // independent heads
	K1   float64     `json:"k1"`   // of the shift zero
	K3   float64     `json:"k3"`   // mean over the shifts of 3 × 3
	K5   float64     `json:"k5"`   // mean over those of 5 × 5
	K7   float64     `json:"k7"`   // mean over those of 7 × 7
	Map  [][]float64 `json:"map"`  // of each shift, rows × columns, zero in the middle
}

func (s *site) leverage() *HeadLeverage {
	of := s.operator.Leverage()
	l := &HeadLeverage{Rank: of.Rank, Map: byShift(s.grid, of.Of)}
	for i, to := range []*float64{&l.K1, &l.K3, &l.K5, &l.K7} {
		square := geometry.Square(2*i + 1)
		for _, shift := range square {
			*to += of.Of[shift] / float64(len(square))
		}
	}
	return l
}

func describeHeads(l *Layer, s *site) error {
	score, f, ok := s.operator.TapScore()
	l.TapScore = null.Float(score)
	if s.loses { // zeros around the grid have part of the attention, and no shift of their own
		return nil
	}
	chains, err := s.seen.Chain(0)
	if err != nil {
		return err
	}
	off := s.seen.Elsewhere()
	for h, g := range s.operator.Geometry() {
		c := chains[h]
		head := Head{Head: h + 1, Blur: c.Blur, Place: c.Place, Border: c.Border,
			Shift: c.Shift, NMI: c.NMI, Center: g.Center, Half: g.Half, Distance: g.Distance,
			Content: null.Unknown, TapMean: null.Unknown, Elsewhere: null.Unknown, Choice: null.Unknown}
		if s.seen.Prefixed {
			head.Elsewhere, head.Choice = null.Float(off[h]), null.Float(c.Choice)
		}
		if !s.single {
			head.Content = null.Float(c.Content)
		}
		if ok[h] {
			head.Tap, head.TapMean = &f[h], null.Float(s.operator.Weight(h, f[h]))
		}
		l.Heads = append(l.Heads, head)
	}
	return nil
}

func tapOf(l Layer) null.Float { return l.TapScore }

// contentOf returns the content bits of a layer, a mean over its heads.
func contentOf(l Layer) null.Float {
	if len(l.Heads) == 0 {
		return null.Unknown
	}
	return null.Float(mean(l.Heads, func(h Head) float64 { return float64(h.Content) }))
}
