package model

import (
	"math"
	"testing"
)

// What a ScoreReader reads of the first layer is the softmax that the reference has there, and its parts add up to the
// reference's scores but for what is the same for all keys.
func TestScoreReader(t *testing.T) {
	for name, s := range variants() {
		t.Run(name, func(t *testing.T) {
			net, err := New(s, 1)
			if err != nil {
				t.Fatal(err)
			}
			l, err := NewScoreReader(net)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			x := images(1, s)
			layers, err := l.Of(x)
			if err != nil || len(layers) != s.Layers.Depth() {
				t.Fatalf("%d layers, %v", len(layers), err)
			}
			p := oracle{s, map[string][]float32{}}
			for _, q := range net.Params {
				p.w[q.Name[len("model."):]] = q.Data
			}
			tokens := l.Grid.Rows * l.Grid.Cols
			got := layers[0].Weights(tokens)
			for h, wants := range p.attention("encoder.layer.0.attention.self.", layers[0].Heads).Weights(0, p.tokens(float64s(x))) {
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
