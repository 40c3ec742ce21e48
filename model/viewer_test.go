package model

import (
	"math"
	"testing"

	"github.com/attnconv/attnconv/posenc"
)

// What the heads of Gaussian models attend to is the softmax of their exponents over a grid that is not square, from a
// corner and from the middle.
func TestViewer(t *testing.T) {
	for _, encoding := range []string{"quadratic", "quadratic-general"} {
		s := small()
		s.Encoding = encoding
		n, err := New(s, 5)
		if err != nil {
			t.Fatal(err)
		}
		v, err := NewViewer(n)
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		layers, _ := n.Heads()
		for _, query := range [][2]int{{0, v.Grid.Cols - 1}, {v.Grid.Rows / 2, 1}} {
			seen := v.From(query)
			for l, heads := range layers {
				for h, head := range heads {
					want := softmaxOf(head, v.Grid, query)
					for k, p := range seen[l][h] {
						if math.Abs(p-want[k]) > 1e-6 {
							t.Fatalf("%s, query %v, layer %d, head %d, token %d: %.7f, want %.7f",
								encoding, query, l+1, h+1, k, p, want[k])
						}
					}
				}
			}
		}
	}
}

func softmaxOf(h posenc.Head, grid posenc.Grid, query [2]int) []float64 {
	p, sum := make([]float64, grid.Rows*grid.Cols), 0.0
	for k := range p {
		d := [2]float64{float64(k/grid.Cols-query[0]) - h.Center[0], float64(k%grid.Cols-query[1]) - h.Center[1]}
		q := h.Precision
		p[k] = math.Exp(-(d[0]*d[0]*q[0][0] + 2*d[0]*d[1]*q[0][1] + d[1]*d[1]*q[1][1]) / 2)
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
	return p
}

// y = Σ_h seen_h·W_h: the matrices, put side by side again, are the value map's weights.
func TestHeadWeights(t *testing.T) {
	n, err := New(small(), 1)
	if err != nil {
		t.Fatal(err)
	}
	heads, in, out := 3, 8, 8
	for _, p := range n.Params {
		if p.Name != "model.encoder.layer.1.attention.self.value.weight" {
			continue
		}
		w := n.HeadWeights(1)
		for k, x := range p.Data {
			j, h, i := k/(heads*in), k/in%heads, k%in
			if w[h][i][j] != float64(x) {
				t.Fatalf("W_%d[%d][%d] = %v, want %v (of %d × %d)", h+1, i, j, w[h][i][j], x, out, heads*in)
			}
		}
	}
}
