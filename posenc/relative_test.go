package posenc

import (
	"math"
	"testing"

	"github.com/attnconv/attnconv/nn"
)

// The term v·(Ŵ_k·r_δ) alone, with its explicit map of positions, is learned with the vectors w = Ŵ_kᵀ·v/√d: the map
// adds nothing to what the heads can say.
func TestShiftTermIsLearned(t *testing.T) {
	const heads, dim, d, side = 2, 5, 3, 6
	o := Options{Heads: heads, Dim: dim, HeadDim: d, MaxSide: side, Terms: []string{OwnShift}}
	e := newRelative(nn.NewScope(1), o).(*Relative)
	folded := NewLearned(nn.NewScope(2), o).(*Learned)
	for _, axis := range []struct {
		table, m *nn.Param
		to       Axis
	}{{e.RowTable, e.RowMap, folded.AlongRows}, {e.ColTable, e.ColMap, folded.AlongCols}} {
		clear(axis.to.Table.Data) // wider than needed: the rest meets zeros
		clear(axis.to.Key.Data)
		p := axis.table.Shape[1]
		for i, v := range axis.table.Data {
			axis.to.Table.Data[i/p*dim+i%p] = v
		}
		for i, v := range axis.m.Data {
			h, number := i/p/d, i/p
			axis.to.Key.Data[h*dim+i%p] += v * e.ShiftBias.Data[number] / float32(math.Sqrt(d))
		}
	}
	grid := Grid{Rows: 4, Cols: 5}
	got, want := probabilities(t, e, grid), probabilities(t, folded, grid)
	for i := range want {
		if math.Abs(float64(got[i]-want[i])) > 1e-6 {
			t.Fatalf("P[%d] = %v, learned says %v", i, got[i], want[i])
		}
	}
}
