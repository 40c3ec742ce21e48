package model_test

import (
	"math"
	"testing"

	"github.com/attnconv/attnconv/heads"
	"github.com/attnconv/attnconv/model"
)

// What a Reader reads of the first layer is the softmax that the reference has there, and its parts add up to the
// reference's scores but for what is the same for all keys.
func TestReader(t *testing.T) {
	for name, s := range model.Variants() {
		t.Run(name, func(t *testing.T) {
			net, err := model.New(s, 1)
			if err != nil {
				t.Fatal(err)
			}
			l, err := heads.NewReader(net)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			x := model.Images(1, s)
			layers, err := l.Of(x)
			if err != nil || len(layers) != s.Layers.Count() {
				t.Fatalf("%d layers, %v", len(layers), err)
			}
			tokens := l.Grid.Rows * l.Grid.Cols
			got := layers[0].Weights()
			for h, wants := range model.ReferenceWeights(net, layers[0].Heads, x) {
				for q, row := range wants {
					for k, want := range row {
						if got := float64(got[(h*tokens+q)*tokens+k]); math.Abs(got-want) > 2e-6 {
							t.Fatalf("head %d, P[%d,%d] = %.8f, reference %.8f", h, q, k, got, want)
						}
					}
				}
			}
		})
	}
}
