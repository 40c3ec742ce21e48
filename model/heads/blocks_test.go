package heads

import (
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/model"
)

// behind is a network of a block of that kind and one with Gaussian heads behind it.
func behind(t *testing.T, kind string) *model.Network {
	t.Helper()
	s := model.Default()
	s.Layers, s.Heads, s.Dim, s.FFN, s.Image = model.Layers{{Kind: kind}, {}}, model.Ints{4}, 8, 12, [3]int{8, 8, 3}
	net, err := model.New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	return net
}

// Blocks without heads are named where heads are asked for, have parameters by name, and stay where others are pruned.
func TestBlocksWithoutHeads(t *testing.T) {
	for _, kind := range model.Blocks {
		if kind.Name == "attention" {
			continue
		}
		alone := model.Default()
		alone.Layers = model.Layers{{Kind: kind.Name, Repeat: 2}}
		if err := alone.CheckFreeze([]string{"heads"}); err == nil ||
			!strings.Contains(err.Error(), "no block of this network has heads; in the first, "+kind.Freeze) {
			t.Errorf("%s by itself: %v", kind.Name, err)
		}
		net := behind(t, kind.Name)
		if err := Freeze(net, []string{"heads:1"}); err == nil || !strings.Contains(err.Error(), kind.Help) {
			t.Errorf("%s: %v, want an error that says what layer 1 is", kind.Name, err)
		}
		_, pattern, _ := strings.Cut(kind.Freeze, " are ")
		if err := Freeze(net, []string{pattern, "heads"}); err != nil {
			t.Errorf("%s: %v", kind.Name, err)
		}
		small, err := Prune(net, func(layer, head int) bool { return head == 2 })
		if err != nil {
			t.Fatalf("%s: %v", kind.Name, err)
		}
		if got := small.Spec.Blocks(); got[0].Heads != 4 || got[1].Heads != 3 {
			t.Errorf("%s: %d and %d heads, want 4 and 3", kind.Name, got[0].Heads, got[1].Heads)
		}
		for i, p := range small.Params {
			if strings.Contains(p.Name, "layer.0.") && !slices.Equal(p.Data, net.Params[i].Data) {
				t.Errorf("%s: pruning changes %s", kind.Name, p.Name)
			}
		}
	}
}
