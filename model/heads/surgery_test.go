package heads

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/posenc/geometry"
	"github.com/attnconv/attnconv/run/event"
)

func network(t *testing.T, change func(*model.Spec)) *model.Network {
	t.Helper()
	s := small()
	if change != nil {
		change(&s)
	}
	n, err := model.New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func operation(t *testing.T, n *model.Network, text string) model.Surgery {
	t.Helper()
	o, err := n.Spec.ParseSurgery(text)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// put moves head h of layer l, both from 1.
func put(n *model.Network, l, h int, head posenc.Head) {
	n.Attention()[l-1].Encoding.(posenc.Gaussian).Put(h-1, head)
}

// Each rule finds the heads that were made for it, and no others.
func TestRules(t *testing.T) {
	lossOf := map[At]float64{{1, 1}: 3, {1, 2}: 0.5, {1, 3}: 2, {2, 1}: 0.5, {2, 2}: 1, {2, 3}: 9}
	for _, tt := range []struct {
		which string
		make  func(n *model.Network)
		want  []At
	}{
		{"heads:degenerate", func(n *model.Network) {
			put(n, 1, 2, geometry.Isotropic([2]float64{}, 4e-6))
		}, []At{{1, 2}}},
		{"heads:uniform", func(n *model.Network) { put(n, 1, 2, geometry.Isotropic([2]float64{}, 1e-4)) },
			[]At{{1, 2}}},
		{"heads:outside", func(n *model.Network) {
			put(n, 1, 3, geometry.Isotropic([2]float64{0, 5.6}, 1)) // 6 columns
			put(n, 2, 1, geometry.Isotropic([2]float64{0, 5.4}, 1))
			put(n, 2, 3, geometry.Isotropic([2]float64{-3.6, 0}, 1)) // 4 rows
		}, []At{{1, 3}, {2, 3}}},
		{"heads:duplicate", func(n *model.Network) {
			for h := range 3 {
				put(n, 1, h+1, geometry.Isotropic([2]float64{1, 0}, 1))
			}
			put(n, 2, 1, geometry.Isotropic([2]float64{0, 1}, 1))
			put(n, 2, 2, geometry.Isotropic([2]float64{0, -1}, 1))
			put(n, 2, 3, geometry.Isotropic([2]float64{0, -1.02}, 1))
		}, []At{{1, 2}, {1, 3}, {2, 3}}},
		{"heads:silent", func(n *model.Network) { blank(n, 1, 0) }, []At{{2, 1}}},
		{"heads:least*2", func(*model.Network) {}, []At{{1, 2}, {2, 1}}},
		{"heads:least*99", func(*model.Network) {}, []At{{1, 1}, {1, 2}, {1, 3}, {2, 1}, {2, 2}, {2, 3}}},
		{"heads:least*2", func(n *model.Network) {
			for h := range 3 {
				blank(n, 0, h)
				blank(n, 1, h)
			}
		}, nil},
		{"heads", func(*model.Network) {}, []At{{1, 1}, {1, 2}, {1, 3}, {2, 1}, {2, 2}, {2, 3}}},
		{"heads:2", func(*model.Network) {}, []At{{2, 1}, {2, 2}, {2, 3}}},
		{"heads:2.3", func(*model.Network) {}, []At{{2, 3}}},
	} {
		n := network(t, nil)
		for l := range 2 { // nothing is found in these
			for h := range 3 {
				put(n, l+1, h+1, geometry.Isotropic([2]float64{float64(h), 0}, 2))
			}
		}
		e := &Evidence{Loss: func() (float64, error) { // that of the head without weights
			for at, loss := range lossOf {
				w, in := n.Attention()[at[0]-1].Value.W, n.Spec.Dim
				zero := true
				for row := range n.Spec.Dim {
					for i := range in {
						zero = zero && w.Data[row*3*in+(at[1]-1)*in+i] == 0
					}
				}
				if zero {
					return loss, nil
				}
			}
			return 0, errors.New("no head is silent")
		}}
		tt.make(n)
		before := slices.Clone(n.Attention()[0].Value.W.Data)
		got, err := Find(operation(t, n, "prune "+tt.which), n, e)
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s finds %v, %v; want %v", tt.which, got, err, tt.want)
		}
		if !slices.Equal(n.Attention()[0].Value.W.Data, before) {
			t.Errorf("%s changes the network", tt.which)
		}
	}
}

// Maps are compared for any encoding, and on images where attention depends on them.
func TestRulesOfMaps(t *testing.T) {
	for _, encoding := range []string{"learned", "table", "content-only"} {
		n := network(t, func(s *model.Spec) { s.Encoding, s.Value = encoding, "combined" })
		for _, p := range n.Params { // no two heads are alike
			if _, own, ok := mixerParam(p.Name); ok && !strings.HasPrefix(own, "value.") {
				for i := range p.Data {
					p.Data[i] = 3 * float32(math.Sin(float64(7*i*i+len(own))))
				}
			}
		}
		images := images(3, n.Spec)
		e := &Evidence{}
		for size := len(images) / 3; len(images) > 0; images = images[size:] {
			e.Images = append(e.Images, images[:size])
		}
		for _, which := range []string{"heads:uniform", "heads:duplicate"} {
			if got, err := Find(operation(t, n, "prune "+which), n, e); err != nil || len(got) > 0 {
				t.Errorf("%s: %s finds %v, %v", encoding, which, got, err)
			}
		}
		for _, s := range places2(n, At{2, 3}) { // scores that do not depend on the key
			clear(s.Param.Data[s.Lo:s.Hi])
		}
		got, err := Find(operation(t, n, "prune heads:uniform"), n, e)
		if err != nil || !slices.Equal(got, []At{{2, 3}}) {
			t.Errorf("%s: %v are uniform, %v; want 2.3", encoding, got, err)
		}
	}
}

// places2 are the rows of a head in parameters that have some for each head.
func places2(n *model.Network, at At) (spans []nn.Span) {
	for _, p := range n.Params {
		layer, own, ok := mixerParam(p.Name)
		if ok && layer == at[0]-1 && (strings.HasPrefix(own, "query.") || strings.HasPrefix(own, "head_keys") ||
			own == "relative_position_bias_table") {
			size := len(p.Data) / 3
			spans = append(spans, nn.Span{Param: p, Lo: (at[1] - 1) * size, Hi: at[1] * size})
		}
	}
	return spans
}

// A pruned head computes what the smaller network without it computes, and neither its values nor its place move.
func TestPruneInPlace(t *testing.T) {
	n := network(t, nil)
	smaller, err := Prune(n, func(layer, head int) bool { return layer == 1 && head == 2 })
	if err != nil {
		t.Fatal(err)
	}
	want, full := answer(t, smaller), answer(t, n)
	at := []At{{2, 3}}
	Operate("prune", n, n, at)
	Hold("prune", n, at)
	got := answer(t, n)
	for i := range want {
		if math.Abs(float64(got[i]-want[i])) > 1e-5 {
			t.Fatalf("logit %d: %v, want %v", i, got[i], want[i])
		}
	}
	if slices.Equal(full, got) {
		t.Error("nothing has changed")
	}
	changed := 0
	for i, p := range network(t, nil).Params {
		for j, v := range p.Data {
			if v != n.Params[i].Data[j] {
				changed++
			}
		}
	}
	still := frozenIn(n)
	if moves := still["encoder.layer.1.attention.self.value.weight"]; len(still) != 1 || moves != 128 || changed != 64 {
		t.Errorf("%d elements changed, and what moves is %v; want 128 of the values", changed, still)
	}
}

// Own values of a pruned head are zero with their bias: the columns of the map behind them count for nothing.
func TestPruneOwnValues(t *testing.T) {
	for _, encoding := range []string{"quadratic", "content-only"} {
		n := network(t, func(s *model.Spec) { s.Encoding, s.Value, s.HeadDim = encoding, "factored", 5 })
		for _, p := range n.Params {
			for i := range p.Data {
				p.Data[i] += 0.1
			}
		}
		other := network(t, func(s *model.Spec) { s.Encoding, s.Value, s.HeadDim = encoding, "factored", 5 })
		for i, p := range n.Params {
			copy(other.Params[i].Data, p.Data)
			if strings.HasSuffix(p.Name, "layer.0.attention.output.dense.weight") {
				for j := range other.Params[i].Data {
					if j%15/5 == 1 {
						other.Params[i].Data[j] = 0
					}
				}
			}
		}
		Operate("prune", n, n, []At{{1, 2}})
		want := answer(t, other)
		for i, v := range answer(t, n) {
			if math.Abs(float64(v-want[i])) > 1e-5 {
				t.Fatalf("%s: logit %d: %v, want %v", encoding, i, v, want[i])
			}
		}
	}
}

// A reset head has its initial weights again, and no other weight changes.
func TestReset(t *testing.T) {
	for text, count := range map[string]int{"reset heads:1.2": 8*8 + 2 + 1, "reset heads:1": 3 * (8*8 + 2 + 1)} {
		n, fresh := network(t, nil), network(t, nil)
		for _, p := range n.Params {
			for i := range p.Data {
				p.Data[i]++
			}
		}
		o := operation(t, n, text)
		found, err := Find(o, n, nil)
		if err != nil {
			t.Fatal(err)
		}
		changed, equal := 0, 0
		Operate(o.Operation, n, fresh, found)
		for i, p := range n.Params {
			for j, v := range p.Data {
				if v == fresh.Params[i].Data[j] {
					equal++
				}
				if v != fresh.Params[i].Data[j]+1 {
					changed++
				}
			}
		}
		Hold(o.Operation, n, found)
		if changed != count || equal != count || len(frozenIn(n)) > 0 {
			t.Errorf("%s: %d elements changed, %d are the initial ones, frozen %v; want %d and nothing", text, changed,
				equal, frozenIn(n), count)
		}
	}
}

// A frozen head stays where it attends, with its gate and its queries, and its values learn.
func TestFreezeOperation(t *testing.T) {
	n := network(t, func(s *model.Spec) { s.Content = "gate" })
	Hold("freeze", n, []At{{2, 1}})
	self := "encoder.layer.1.attention.self."
	for name, moves := range frozenIn(n) {
		own, ok := strings.CutPrefix(name, self)
		if !ok || strings.HasPrefix(own, "value") {
			t.Errorf("%s is frozen", name)
		}
		for _, p := range n.Params {
			if strings.HasSuffix(p.Name, name) && 3*moves != 2*len(p.Data) {
				t.Errorf("%d of %d elements of %s move, want two thirds", moves, len(p.Data), name)
			}
		}
	}
	if got := len(frozenIn(n)); got != 7 { // centers, spreads, queries and keys with their biases, and the gate
		t.Errorf("%d parameters are frozen, want 7", got)
	}
}

// Every rule and every operation that a setting can name has its function.
func TestSurgeryIsWhole(t *testing.T) {
	for _, r := range model.HeadRules {
		if rules[r.Name] == nil {
			t.Errorf("rule %s finds no heads", r.Name)
		}
	}
	for _, k := range model.Operations {
		if changes[k.Name] == nil && fixed[k.Name] == nil {
			t.Errorf("%s does nothing", k.Name)
		}
	}
	if len(rules) != len(model.HeadRules) {
		t.Errorf("%d rules have a name, and %d a function", len(model.HeadRules), len(rules))
	}
}

func TestParseSurgery(t *testing.T) {
	good := `[{"epoch":1,"step":4,"operation":"prune","which":"heads:uniform","heads":[[1,3],[2,1]]}]`
	all, err := ParseSurgery(small(), good)
	want := event.Surgery{Epoch: 1, Step: 4, Operation: "prune", Which: "heads:uniform", Heads: [][2]int{{1, 3}, {2,
		1}}}
	if err != nil || len(all) != 1 || fmt.Sprint(all[0]) != fmt.Sprint(want) ||
		fmt.Sprint(all[0].Heads) != "[[1 3] [2 1]]" {
		t.Errorf("%+v, %v", all, err)
	}
	for _, bad := range []string{"{", `[{"operation":"burn"}]`, strings.ReplaceAll(good, "[1,3]", "[1,4]"),
		strings.ReplaceAll(good, "[1,3]", "[0,1]"), strings.ReplaceAll(good, "[1,3]", "[3,1]"),
		strings.ReplaceAll(good, "[1,3]", "[1,-1]")} {
		if _, err := ParseSurgery(small(), bad); err == nil {
			t.Errorf("%s is read", bad)
		}
	}
}
