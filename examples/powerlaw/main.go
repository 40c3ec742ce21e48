// Command powerlaw is attnconv with heads whose weights fall with a power of the distance from their center.
package main

import (
	"context"
	"os"

	"github.com/attnconv/attnconv/cmd"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
	"github.com/attnconv/attnconv/posenc"
)

// PowerLaw is the score A[h,δ] = -p_h·log(1 + ‖δ - Δ_h‖²/s_h²) of a shift δ = k - q, in tokens.
type PowerLaw struct{ Center, Power, Width *nn.Param } // Δ (heads, 1, 2), p and s (heads, 1)

func newPowerLaw(s nn.Scope, o posenc.Options) posenc.Encoding {
	return &PowerLaw{s.Param("centers", nn.Normal(0, 2), o.Heads, 1, 2),
		s.Param("powers", nn.Normal(2, 0.01), o.Heads, 1), s.Param("widths", nn.Normal(1, 0.01), o.Heads, 1)}
}

func (e *PowerLaw) ShiftScores(g *nn.Graph, rows, cols int, unit float64) *nn.Node { // A (heads, shifts)
	var shifts []float32 // (shifts, 2)
	for i := range (2*rows + 1) * (2*cols + 1) {
		row, col := i/(2*cols+1)-rows, i%(2*cols+1)-cols
		shifts = append(shifts, float32(unit*float64(row)), float32(unit*float64(col)))
	}
	apart, width := op.Sub(g.Constant(shifts, len(shifts)/2, 2), g.Use(e.Center)), g.Use(e.Width)
	far := op.Div(op.Sum(op.Mul(apart, apart), 2), op.Mul(width, width))
	return op.Mul(op.Scale(g.Use(e.Power), -1), op.Log(op.Add(far, g.Constant([]float32{1}))))
}

func (e *PowerLaw) Scores(g *nn.Graph, grid posenc.Grid) posenc.Scores {
	return posenc.Full{A: op.ShiftMap(e.ShiftScores(g, grid.Rows-1, grid.Cols-1, 1), grid.Rows, grid.Cols)}
}

func main() {
	posenc.Register(posenc.Kind{Name: "powerlaw", Help: "weights fall with a power of the distance", New: newPowerLaw})
	os.Exit(cmd.Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
