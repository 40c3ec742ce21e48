package network

import (
	"fmt"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/null"
)

// shares are the parts of a layer's operator that are convolutions of each size.
var shares = measure{
	layer: func(s *site, l *Layer) (err error) {
		if err := drawShares(s, l); err != nil {
			return err
		}
		l.Canonical, l.K90, l.Interior, l.Raw = s.canonical, new(s.operator.Reach(0.9)), s.interiorShare(), l.Shares
		if s.canonical {
			if l.Raw, err = sharesOf(s.raw); err == nil {
				l.WithResidual, err = s.withResidual()
			}
		}
		return err
	},
	baseline: drawShares,
	compare: func(_ *measurement, l *Layer, draws []Layer) {
		if len(draws) > 0 {
			l.Null = new(nullShares(sharesNull(initializerNull, draws), l.Shares))
		}
	},
	columns: []column{
		percent("1×1", "k1", ofShares(func(s analyse.Shares) float64 { return s.K1 })),
		percent("3×3", "k3", ofShares(func(s analyse.Shares) float64 { return s.K3 })),
		percent("5×5", "k5", ofShares(func(s analyse.Shares) float64 { return s.K5 })),
		percent("7×7", "k7", ofShares(func(s analyse.Shares) float64 { return s.K7 })),
		percent(">7", "larger", ofShares(func(s analyse.Shares) float64 { return s.Larger })),
		percent("place", "place", placeOf),
		percent("≤3×3", "within3", withinOf),
		percent("inside", "interior_k3", func(l Layer) null.Float {
			if l.Interior == nil {
				return null.Unknown
			}
			return l.Interior.K3
		}),
		percents("untrained", "null_within3", nullWithin).only(withValues),
		plain("null_std", func(l Layer) null.Float { return bandOr(nullWithin(l)).Std }),
		plain("p", func(l Layer) null.Float { return nullOf(l).PHolm }),
		plain("null_place", func(l Layer) null.Float { return bandOr(nullPlace(l)).Mean }),
		plain("raw_within3", func(l Layer) null.Float { return within3(l.Raw) }),
		plain("with_residual_within3", func(l Layer) null.Float { return within3(l.WithResidual) }),
		plain("k90", func(l Layer) null.Float {
			if l.K90 == nil {
				return null.Unknown
			}
			return null.Float(*l.K90)
		}),
	},
	legend: func(d Analysis) []string {
		if !d.some(hasShares) {
			return nil
		}
		notes := []string{"place      depends on the place: no convolution with zeros around the grid",
			"≤3×3       1×1 and 3×3 together; inside: of queries whose 3 × 3 tokens are on the grid"}
		if !ofArrays(d) {
			notes = append(notes, "untrained  ≤3×3 of networks of other seeds before training: mean ± standard deviation")
		}
		return notes
	},
	screen: []column{
		percent("≤3×3", "", withinOf).with(words("≤3×3      percent of the squared norm of the layer's operator that is " +
			"one 3 × 3 convolution")),
		percents("at init", "", nullWithin).with(initLegend),
		bracketed("place", placeOf, nullPlace).with(words("place     percent that depends on the place, which no convolution " +
			"with zeros around the grid has; in brackets at init")),
	},
}

func hasShares(l Layer) bool { return l.Shares != nil }

func initLegend(d Analysis) string {
	draws, fits := 0, 0
	for _, l := range d.Layers {
		draws, fits = max(draws, nullOf(l).Draws), max(fits, len(r2Draws(l)))
	}
	text := "at init   the same of " + table.Count(draws, "untrained network")
	if fits > 0 {
		text += fmt.Sprintf("; of R²: of %d", fits)
	}
	return text
}

// InteriorShare is the share of the nearest K × K convolution for the queries whose K × K neighborhood is on the grid.
// Each K has queries of its own.
type InteriorShare struct {
	K1 null.Float `json:"k1"` // 1 × 1
	K3 null.Float `json:"k3"` // 3 × 3
	K5 null.Float `json:"k5"` // 5 × 5; null: no query has such a neighborhood
	K7 null.Float `json:"k7"` // 7 × 7
}

