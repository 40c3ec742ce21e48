package network

import (
	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/internal/null"
	"github.com/attnconv/attnconv/study/stats"
)

// Analysis says how convolutional the layers of a trained network are. docs/analyse.md has the equation of each
// measure.
type Analysis struct {
	V        int             `json:"v"`        // 1
	Source   string          `json:"source"`   // run, checkpoint or file of arrays
	Model    string          `json:"model"`    // kind of network; "": of arrays
	Encoding string          `json:"encoding"` // of its attention; "": none
	Data     string          `json:"data"`     // name of the data set; "": no images were read
	Seed     uint64          `json:"seed"`     // of the run
	Images   AnalysedImages  `json:"images"`   // that measures on data have read
	Layers   []AnalysedLayer `json:"layers"`   // from input to output

	Network   *NetworkSymmetry `json:"network"`   // of the whole network; null: not asked for
	Unchanged *TestedAccuracy  `json:"unchanged"` // accuracy of the network, beside function; null: not asked for
	// accuracy with every layer replaced, each fitted on what the earlier ones leave
	FunctionAll *Replacements `json:"function_all"`
	Verdict     []string      `json:"verdict"` // three sentences on the whole network
	Notes       []string      `json:"notes"`   // what was not measured, and why
}

// Analyses are analyses of several runs, and what they have in common.
type Analyses struct {
	V     int         `json:"v"`     // 1
	Runs  []Analysis  `json:"runs"`  // in the order of the command line
	CKA   *Similarity `json:"cka"`   // between the first two runs; null: not asked for
	Seeds []SeedLayer `json:"seeds"` // each layer over all runs; empty: the runs have different layers
}

// AnalysedEpochs are analyses of the snapshots of one run.
type AnalysedEpochs struct {
	V        int             `json:"v"`        // 1
	Source   string          `json:"source"`   // run
	Model    string          `json:"model"`    // kind of network
	Encoding string          `json:"encoding"` // of its attention; "": none
	Data     string          `json:"data"`     // name of the data set; "": no images were read
	Seed     uint64          `json:"seed"`     // of the run
	Images   AnalysedImages  `json:"images"`   // that measures on data have read, the same after each epoch
	Epochs   []AnalysedEpoch `json:"epochs"`   // in order
	Notes    []string        `json:"notes"`    // what was not measured, and why
}

// An AnalysedEpoch is the layers after an epoch.
type AnalysedEpoch struct {
	Epoch  int             `json:"epoch"`  // 0: before the first step
	Layers []AnalysedLayer `json:"layers"` // from input to output
}

// AnalysesOver are analyses of the snapshots of several runs, and what they have in common.
type AnalysesOver struct {
	V     int              `json:"v"`     // 1
	Runs  []AnalysedEpochs `json:"runs"`  // in the order of the command line
	Seeds []SeedEpoch      `json:"seeds"` // each epoch over all runs; empty: the runs have different epochs or layers
}

// A SeedEpoch is the layers after an epoch, over several runs.
type SeedEpoch struct {
	Epoch  int         `json:"epoch"`  // 0: before the first step
	Layers []SeedLayer `json:"layers"` // from input to output
}

// AnalysedImages are the images of the measures on data. What is scored on images was fitted on others.
type AnalysedImages struct {
	Split     string `json:"split"`     // of score and attention; "": none
	FitSplit  string `json:"fit_split"` // of fit
	Fit       int    `json:"fit"`       // that regressions were fitted on
	Score     int    `json:"score"`     // for R²
	Attention int    `json:"attention"` // that attention was averaged over; 0: it does not depend on the image
}

