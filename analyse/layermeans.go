package analyse

import "github.com/attnconv/attnconv/null"

// LayerMeans say how convolutional the layers of a model are, as analyse measures them of the weights only: means over
// layers.
type LayerMeans struct {
	Layers  int       `json:"layers"` // that have an operator
	Draws   int       `json:"draws"`  // untrained networks
	Within3 LayerMean `json:"k1_k3"`  // share of a 3 × 3 convolution
	Place   LayerMean `json:"place"`  // share that depends on the place
	// share of one convolution of any size, with zeros around the grid
	Zeros LayerMean `json:"zeros_any"`
	// share of one convolution of any size that repeats the edge of the grid
	Repeated LayerMean `json:"repeated_any"`
	Tap      LayerMean `json:"tap_score"` // 1: every head is a tap of its own
	Rank     LayerMean `json:"rank"`      // effective rank of the nearest kernel
	// of how many convolutions a layer is a mixture: profiles of its heads
	Profiles LayerMean `json:"profiles"`
	// mean over the heads of how far the mean of their attention is from the query, in tokens
	MeanShift LayerMean `json:"mean_shift"`
	Trend     LayerMean `json:"trend"`   // of each run: Kendall's τ of the layers and their mean shifts, in -1..1
	Taps      LayerMean `json:"taps"`    // heads with more than half of their weight on one shift
	Clamped   LayerMean `json:"clamped"` // part of the reads of taps that leave the grid
}

// A LayerMean is one value; null: no layer has it.
type LayerMean struct {
	Mean null.Float `json:"mean"` // over the runs
	Std  null.Float `json:"std"`  // over seeds; null: one run
	Null null.Float `json:"null"` // of untrained networks, a mean
}
