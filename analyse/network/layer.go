package network

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/analyse/vision"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/null"
)

// Analysis says how convolutional the layers of a trained network are. docs/analyse.md has the equation of each
// measure.
type Analysis struct {
	V        int           `json:"v"`        // 1
	Source   string        `json:"source"`   // run, checkpoint or file of arrays
	Model    string        `json:"model"`    // kind of network; "": of arrays
	Encoding string        `json:"encoding"` // of its attention; "": none
	Data     string        `json:"data"`     // name of the data set; "": no images were read
	Seed     uint64        `json:"seed"`     // of the run
	Images   Images        `json:"images"`   // that measures on data have read
	Layers   []Layer       `json:"layers"`   // from input to output
	Foreign  *vision.Facts `json:"foreign"`  // of a network of another program; null: of one of this program, or arrays

	Network   *NetworkSymmetry `json:"network"`   // of the whole network; null: not asked for
	Unchanged *TestedAccuracy  `json:"unchanged"` // accuracy of the network as it is; null: not asked for
	// accuracy with every layer replaced, each fitted on what the earlier ones leave
	FunctionAll *Replacements `json:"function_all"`
	// Kendall's τ of the layers and the mean shifts of their heads, in -1..1; null: fewer than two layers have heads
	Trend   *NullTest `json:"trend"`
	Verdict []string  `json:"verdict"` // sentences on the whole network
	Notes   []string  `json:"notes"`   // what was not measured, and why

	baseline string // what sentences call the baseline; "": untrained
}

// Images are the images of the measures on data. What is scored on images was fitted on others.
type Images struct {
	Split     string `json:"split"`     // of score and attention; "": none
	FitSplit  string `json:"fit_split"` // of fit
	Fit       int    `json:"fit"`       // that regressions were fitted on
	Score     int    `json:"score"`     // for R²
	Attention int    `json:"attention"` // that attention was averaged over; 0: it does not depend on the image
}

// A Layer is one layer: attention with the map behind it, or what takes its place. Without the residual.
type Layer struct {
	Layer    int          `json:"layer"`    // from 1
	Path     string       `json:"path"`     // of its parameters
	Kind     string       `json:"kind"`     // of layer
	Grid     analyse.Grid `json:"grid"`     // tokens of its input: rows, columns
	Channels [2]int       `json:"channels"` // in, out
	// attention depends on the image: shares are those of the mean over images
	ByImage bool            `json:"by_image"`
	Shares  *analyse.Shares `json:"shares"` // of the operator; null: it has none
	// shares, kernel and rank are of the canonical operator, which is a function of the network
	Canonical bool            `json:"canonical"`
	Borders   *Borders        `json:"borders"` // shares for zeros and for repeated edges; null: it has no operator
	Raw       *analyse.Shares `json:"raw"`     // shares of the weights as they are, which layer norms hide in part
	Content   *LayerContent   `json:"content"` // shares on images; null: attention does not depend on the image
	// part of the attention that is on tokens that are not on the grid, such as a class token; null: there are none
	Elsewhere *NullTest `json:"elsewhere"`
	// shares of the layer with its residual, I + L; null: it adds to other tokens than those that it reads
	WithResidual *analyse.Shares `json:"with_residual"`
	// variance of what the layer adds to the tokens over the variance of the tokens, on images; null: not measured
	Size     null.Float     `json:"size"`
	Interior *InteriorShare `json:"interior"`  // without borders
	K90      *int           `json:"k90"`       // least K with 90 % of the nearest convolution
	Null     *NullShares    `json:"null"`      // shares of untrained layers; null: unknown
	Nulls    []NullShares   `json:"nulls"`     // others
	Spectrum *Spectrum      `json:"spectrum"`  // on data; null: not measured
	Heads    []Head         `json:"heads"`     // of an attention layer
	TapScore null.Float     `json:"tap_score"` // 1: every head is a tap of its own
	Leverage *HeadLeverage  `json:"leverage"`  // what the heads can express
	Rank     *analyse.Rank  `json:"rank"`      // of the nearest kernel
	Symmetry *LayerSymmetry `json:"symmetry"`  // shifts and receptive field; null: not asked for
	Function *Replacements  `json:"function"`  // accuracy with this layer replaced; null: not asked for
	Kernel   [][]float64    `json:"kernel"`    // norm of the nearest kernel by shift: rows × columns, 0 in the middle
	Sentence string         `json:"sentence"`  // what the values say
	// whether it acts as a 3 × 3 convolution; null: it has no operator, or comes from arrays
	Verdict  *analyse.Verdict `json:"verdict"`
	Answers  *Answers         `json:"answers"`  // of a network of another program; null: not measured
	Profiles *LayerProfiles   `json:"profiles"` // of the heads of an attention layer; null: not measured
	Shifts   *LayerShifts     `json:"shifts"`   // of the heads of an attention layer; null: not measured
}

// A measure is what is measured of layers: its values, their baseline, their columns. Fields that it does not need are
// nil.
type measure struct {
	// layer measures a layer by itself, from its operator and attention. It may return a missing.
	layer func(s *site, l *Layer) error
	// baseline measures what compare needs of the same layer of an untrained network.
	baseline func(s *site, l *Layer) error
	compare  func(m *measurement, l *Layer, draws []Layer)
	// all measures all layers, from images or from networks that it changes.
	all func(ctx context.Context, m *measurement) error

	sentence func(l Layer) string // its part of the sentence of a layer; "": none

	columns []column                        // of --details and of --format csv
	legend  func(d Analysis) []string       // below --details
	screen  []column                        // of the table on the screen
	tables  func(d Analysis) []*table.Table // of its own, of --details
}

