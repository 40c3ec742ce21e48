package heads

import (
	"testing"

	"github.com/attnconv/attnconv/model"
)

// y = Σ_h seen_h·W_h: the matrices, put side by side again, are the value map's weights.
func TestHeadWeights(t *testing.T) {
	n, err := model.New(small(), 1)
	if err != nil {
		t.Fatal(err)
	}
	const heads, in = 3, 8
	for _, p := range n.Params {
		if p.Name != "model.encoder.layer.1.attention.self.value.weight" {
			continue
		}
		w := Weights(n, 1)
		for k, x := range p.Data {
			j, h, i := k/(heads*in), k/in%heads, k%in
			if w[h][i][j] != float64(x) {
				t.Fatalf("W_%d[%d][%d] = %v, want %v", h+1, i, j, w[h][i][j], x)
			}
		}
	}
	factored := small()
	factored.Value = "factored"
	factored.HeadDim = 4
	if n, err = model.New(factored, 1); err != nil {
		t.Fatal(err)
	}
	if Weights(n, 0) != nil {
		t.Error("heads with values of their own have no one matrix")
	}
}