// An AnalysedLayer is one layer: attention with the map behind it, or what takes its place. Without the residual.
type AnalysedLayer struct {
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
	Raw       *analyse.Shares `json:"raw"` // shares of the weights as they are, which layer norms hide in part
	// shares of the layer with its residual, I + L; null: it adds to other tokens than those that it reads
	WithResidual *analyse.Shares `json:"with_residual"`
	// variance of what the layer adds to the tokens over that of the tokens, on images; null: not measured
	Size     null.Float     `json:"size"`
	Interior *InteriorShare `json:"interior"`  // without borders
	K90      *int           `json:"k90"`       // least K with 90 % of the nearest convolution
	Null     *NullShares    `json:"null"`      // shares of untrained layers; null: unknown
	Nulls    []NullShares   `json:"nulls"`     // others
	Spectrum *Spectrum      `json:"spectrum"`  // on data; null: not measured
	Heads    []AnalysedHead `json:"heads"`     // of an attention layer
	TapScore null.Float     `json:"tap_score"` // 1: every head is a tap of its own
	Leverage *HeadLeverage  `json:"leverage"`  // what the heads can express
	Rank     *analyse.Rank  `json:"rank"`      // of the nearest kernel
	Symmetry *LayerSymmetry `json:"symmetry"`  // shifts and receptive field; null: not asked for
	Function *Replacements  `json:"function"`  // accuracy with this layer replaced; null: not asked for
	Kernel   [][]float64    `json:"kernel"`    // norm of the nearest kernel by shift: rows × columns, 0 in the middle
	Sentence string         `json:"sentence"`  // what the values say
	// whether it acts as a 3 × 3 convolution; null: it has no operator, or comes from arrays
	Verdict  *analyse.Verdict `json:"verdict"`
	Profiles *LayerProfiles   `json:"profiles"` // of the heads of an attention layer; null: not measured
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
	// of the hypothesis that k1 + k3 of the layer is no larger than a draw's
	P     null.Float `json:"p"`
	PHolm null.Float `json:"p_holm"`        // p, corrected for the number of layers
	Each  []float64  `json:"within3_draws"` // k1 + k3 of each draw
}

// Spectrum is how much of a layer's output convolutions of its input explain, on other images than those of the fit.
type Spectrum struct {
	K1 null.Float `json:"r2_k1"` // R² of the best 1 × 1 convolution
	K3 null.Float `json:"r2_k3"` // 3 × 3
	K5 null.Float `json:"r2_k5"` // 5 × 5
	K7 null.Float `json:"r2_k7"` // 7 × 7; null: larger than the grid, or not asked for
	// R² of the mean attention by shift, the nearest kernel; null: no operator
	Shift   null.Float `json:"r2_mean_by_shift"`
	Mean    null.Float `json:"r2_mean_attention"` // R² of the mean attention, without content
	Largest int        `json:"largest_k"`         // that was fitted
	Null    *NullR2    `json:"null"`              // of untrained networks; null: not measured
}

// NullR2 is the R² of layers of untrained networks, on the same images.
type NullR2 struct {
	Draws int           `json:"draws"`       // networks
	K3    *analyse.Band `json:"r2_k3"`       // of the best 3 × 3 convolution
	Each  []float64     `json:"r2_k3_draws"` // of each network
}

// NetworkSymmetry is how similar layers are.
type NetworkSymmetry struct {
	Untrained int         `json:"untrained"` // networks that values are compared with
	CKA       *Similarity `json:"cka"`       // between its own layers
}

// LayerSymmetry is how a layer by itself follows shifts of its input, and where in the image its center token looks.
type LayerSymmetry struct {
	Defect   NullTest `json:"defect"`    // shift defect for a token on a torus: 0: it commutes with the shift
	Radius50 NullTest `json:"radius_50"` // least radius with half of the gradient's energy, in pixels
	Radius90 NullTest `json:"radius_90"` // least radius with 90 % of it
	Side50   NullTest `json:"side_50"`   // least square with half of it, in pixels
	Side90   NullTest `json:"side_90"`   // least square with 90 % of it
	SideAll  int      `json:"side_all"`  // least square with every pixel that has a gradient
	// R² of the best 3 × 3 convolution of queries away from borders, there; null: not measured
	Interior *NullTest `json:"r2_interior_k3"`
	// R² of the best 3 × 3 convolution of all queries, at borders; null: not measured
	Border *NullTest `json:"r2_border_k3"`
}

