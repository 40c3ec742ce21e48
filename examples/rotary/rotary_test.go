package main

import (
	"math"
	"testing"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
	"github.com/attnconv/attnconv/posenc"
)

var testRotation = rotation{Options{Base: 10, Share: 1}, posenc.Grid{Rows: 2, Cols: 3}, 2, 9}

// The gradient of a rotation is that of differences.
func TestRotationGradients(t *testing.T) {
	err := op.CheckGradients(func(in ...*op.Node) *op.Node { return testRotation.of(in[0]) }, nil, op.Shape{2, 6, 18})
	if err != nil {
		t.Error(err)
	}
}

// Two tokens of the same content have a product that depends on the shift between them, and on nothing else: for a pair
// of channels, |u|·|v|·cos of the angle between u and v minus that of the shift.
func TestProductsDependOnShifts(t *testing.T) {
	r := testRotation
	x := make([]float32, 6*18)
	for i := range x {
		x[i] = float32(math.Cos(float64(i%18) * 1.7)) // the same for each token
	}
	var y *nn.Node
	g, err := nn.Build(false, func(g *nn.Graph) { y = r.of(g.Input("x", x, 1, 6, 18)) })
	if err != nil {
		t.Fatal(err)
	}
	f, err := nn.Compile(g, nil, y)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Run(0); err != nil {
		t.Fatal(err)
	}
	turned := nn.Value(y)
	for h := range 2 {
		for q := range 6 {
			for k := range 6 {
				down, right := float64(k/3-q/3), float64(k%3-q%3)
				got, want := 0.0, float64(x[h*9+8]*x[h*9+8])
				for c := range 9 {
					got += float64(turned[q*18+h*9+c]) * float64(turned[k*18+h*9+c])
				}
				// pairs 0, 1 turn with the row, by 1 and 10^(-1/2); pairs 2, 3 with the column
				for i, angle := range []float64{down, down / math.Sqrt(10), right, right / math.Sqrt(10)} {
					u, v := float64(x[h*9+2*i]), float64(x[h*9+2*i+1])
					want += (u*u + v*v) * math.Cos(angle)
				}
				if math.Abs(got-want) > 1e-5 {
					t.Errorf("head %d, query %d, key %d: product %v, want %v", h, q, k, got, want)
				}
			}
		}
	}
}

func TestOptionsRefused(t *testing.T) {
	for _, o := range []Options{{Base: 0.5}, {Base: 10, Share: 2}, {Base: math.NaN()}} {
		if o.Validate() == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}
