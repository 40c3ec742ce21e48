package posenc

import (
	"math"
	"testing"

	"github.com/attnconv/attnconv/nn"
)

// Five channels on 2 × 3 tokens: two for the row, three for the column; by hand.
func TestSinusoid(t *testing.T) {
	e := newSinusoid(nn.NewScope(0), Grid{Rows: 2, Cols: 3}, 5).(Sinusoid).E()
	slow := math.Pow(10000, -2.0/3)
	for token, want := range [][]float64{
		0: {0, 1, 0, 1, 0},
		2: {0, 1, math.Sin(2), math.Cos(2), math.Sin(2 * slow)},
		4: {math.Sin(1), math.Cos(1), math.Sin(1), math.Cos(1), math.Sin(slow)},
	} {
		for c, v := range want {
			if got := float64(e[token*5+c]); math.Abs(got-v) > 1e-7 {
				t.Errorf("E[%d,%d] = %v, want %v", token, c, got, v)
			}
		}
	}
}
