package network

import (
	"fmt"
	"math"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/study/stats"
)

// Analyses are analyses of several runs, and what they have in common.
type Analyses struct {
	V     int         `json:"v"`     // 1
	Runs  []Analysis  `json:"runs"`  // in the order of the command line
	CKA   *Similarity `json:"cka"`   // between the first two runs; null: not asked for
	Trend *SeedMean   `json:"trend"` // Kendall's τ of layers and the mean shifts of their heads; null: as for seeds
	Seeds []SeedLayer `json:"seeds"` // each layer over all runs; empty: the runs have different layers
}

// A SeedLayer is one layer over several runs.
type SeedLayer struct {
	Layer   int             `json:"layer"`   // from 1
	N       int             `json:"n"`       // runs
	Shares  *analyse.Shares `json:"shares"`  // means
	Within3 *SeedMean       `json:"within3"` // k1 + k3, and its difference from untrained layers
	Place   *SeedMean       `json:"place"`   // the share that depends on the place
	// share of one convolution of any size, with zeros around the grid
	Zeros *SeedMean `json:"zeros_any"`
	// share of one convolution of any size that repeats the edge of the grid
	Repeated *SeedMean `json:"repeated_any"`
	// R² of the best 3 × 3 convolution, and its difference from untrained layers
	R2K3      *SeedMean `json:"r2_k3"`
	Tap       *SeedMean `json:"tap"`        // tap score
	Content   *SeedMean `json:"content"`    // content bits, mean over the heads
	MeanShift *SeedMean `json:"mean_shift"` // of the heads, in tokens
	Taps      *SeedMean `json:"taps"`       // heads with more than half of their weight on one shift
	Clamped   *SeedMean `json:"clamped"`    // part of the reads of taps that leave the grid
	Sentence  string    `json:"sentence"`   // what the values say
}

// SeedMean is a value over several runs. Intervals account for seeds alone.
type SeedMean struct {
	Mean   null.Float     `json:"mean"`    // over the runs
	Std    null.Float     `json:"std"`     // between runs; null: one run
	CI     stats.Interval `json:"ci"`      // 95 % interval of the mean
	Diff   null.Float     `json:"diff"`    // from the null; null: it has none
	DiffCI stats.Interval `json:"diff_ci"` // 95 % interval of the difference
	P      null.Float     `json:"p"`       // null hypothesis of no difference
	PHolm  null.Float     `json:"p_holm"`  // p, corrected for the number of layers
}

// Seeds summarizes the layers of runs that differ in the seed: means, intervals over seeds, and differences from
// untrained layers, corrected for the number of layers. It is empty for fewer than two runs, if their layers differ,
// and if two have the same seed: a repeated run says nothing about other seeds.
func Seeds(runs []Analysis) []SeedLayer {
	all := []SeedLayer{}
	if !areSeeds(runs) {
		return all
	}
	for i := range runs[0].Layers {
		of := func(get func(Layer) null.Float) (values []float64) {
			for _, d := range runs {
				if v := get(d.Layers[i]); v.Known() {
					values = append(values, float64(v))
				}
			}
			return values
		}
		l := SeedLayer{Layer: i + 1, N: len(runs)}
		l.Within3 = seedMean(of(withinOf), len(runs), nullOf(runs[0].Layers[i]).Each)
		l.Place = seedMean(of(placeOf), len(runs), nil)
		l.Zeros, l.Repeated = seedMean(of(zerosOf), len(runs), nil), seedMean(of(repeatedOf), len(runs), nil)
		l.R2K3 = seedMean(of(r2Of), len(runs), r2Draws(runs[0].Layers[i]))
		l.Tap = seedMean(of(tapOf), len(runs), nil)
		l.Content = seedMean(of(contentOf), len(runs), nil)
		l.MeanShift, l.Taps = seedMean(of(shiftOf), len(runs), nil), seedMean(of(tapsOf), len(runs), nil)
		l.Clamped = seedMean(of(clampedOf), len(runs), nil)
		l.Shares = meanShares(runs, i)
		all = append(all, l)
	}
	correctSeeds(all)
	for i := range all {
		all[i].Sentence = seedSentence(all[i])
	}
	return all
}