// NullShares are the shares of layers that lack what is asked for.
type NullShares struct {
	Name   string          `json:"name"`    // initializer, centers, maps or tokens
	Draws  int             `json:"draws"`   // layers
	Shares analyse.Shares  `json:"shares"`  // means
	Within *analyse.Band   `json:"within3"` // of k1 + k3
	Place  *analyse.Band   `json:"place"`   // of the share that depends on the place
	Own    *analyse.Shares `json:"own"`     // of the run's own start; null: another null, or unknown
	// p-value of the hypothesis that k1 + k3 of the layer is not larger than k1 + k3 of a draw
	P     null.Float `json:"p"`
	PHolm null.Float `json:"p_holm"`        // p, corrected for the number of layers
	Each  []float64  `json:"within3_draws"` // k1 + k3 of each draw
}

// The names of nulls.
const (
	initializerNull = "initialiser" // untrained networks of other seeds
	centersNull     = "centers"     // the initializer's centers with the trained widths
	mapsNull        = "maps"        // each head with another head's map
	tokensNull      = "tokens"      // tokens permuted, the same for all heads
)

func drawShares(s *site, l *Layer) error {
	of, err := s.operator.Shares(0)
	l.Shares = &of
	return err
}

func sharesOf(l analyse.Layer) (*analyse.Shares, error) {
	o, err := analyse.NewOperator(l)
	if err != nil {
		return nil, err
	}
	shares, err := o.Shares(0)
	return &shares, err
}

// withResidual returns the shares of I + L; nil if the layer adds to other tokens than those that it reads, as a
// pre-norm block does, or if that is unknown.
func (s *site) withResidual() (*analyse.Shares, error) {
	sum, ok := s.raw.WithResidual()
	if !ok || s.mix == nil || s.mix.PreNorm {
		return nil, nil
	}
	sum, err := s.gauge.Layer(sum)
	if err != nil {
		return nil, err
	}
	return sharesOf(sum)
}

// interiorShare returns the shares of queries away from borders.
func (s *site) interiorShare() *InteriorShare {
	of := &InteriorShare{}
	for i, to := range []*null.Float{&of.K1, &of.K3, &of.K5, &of.K7} {
		*to = null.Unknown
		if v, err := s.operator.Interior(2*i + 1); err == nil {
			*to = null.Float(v)
		}
	}
	return of
}

// sharesNull returns the shares of layers as a null.
func sharesNull(name string, draws []Layer) analyse.Null {
	of := analyse.Null{Name: name}
	for _, l := range draws {
		of.Draws = append(of.Draws, *l.Shares)
	}
	return of
}

// nullShares summarizes a null. Its p-value is for k1 + k3 of the layer.
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

// nullOf is the null of untrained layers, without values if it is unknown.
func nullOf(l Layer) NullShares {
	if l.Null == nil {
		return NullShares{P: null.Unknown, PHolm: null.Unknown}
	}
	return *l.Null
}

func nullWithin(l Layer) *analyse.Band { return nullOf(l).Within }

func nullPlace(l Layer) *analyse.Band { return nullOf(l).Place }

// ofShares is a value of a layer's shares.
func ofShares(of func(analyse.Shares) float64) func(l Layer) null.Float {
	return func(l Layer) null.Float {
		if l.Shares == nil {
			return null.Unknown
		}
		return null.Float(of(*l.Shares))
	}
}

// withinOf is k1 + k3 of a layer.
func withinOf(l Layer) null.Float { return within3(l.Shares) }

var placeOf = ofShares(func(s analyse.Shares) float64 { return s.Place })

func within3(s *analyse.Shares) null.Float {
	if s == nil {
		return null.Unknown
	}
	return null.Float(s.Within(3))
}
