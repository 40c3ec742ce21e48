package network

import (
	"math"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/null"
)

// kernelNorms are the kernel of the convolution nearest to a layer, and its rank.
var kernelNorms = measure{
	layer: func(s *site, l *Layer) error {
		l.Rank, l.Kernel = new(s.operator.Rank()), byShift(s.grid, s.operator.KernelNorms())
		return nil
	},
	columns: []column{plain("rank", rankOf)},
}

// byShift lays values out by shift, zero in the middle.
func byShift(g analyse.Grid, of map[analyse.Shift]float64) [][]float64 {
	all := make([][]float64, 2*g.Rows-1)
	for r := range all {
		all[r] = make([]float64, 2*g.Cols-1)
		for c := range all[r] {
			v := of[analyse.Shift{r - g.Rows + 1, c - g.Cols + 1}]
			all[r][c] = math.Round(v*1e9) / 1e9
		}
	}
	return all
}

func rankOf(l Layer) null.Float {
	if l.Rank == nil {
		return null.Unknown
	}
	return null.Float(l.Rank.Effective)
}