// SeedTrend summarizes the trend of the mean shifts over depth, of the runs that Seeds takes; nil: not all have one.
func SeedTrend(runs []Analysis) *SeedMean {
	if !areSeeds(runs) {
		return nil
	}
	return seedMean(trends(runs), len(runs), nil)
}

// areSeeds reports whether runs are two or more seeds of one model.
func areSeeds(runs []Analysis) bool {
	i, _ := Repeated(runs)
	return i < 0 && len(runs) > 1 && alike(runs)
}

func alike(runs []Analysis) bool {
	for _, d := range runs[1:] {
		if len(d.Layers) != len(runs[0].Layers) {
			return false
		}
		for i, l := range d.Layers {
			if o := runs[0].Layers[i]; l.Kind != o.Kind || l.Channels != o.Channels || l.Grid != o.Grid {
				return false
			}
		}
	}
	return true
}

// Repeated returns the indices of two runs with the same seed, or -1 and -1 if there are none. Runs of different layers
// are no seeds of one model, and arrays have no seed.
func Repeated(runs []Analysis) (first, second int) {
	if len(runs) < 2 || runs[0].Model == "" || !alike(runs) {
		return -1, -1
	}
	for j := range runs {
		for i := range j {
			if runs[i].Seed == runs[j].Seed {
				return i, j
			}
		}
	}
	return -1, -1
}

func meanShares(runs []Analysis, layer int) *analyse.Shares {
	var m analyse.Shares
	n := float64(len(runs))
	for _, d := range runs {
		s := d.Layers[layer].Shares
		if s == nil {
			return nil
		}
		m.K1, m.K3, m.K5 = m.K1+s.K1/n, m.K3+s.K3/n, m.K5+s.K5/n
		m.K7, m.Larger, m.Place = m.K7+s.K7/n, m.Larger+s.Larger/n, m.Place+s.Place/n
	}
	return &m
}

// seedMean summarizes the values of n runs, nil if some lack them. The difference from the draws of a null is Welch's,
// over seeds of the runs and of the initializer.
func seedMean(values []float64, n int, draws []float64) *SeedMean {
	if len(values) < n {
		return nil
	}
	s := stats.Summarize(stats.Accuracies{Runs: values})
	d := &SeedMean{Mean: null.Float(s.Mean), Std: null.Float(s.Std), CI: s.CI,
		Diff: null.Unknown, DiffCI: stats.NoInterval, P: null.Unknown, PHolm: null.Unknown}
	if c, err := stats.Compare(stats.Accuracies{Runs: values}, stats.Accuracies{Runs: draws}, false); err == nil {
		d.Diff, d.DiffCI, d.P = null.Float(c.Diff), c.CI, null.Float(c.P)
	}
	return d
}

// correctSeeds corrects the p-values of each measure over the layers.
func correctSeeds(all []SeedLayer) {
	for _, of := range []func(SeedLayer) *SeedMean{
		func(l SeedLayer) *SeedMean { return l.Within3 }, func(l SeedLayer) *SeedMean { return l.R2K3 },
	} {
		p := make([]float64, len(all))
		for i, l := range all {
			if p[i] = math.NaN(); of(l) != nil {
				p[i] = float64(of(l).P)
			}
		}
		for i, v := range stats.Holm(p) {
			if s := of(all[i]); s != nil {
				s.PHolm = null.Float(v)
			}
		}
	}
}

