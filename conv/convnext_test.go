package conv_test

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/nn"
)

// A block of ConvNeXt computes what PyTorch's layers do (testdata/convnext.py), and has the gradients of its loss. It
// begins near the identity.
func TestNeXtBlock(t *testing.T) {
	b, err := os.ReadFile("testdata/convnext.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden map[string][]float32
	if err := json.Unmarshal(b, &golden); err != nil {
		t.Fatal(err)
	}
	const images, rows, cols, dim = 2, 5, 4, 3
	s := nn.NewScope(1)
	block := conv.NewNeXtBlock(s, dim)
	forward := func(g *nn.Graph) *nn.Node {
		return block.Forward(g, g.Input("x", golden["x"], images, rows, cols, dim))
	}
	compare := func(want []float32, within float64) {
		t.Helper()
		got, err := nn.Evaluate(func(g *nn.Graph) []*nn.Node { return []*nn.Node{forward(g)} })
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range want {
			if d := math.Abs(float64(got[0][i] - v)); !(d < within) {
				t.Fatalf("element %d is %v, want %v", i, got[0][i], v)
			}
		}
	}
	compare(golden["x"], 1e-5)
	for _, p := range s.Params() {
		if copied := copy(p.Data, golden[strings.TrimPrefix(p.Name, "model.")]); copied != p.Size() {
			t.Fatalf("%s has %d values, want %d", p.Name, copied, p.Size())
		}
	}
	compare(golden["y"], 3e-6)
	if err := nn.CheckGradients(true, forward); err != nil {
		t.Error(err)
	}
}
