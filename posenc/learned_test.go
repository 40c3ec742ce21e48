package posenc

import (
	"math"
	"testing"

	"github.com/attnconv/attnconv/nn"
)

// Golden values: worked out from the reference's formula for one head with vectors of two channels on a 3 × 3 map. Its
// table "row" runs along the columns.
func TestGoldenLearned(t *testing.T) {
	e := NewLearned(nn.NewScope(0), Options{Heads: 1, Dim: 2, MaxSide: 3}).(*Learned)
	e.AlongCols.Table.Data = []float32{.1, -.2, .3, .4, 0, .5, -.6, .2, .7, -.1}
	e.AlongRows.Table.Data = []float32{.2, .2, -.3, .1, .4, 0, .1, -.5, .6, .3}
	e.AlongCols.Key.Data, e.AlongRows.Key.Data = []float32{1, -2}, []float32{0.5, 1.5}
	got := probabilities(t, e, Grid{Rows: 3, Cols: 3})[9:18] // of query (0, 1)
	for k, want := range []float64{0.143913465, 0.087287929, 0.087287929, 0.058510849, 0.035488624, 0.035488624,
		0.249438448, 0.151292066, 0.151292066} {
		if math.Abs(float64(got[k])-want) > 2e-7 {
			t.Errorf("P[%d] = %.9f, want %.9f", k, got[k], want)
		}
	}
}

// A smaller grid uses the middle of the tables, and no shift is mixed up on one that is not square.
func TestLearnedShifts(t *testing.T) {
	e := NewLearned(nn.NewScope(0), Options{Heads: 1, Dim: 1, MaxSide: 7}).(*Learned)
	e.AlongRows.Key.Data, e.AlongCols.Key.Data = []float32{1}, []float32{1}
	clear(e.AlongRows.Table.Data)
	clear(e.AlongCols.Table.Data)
	e.AlongRows.Table.Data[6+1], e.AlongCols.Table.Data[6-2] = 30, 30 // one row down, two columns left
	p := probabilities(t, e, Grid{Rows: 3, Cols: 5})
	q, want := 1*5+3, 2*5+1
	for k, v := range p[q*15 : q*15+15] {
		if (k == want) != (v > 0.99) {
			t.Errorf("P[(1,3), (%d,%d)] = %v", k/5, k%5, v)
		}
	}
}