// measures are in the order in which they are made. A new one is a file, its part of Layer, and a line here.
var measures = []measure{shares, borders, contents, elsewhere, permutations, spectra, headMeasures, kernelNorms, shifts,
	replacedLayers, profiles, symmetries, sameAnswers}

// next puts values of a layer next to the same values of untrained layers. Of what a layer lacks, it has none.
func next(l *Layer, draws []Layer, values func(l Layer) []*NullTest) {
	for i, value := range values(*l) {
		value.Untrained = bandOf(draws, func(d Layer) float64 {
			if of := values(d); len(of) > i {
				return float64(of[i].Value)
			}
			return math.NaN()
		})
	}
}

// partOf returns what makes columns of a part of a layer, which some layers lack.
func partOf[T any](part func(l Layer) *T) func(of func(*T) null.Float) func(l Layer) null.Float {
	return func(of func(*T) null.Float) func(l Layer) null.Float {
		return func(l Layer) null.Float {
			if p := part(l); p != nil {
				return of(p)
			}
			return null.Unknown
		}
	}
}

// words are what the measures add to the sentence of a layer.
func (l Layer) words() (text string) {
	for _, m := range measures {
		if m.sentence != nil && m.sentence(l) != "" {
			text += "; " + m.sentence(l)
		}
	}
	return text
}

// A column is a value of layers in tables. A layer that lacks it has a cell without a value.
type column struct {
	table.Column // without a head it is for programs only
	cell         func(l Layer) table.Cell
	legend       func(d Analysis) string // below the table on the screen; nil: none
	shown        visibility              // in --details
}

// A visibility says which tables show a column.
type visibility int

const (
	always     visibility = iota
	withValues            // tables of arrays only if a layer has a value
	onArrays              // only tables of arrays
	ofOwn                 // not on the screen for networks of other programs, which has to have room for more
)

// numbered is the column of the numbers of layers; 0 is all layers.
var numbered = column{table.Column{Head: "layer", Key: "layer", Right: true, Name: true}, func(l Layer) table.Cell {
	if l.Layer == 0 {
		return table.Words("all")
	}
	return table.Cell{Text: fmt.Sprint(l.Layer), Value: l.Layer}
}, nil, always}

// named is the column of the names that the layers of arrays have; empty if they have none.
func named(d Analysis) []column {
	if !ofArrays(d) || !d.some(func(l Layer) bool { return l.Path != "" }) {
		return nil
	}
	return []column{{Column: table.Column{Head: "name"}, cell: func(l Layer) table.Cell { return table.Words(l.Path) }}}
}

// percent, hundredths and plain are columns of values.
func percent(head, key string, of func(l Layer) null.Float) column {
	return right(head, key, func(l Layer) table.Cell { return rounded(of(l), analyse.Percent) })
}

func hundredths(head, key string, of func(l Layer) null.Float) column {
	return right(head, key, func(l Layer) table.Cell { return rounded(of(l), analyse.Hundredths) })
}

func plain(key string, of func(l Layer) null.Float) column { return hundredths("", key, of) }

// percents is the column of shares of untrained layers: their mean ± their standard deviation.
func percents(head, key string, of func(l Layer) *analyse.Band) column {
	return right(head, key, func(l Layer) table.Cell { return spread(bandOr(of(l)), analyse.Percent) })
}

// bracketed is a column of shares in whole percent, with their mean of untrained layers behind: 99 (97).
func bracketed(head string, of func(l Layer) null.Float, untrained func(l Layer) *analyse.Band) column {
	whole := func(share float64) string {
		text, _, _ := strings.Cut(analyse.Percent(share), ".")
		return text
	}
	return right(head, "", func(l Layer) table.Cell {
		cell := rounded(of(l), whole)
		if cell.Value != nil && untrained(l) != nil {
			cell.Text += " (" + whole(float64(untrained(l).Mean)) + ")"
		}
		return cell
	})
}

// right is a column of numbers.
func right(head, key string, cell func(l Layer) table.Cell) column {
	return column{Column: table.Column{Head: head, Key: key, Right: true}, cell: cell}
}

// ofArrays reports an analysis of arrays, without a network.
func ofArrays(d Analysis) bool { return d.Model == "" }

// some reports whether an analysis has such a layer.
func (d Analysis) some(is func(l Layer) bool) bool { return slices.ContainsFunc(d.Layers, is) }

// layersWith are the layers of an analysis that have something.
func layersWith(d Analysis, has func(l Layer) bool) []Layer {
	return slices.DeleteFunc(slices.Clone(d.Layers), func(l Layer) bool { return !has(l) })
}

// layerTable lists layers, a row each.
func layerTable(layers []Layer, columns []column, title string, notes ...string) *table.Table {
	var fields []table.Field[Layer]
	for _, c := range columns {
		fields = append(fields, table.For(c.Column, c.cell))
	}
	return table.Fill(&table.Table{Title: title, Notes: notes}, fields, layers)
}

// with returns the column with words below the table.
func (c column) with(legend func(d Analysis) string) column {
	c.legend = legend
	return c
}

func words(text string) func(d Analysis) string { return func(Analysis) string { return text } }

// only returns the column for some tables.
func (c column) only(shown visibility) column {
	c.shown = shown
	return c
}

// measurement is an analysis under way.
type measurement struct {
	Subject
	notes
	o          Options
	d          *Analysis
	sites      []*site
	fit, score data.Split // images
	against    *baselines
}

// baselines are what layers are compared with, the same for all snapshots of a run.
type baselines struct {
	own    []*Layer          // of the run's own start, where it has an operator; nil: unknown
	layers [][]Layer         // of untrained networks, for each layer that has an operator
	r2     []regressionDraws // of each layer, of untrained networks; nil: not drawn yet
}