// NullTest is a value of a network, next to the same value of untrained networks.
type NullTest struct {
	Value     null.Float    `json:"value"`     // of the network; null: not defined
	Untrained *analyse.Band `json:"untrained"` // null: unknown
}

// Similarity is CKA between the layers of two networks.
type Similarity struct {
	Rows      string         `json:"rows"`          // network of the rows
	Cols      string         `json:"cols"`          // network of the columns
	CKA       [][]null.Float `json:"cka"`           // between what the layers read, and the logits
	Images    int            `json:"images"`        // that it was estimated on
	Null      [][]null.Float `json:"cka_untrained"` // the same of untrained networks, the mean; null: unknown
	Untrained int            `json:"untrained"`     // pairs of untrained networks, or networks compared with themselves
}

// Replacements is the accuracy of a network with layers replaced, without training, on all validation images. What
// replaces a layer was fitted on training images. Null: a layer has no such replacement, or it was not asked for.
type Replacements struct {
	Mean      *TestedAccuracy `json:"mean"`       // by their attention's mean over images
	ShiftMean *TestedAccuracy `json:"shift_mean"` // by its mean by shift: the nearest convolution
	Taps      *TestedAccuracy `json:"taps"`       // by hard taps, each head on its shift of the tap score
	K1        *TestedAccuracy `json:"k1"`         // by the best 1 × 1 convolution of their input
	K3        *TestedAccuracy `json:"k3"`         // 3 × 3
	K5        *TestedAccuracy `json:"k5"`         // 5 × 5
	K7        *TestedAccuracy `json:"k7"`         // 7 × 7
	Uniform   *TestedAccuracy `json:"uniform"`    // null: every head attends to all tokens alike
	Constant  *TestedAccuracy `json:"constant"`   // null: their mean output over images and tokens
}

// A TestedAccuracy is the part of the validation images that a network classifies correctly.
type TestedAccuracy struct {
	Acc    float64        `json:"acc"`     // correct / n
	N      int            `json:"n"`       // images
	CI     stats.Interval `json:"ci"`      // Wilson's 95 % interval, over images
	Diff   null.Float     `json:"diff"`    // from the accuracy of the unmodified network; null: this is that
	DiffCI stats.Interval `json:"diff_ci"` // Newcombe's 95 % interval of the difference, paired over images
}

// An AnalysedHead is one attention head. Lengths are in tokens.
type AnalysedHead struct {
	Head  int     `json:"head"`       // from 1
	Blur  float64 `json:"blur_bits"`  // entropy of the key when query and image are known
	Place float64 `json:"place_bits"` // what the query says of the shift
	// what the image says of the shift, when the query is known; null: attention came without images
	Content  null.Float     `json:"content_bits"`
	Border   float64        `json:"border_bits"` // of place_bits, those that borders cause
	Shift    float64        `json:"shift_bits"`  // entropy of the shift: blur + place + content
	NMI      float64        `json:"nmi"`         // normalized mutual information of query and key
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

// A SeedLayer is one layer over several runs.
type SeedLayer struct {
	Layer   int             `json:"layer"`   // from 1
	N       int             `json:"n"`       // runs
	Shares  *analyse.Shares `json:"shares"`  // means
	Within3 *SeedMean       `json:"within3"` // k1 + k3, and its difference from untrained layers
	Place   *SeedMean       `json:"place"`   // the share that depends on the place
	// R² of the best 3 × 3 convolution, and its difference from untrained layers
	R2K3     *SeedMean `json:"r2_k3"`
	Tap      *SeedMean `json:"tap"`      // tap score
	Content  *SeedMean `json:"content"`  // content bits, mean over the heads
	Sentence string    `json:"sentence"` // what the values say
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
