package heads

import (
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
)

// A head whose matrix W_h is nought adds nothing: without it the network answers as before.
func TestPruneTakesAHeadAndNothingElse(t *testing.T) {
	for _, encoding := range []string{"quadratic", "quadratic-general"} {
		t.Run(encoding, func(t *testing.T) {
			spec := small()
			spec.Encoding = encoding
			n, err := model.New(spec, 1)
			if err != nil {
				t.Fatal(err)
			}
			gone := map[[2]int]bool{{0, 1}: true, {1, 0}: true, {1, 2}: true}
			for at := range gone {
				blank(n, at[0], at[1])
			}
			pruned, err := Prune(n, func(layer, head int) bool { return gone[[2]int{layer, head}] })
			if err != nil {
				t.Fatal(err)
			}
			if got := pruned.Spec.Heads.String(); got != "2,1" {
				t.Errorf("heads %s, want 2,1", got)
			}
			want, got := answer(t, n), answer(t, pruned)
			for i := range want {
				if d := want[i] - got[i]; d > 1e-5 || d < -1e-5 {
					t.Fatalf("logit %d: %v, want %v", i, got[i], want[i])
				}
			}
			before, _ := n.Heads()
			after, _ := pruned.Heads()
			for i, h := range []posenc.Head{before[0][0], before[0][2], before[1][1]} {
				if now := append(after[0], after[1]...)[i]; now != h {
					t.Errorf("head %d looks at %v, want %v", i, now, h)
				}
			}
		})
	}
}

func TestPruneRefuses(t *testing.T) {
	learned := small()
	learned.Encoding = "learned"
	for _, tt := range []struct {
		name string
		spec model.Spec
		drop func(layer, head int) bool
		want string
	}{
		{"heads without a shape", learned, func(int, int) bool { return false }, "quadratic encodings"},
		{"a whole layer", small(), func(layer, _ int) bool { return layer == 1 }, "layer 2 would have no head left"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n, err := model.New(tt.spec, 1)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Prune(n, tt.drop); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// answer is what a network says to two images.
func answer(t *testing.T, n *model.Network) []float32 {
	t.Helper()
	var logits *nn.Node
	image := n.Spec.Image
	g, err := nn.Build(false, func(g *nn.Graph) {
		logits = n.Forward(g, g.Input("x", images(2, n.Spec), 2, image[0], image[1], image[2]))
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := nn.Compile(g, nil, logits)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Run(0); err != nil {
		t.Fatal(err)
	}
	return slices.Clone(nn.Value(logits))
}

// blank clears the matrix W_h of a head.
func blank(n *model.Network, layer, head int) {
	w := n.Layer.(*attention.Stack).Attention()[layer].Value.W
	in := w.Shape[1] / len(n.Layer.(*attention.Stack).Attention()[layer].Encoding.(posenc.Gaussian).Heads())
	for j := range w.Shape[0] {
		clear(w.Data[j*w.Shape[1]+head*in:][:in])
	}
}