// seedSentence says what the values say, rounded as in the table.
func seedSentence(l SeedLayer) string {
	head := fmt.Sprintf("layer %d, %d runs: ", l.Layer, l.N)
	w := l.Within3
	if w == nil || !w.Mean.Known() {
		return head + "not measured"
	}
	text := analyse.Percent(float64(w.Mean)) + " %"
	if w.CI.Known() {
		text += fmt.Sprintf(" [%s, %s]", analyse.Percent(w.CI.Lo), analyse.Percent(w.CI.Hi))
	}
	text += " of the squared norm of its operator is one 3 × 3 convolution, a relative error of " +
		analyse.Percent(math.Sqrt(max(0, 1-float64(w.Mean)))) + " %"
	if w.Diff.Known() && w.DiffCI.Known() && w.PHolm.Known() {
		verdict := "no difference from untrained layers is shown"
		if w.PHolm < analyse.Level {
			word := "more"
			if w.Diff < 0 {
				word = "less"
			}
			verdict = fmt.Sprintf("%.0f points %s than untrained layers", 100*math.Abs(float64(w.Diff)), word)
		}
		text += fmt.Sprintf("; %s [%+.0f, %+.0f], p %s", verdict, 100*w.DiffCI.Lo, 100*w.DiffCI.Hi,
			analyse.PValue(float64(w.PHolm)))
	}
	return head + text
}

func seedTable(runs []Analysis, seeds []SeedLayer) *table.Table {
	type seedField = table.Field[SeedLayer]
	column := func(head string, cell func(SeedLayer) table.Cell) seedField {
		return table.For(table.Column{Head: head, Right: true}, cell)
	}
	share := func(head string, of func(analyse.Shares) float64) seedField {
		return column(head, func(l SeedLayer) table.Cell {
			if l.Shares == nil {
				return rounded(null.Unknown, nil)
			}
			return table.Float(of(*l.Shares), analyse.Percent)
		})
	}
	t := &table.Table{Title: fmt.Sprintf("over %d runs   percent; means, and 95 %% intervals over seeds", seeds[0].N)}
	for _, l := range seeds {
		t.Notes = append(t.Notes, l.Sentence)
	}
	if of := SeedTrend(runs); of != nil {
		text := fmt.Sprintf("Kendall's τ of the layers and the mean shifts of their heads: %.2f", float64(of.Mean))
		if of.CI.Known() {
			text += fmt.Sprintf(" [%.2f, %.2f]", of.CI.Lo, of.CI.Hi)
		}
		t.Notes = append(t.Notes, text+" over seeds")
	}
	return table.Fill(t, []seedField{
		table.For(table.Column{Head: "layer", Right: true, Name: true},
			func(l SeedLayer) table.Cell { return table.Words(fmt.Sprint(l.Layer)) }),
		share("1×1", func(s analyse.Shares) float64 { return s.K1 }),
		share("3×3", func(s analyse.Shares) float64 { return s.K3 }),
		share("5×5", func(s analyse.Shares) float64 { return s.K5 }),
		share("7×7", func(s analyse.Shares) float64 { return s.K7 }),
		share("larger", func(s analyse.Shares) float64 { return s.Larger }),
		share("place", func(s analyse.Shares) float64 { return s.Place }),
		column("to 3×3", func(l SeedLayer) table.Cell { return rounded(l.Within3.mean(), analyse.Percent) }),
		column("interval", func(l SeedLayer) table.Cell {
			if l.Within3 == nil || !l.Within3.CI.Known() {
				return table.Words("–")
			}
			return table.Words(analyse.Percent(l.Within3.CI.Lo) + "–" + analyse.Percent(l.Within3.CI.Hi))
		}),
		column("R² 3×3", func(l SeedLayer) table.Cell { return rounded(l.R2K3.mean(), analyse.Hundredths) }),
		column("p (Holm)", func(l SeedLayer) table.Cell {
			if l.Within3 == nil {
				return rounded(null.Unknown, nil)
			}
			return rounded(l.Within3.PHolm, analyse.PValue)
		}),
	}, seeds)
}

// mean is unknown where nothing was measured.
func (s *SeedMean) mean() null.Float {
	if s == nil {
		return null.Unknown
	}
	return s.Mean
}
