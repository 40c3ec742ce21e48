package theorem

import "github.com/attnconv/attnconv/null"

// ProofReport compares convolutions with the attention layers that the theorem makes of them.
type ProofReport struct {
	V         int         `json:"v"`         // 1
	Pass      bool        `json:"pass"`      // every judged row does
	Tolerance float64     `json:"tolerance"` // the largest of the judged rows
	Cases     int         `json:"cases"`     // kernels that were compared, in all rows: rows × trials
	Axes      int         `json:"axes"`      // 2 for images
	Size      int         `json:"size"`      // tokens along an axis
	Channels  [2]int      `json:"channels"`  // in, out
	Seed      uint64      `json:"seed"`      // of the random kernels and images
	Rows      []ProofCase `json:"rows"`      // a kernel, number of heads, border, type and α each
}

// A ProofCase is one row of a proof.
type ProofCase struct {
	Kernel    int        `json:"kernel"`              // size of the convolution
	Heads     int        `json:"heads"`               // of the attention layer
	Border    string     `json:"border"`              // padding of the convolution
	Type      string     `json:"dtype"`               // float32 or float64
	Alpha     float64    `json:"alpha"`               // sharpness of the heads
	MaxErr    null.Float `json:"max_err"`             // largest absolute error; null: infinite, as where a value is NaN
	MaxRelErr null.Float `json:"max_rel_err"`         // largest error, relative to the largest output; null: infinite
	Leak      float64    `json:"leak"`                // largest attention to other tokens than the head's
	Lost      float64    `json:"lost"`                // part of the kernel that the heads cannot express
	BitEqual  bool       `json:"bit_equal"`           // attention and convolution have the same bits
	Limit     float64    `json:"tolerance,omitempty"` // of this row; omitted: not judged, since the heads are soft
	Pass      *bool      `json:"pass,omitempty"`      // omitted: not judged
}

// NetworkProof compares the convolutions of a trained network with the attention layers made of them.
type NetworkProof struct {
	V          int         `json:"v"`          // 1
	Pass       bool        `json:"pass"`       // every row does
	Checkpoint string      `json:"checkpoint"` // path
	Data       string      `json:"data"`       // name of the data set
	Images     int         `json:"pictures"`   // number of images
	Alpha      float64     `json:"alpha"`      // sharpness of the heads
	Rows       []ProofSite `json:"rows"`       // one for each convolution
}

// A ProofSite is one convolution of the network.
type ProofSite struct {
	Layer     string     `json:"layer"`            // path of its parameters
	Kernel    [2]int     `json:"kernel"`           // rows, columns
	Stride    int        `json:"stride"`           // tokens
	Channels  [2]int     `json:"channels"`         // in, out
	Size      [2]int     `json:"size"`             // of its input: rows, columns
	Heads     int        `json:"heads"`            // of the attention layer
	MaxErr    null.Float `json:"max_err"`          // largest absolute error; null: infinite, as where a value is NaN
	MaxRelErr null.Float `json:"max_rel_err"`      // largest error, relative to the largest output; null: infinite
	Rounding  null.Float `json:"network_rounding"` // relative error of the network's own float32 convolution
	Leak      float64    `json:"leak"`             // largest attention to other tokens than the head's
	Tolerance float64    `json:"tolerance"`        // of max_rel_err and network_rounding
	Pass      bool       `json:"pass"`             // both are within the tolerance
}

// LedgerReport checks the claims of the theory.
type LedgerReport struct {
	V      int           `json:"v"`      // 1
	Pass   bool          `json:"pass"`   // every claim is as the ledger says
	Seed   uint64        `json:"seed"`   // of the cases
	Claims []ClaimReport `json:"claims"` // in the order of the ledger
}

// A ClaimReport is one claim of the theory.
type ClaimReport struct {
	ID             string        `json:"id"`                        // short name
	Statement      string        `json:"statement"`                 // the claim
	By             string        `json:"by"`                        // paper, slides, article, notes or ours
	Source         string        `json:"source"`                    // where; for a claim of ours, its reason
	Sources        []Attribution `json:"sources,omitempty"`         // where it is stated; of ours: related sentences
	Reason         string        `json:"reason,omitempty"`          // of ours; or what is added to the sources
	Verdict        string        `json:"verdict"`                   // holds, holds if, false, or false as written
	Construction   string        `json:"by_construction,omitempty"` // why it holds by construction
	Condition      string        `json:"condition"`                 // of the verdict; "": none
	Counterexample string        `json:"counterexample"`            // of a false claim; "": none
	Example        string        `json:"example,omitempty"`         // of a claim that holds
	Cases          int           `json:"cases"`                     // that were tried
	MaxDev         null.Float    `json:"max_dev"`                   // largest deviation
	Tolerance      float64       `json:"tolerance"`                 // of the deviation
	Pass           bool          `json:"pass"`                      // the cases agree with the verdict
	Wrong          string        `json:"wrong,omitempty"`           // why they do not
}

// ExerciseReport has the worked exercise, in one dimension, once for each α.
type ExerciseReport struct {
	V         int        `json:"v"`         // 1
	Exercises []Exercise `json:"exercises"` // in the order of --alpha
}

// An Exercise works out a convolution over five pixels as attention, by hand. Queries and pixels count from 1.
type Exercise struct {
	Alpha       float64        `json:"alpha"`       // sharpness of the heads
	Pixels      []float64      `json:"pixels"`      // x[1] to x[5]
	Queries     []int          `json:"queries"`     // that are computed
	Heads       []ExerciseHead `json:"heads"`       // one for each entry of the kernel
	Convolution []float64      `json:"convolution"` // y at the queries
	Attention   []float64      `json:"attention"`   // y of the attention layer at the queries
	// Φ (heads, shifts): the mixture of heads that is nearest to each shift
	Phi      [][]float64 `json:"phi"`
	Residual float64     `json:"residual"` // of that mixture
	Mixed    []float64   `json:"mixed"`    // y of the layer with the weights Φ·W
}

// An ExerciseHead is one entry of the kernel and its head. Matrices have a row for each query and a column for each
// pixel.
type ExerciseHead struct {
	Shift    int         `json:"shift"`    // of the entry
	Weight   float64     `json:"weight"`   // of the entry
	Selected [][]float64 `json:"selected"` // E: the pixel that the convolution selects
	Taken    []float64   `json:"taken"`    // E·x
	Scores   [][]float64 `json:"scores"`   // -α(k - q - Δ)²
	Weights  [][]float64 `json:"weights"`  // P, their softmax
	Seen     []float64   `json:"seen"`     // P·x
}
