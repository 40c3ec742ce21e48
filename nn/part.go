package nn

// A Part is one layer in a network's description of itself, for one image.
type Part struct {
	Path  string // what the names of its parameters begin with, without "model."; "" where it has none
	Norm  string // likewise, of a norm that belongs to it
	Block string // what the user calls the block that it belongs to: 1; "" outside of blocks
	Kind  string // attention, linear, norm
	Out   []int  // extent of its result: rows, columns, channels; or channels alone
	Field [2]int // rows and columns of the image that one position of the result depends on
	MACs  MACs

	Params int // learned numbers under Path and Norm; whoever has the parameters fills it in
}

// MACs are the multiply-adds of one image's forward pass, counted in three ways. What depends on parameters alone,
// such as scores of positions, is no work for an image and is in none of them, but for linear maps in Paper.
type MACs struct {
	Definition int `json:"definition"` // as the equations say: every query weighs every key
	Run        int `json:"run"`        // as they are computed where nothing is learned
	Paper      int `json:"paper"`      // of linear maps and convolutions alone: the paper's table prints twice that
}

// Same is the count of a layer for which all ways are one.
func Same(n int) MACs { return MACs{n, n, n} }

// Plus adds up two counts.
func (m MACs) Plus(n MACs) MACs {
	return MACs{m.Definition + n.Definition, m.Run + n.Run, m.Paper + n.Paper}
}

// A Lister is a network that describes itself, part by part in the order of computation.
type Lister interface {
	Parts(rows, cols int) []Part // for images of that extent
}
