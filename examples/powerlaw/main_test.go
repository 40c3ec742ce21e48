package main

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
)

// encoding returns an encoding of two heads with random parameters.
func encoding() *PowerLaw {
	rng := rand.New(rand.NewPCG(1, 2))
	param := func(name string, shape ...int) *nn.Param {
		p := &nn.Param{Name: name, Shape: shape}
		for range 2 * shape[len(shape)-1] {
			p.Data = append(p.Data, 0.5+rng.Float32())
		}
		return p
	}
	return &PowerLaw{param("centers", 2, 1, 2), param("powers", 2, 1), param("widths", 2, 1)}
}

// The scores of all pairs are those of the formula.
func TestScores(t *testing.T) {
	e, grid := encoding(), posenc.Grid{Rows: 2, Cols: 3}
	var a *nn.Node
	g, err := nn.Build(false, func(g *nn.Graph) { a = e.Scores(g, grid).(posenc.Full).A })
	if err != nil {
		t.Fatal(err)
	}
	f, err := nn.Compile(g, nil, a)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Run(0); err != nil {
		t.Fatal(err)
	}
	for i, got := range nn.Value(a) { // (heads, 6, 6)
		h, q, k := i/36, i/6%6, i%6
		down := float64(k/3-q/3) - float64(e.Center.Data[2*h])
		right := float64(k%3-q%3) - float64(e.Center.Data[2*h+1])
		s := float64(e.Width.Data[h])
		want := -float64(e.Power.Data[h]) * math.Log(1+(down*down+right*right)/(s*s))
		if math.Abs(float64(got)-want) > 1e-5 {
			t.Errorf("head %d, query %d, key %d: %v, want %v", h, q, k, got, want)
		}
	}
}

// Gradients of centers, powers and widths are those of differences.
func TestGradients(t *testing.T) {
	e := encoding()
	if err := nn.CheckGradients(true, func(g *nn.Graph) *nn.Node { return e.ShiftScores(g, 1, 2, 1) }); err != nil {
		t.Error(err)
	}
}
