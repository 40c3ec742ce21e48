package posenc

import (
	"math"
	"testing"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
)

// probabilities returns the softmax of e's first head on grid as a T × T map.
func probabilities(t *testing.T, e Encoding, grid Grid) []float32 {
	t.Helper()
	var row, col, full *nn.Node
	g, err := nn.Build(false, func(g *nn.Graph) {
		switch s := e.Scores(g, grid).(type) {
		case Separable:
			row, col = op.Softmax(s.Row), op.Softmax(s.Col)
		case Full:
			full = op.Softmax(s.A)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := nn.Compile(g, nil, row, col, full)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Run(0); err != nil {
		t.Fatal(err)
	}
	if full != nil {
		return nn.Value(full)
	}
	n := grid.Rows * grid.Cols
	p := make([]float32, n*n)
	for i := range p {
		q, k := i/n, i%n
		p[i] = nn.Value(row)[q/grid.Cols*grid.Rows+k/grid.Cols] * nn.Value(col)[q%grid.Cols*grid.Cols+k%grid.Cols]
	}
	return p
}

// Golden values: worked out from the reference's formulas for one head on a 3 × 3 map.
func TestGoldenProbabilities(t *testing.T) {
	isotropic := NewQuadratic(nn.NewScope(0), 1).(*Quadratic)
	isotropic.Center.Data, isotropic.Spread.Data = []float32{0.5, -1}, []float32{0.8}
	general := newQuadraticGeneral(nn.NewScope(0), 1).(*QuadraticGeneral)
	general.Center.Data, general.Root.Data = []float32{0.5, -1}, []float32{1, 0.5, 0.2, 0.8}
	round := newQuadraticGeneral(nn.NewScope(0), 1).(*QuadraticGeneral)
	round.Center.Data, round.Root.Data = []float32{0.5, -1}, []float32{0.8, 0, 0, 0.8}
	wantIsotropic := []float64{0.104101728, 0.075593370, 0.028944163, 0.197426937, 0.143361380, 0.054892053,
		0.197426937, 0.143361380, 0.054892053}
	for _, tt := range []struct {
		name     string
		e        Encoding
		row, col int // of the query
		want     []float64
	}{
		{"isotropic", isotropic, 1, 1, wantIsotropic},
		{"isotropic as a case of general", round, 1, 1, wantIsotropic},
		{"general", general, 0, 2, []float64{0.090179320, 0.171023357, 0.164317435, 0.164317435, 0.171023357,
			0.090179320,
			0.085781223, 0.048999012, 0.014179541}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := probabilities(t, tt.e, Grid{Rows: 3, Cols: 3})[(tt.row*3+tt.col)*9:][:9]
			for k, want := range tt.want {
				if math.Abs(float64(p[k])-want) > 2e-7 {
					t.Errorf("P[%d] = %.9f, want %.9f", k, p[k], want)
				}
			}
		})
	}
}

func TestHeads(t *testing.T) {
	e := newQuadraticGeneral(nn.NewScope(0), 1).(*QuadraticGeneral)
	e.Root.Data = []float32{1, 0.5, 0.2, 0.8}
	want := [2][2]float64{{1.25, 0.6}, {0.6, 0.68}} // S·Sᵀ; Sᵀ·S would be 1.04, 0.66, 0.89
	for i, row := range e.Heads()[0].Precision {
		for j, got := range row {
			if math.Abs(got-want[i][j]) > 1e-7 {
				t.Errorf("precision[%d][%d] = %v, want %v", i, j, got, want[i][j])
			}
		}
	}
}

// Rows and columns must not be mixed up on a grid that is not square.
func TestRectangularGrid(t *testing.T) {
	e := NewQuadratic(nn.NewScope(0), 1).(*Quadratic)
	e.Center.Data, e.Spread.Data = []float32{1, -2}, []float32{9}
	grid := Grid{Rows: 3, Cols: 5}
	p := probabilities(t, e, grid)
	q, want := 1*5+3, 2*5+1 // from (1, 3), one row down and two columns left is (2, 1)
	for k, v := range p[q*15 : q*15+15] {
		if (k == want) != (v > 0.99) {
			t.Errorf("P[(1,3), (%d,%d)] = %v", k/5, k%5, v)
		}
	}
}
