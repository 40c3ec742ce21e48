package model

import (
	"math"
	"testing"
)

// What a Looker says of the first layer is the softmax that the reference has there, and its parts add up to the
// reference's scores but for what is the same for all keys.
func TestLooker(t *testing.T) {
	for name, s := range variants() {
		t.Run(name, func(t *testing.T) {
			net, err := New(s, 1)
			if err != nil {
				t.Fatal(err)
			}
			l, err := NewLooker(net)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			x := pictures(1, s)
			layers, err := l.Of(x)
			if err != nil || len(layers) != s.Layers {
				t.Fatalf("%d layers, %v", len(layers), err)
			}
			p := plain{s, map[string][]float32{}}
			for _, q := range net.Params {
				p.w[q.Name[len("model."):]] = q.Data
			}
			picture := make([]float64, len(x))
			for i, v := range x {
				picture[i] = float64(v)
			}
			tokens, cols := l.Grid.Rows*l.Grid.Cols, l.Grid.Cols
			score := p.scores("encoder.layer.0.attention.self.", p.tokens(picture), cols)
			got := layers[0].Weights(tokens)
			for h := range layers[0].Heads {
				for q := range tokens {
					sum := 0.0
					for k := range tokens {
						sum += math.Exp(score(h, q, k))
					}
					for k := range tokens {
						want, got := math.Exp(score(h, q, k))/sum, float64(got[(h*tokens+q)*tokens+k])
						if math.Abs(got-want) > 2e-6 {
							t.Fatalf("head %d, P[%d,%d] = %.8f, reference %.8f", h, q, k, got, want)
						}
					}
				}
			}
		})
	}
}
