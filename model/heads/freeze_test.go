package heads

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/option"
)

// frozenIn lists the parameters of which not all moves, and how many of their elements do.
func frozenIn(net *model.Network) map[string]int {
	found := map[string]int{}
	for _, p := range net.Params {
		n := 0
		for _, r := range p.Moving() {
			n += r[1] - r[0]
		}
		if n < len(p.Data) && p.Group != nn.Statistic {
			found[strings.TrimPrefix(p.Name, "model.")] = n
		}
	}
	return found
}

func TestFreeze(t *testing.T) {
	self := func(layer string) string { return "encoder.layer." + layer + ".attention.self.attention_" }
	for _, tt := range []struct {
		items []string
		want  map[string]int
	}{
		{nil, map[string]int{}},
		{[]string{"heads"}, map[string]int{self("0") + "centers": 0, self("0") + "spreads": 0, self("1") + "centers": 0,
			self("1") + "spreads": 0}},
		{[]string{"heads:2"}, map[string]int{self("1") + "centers": 0, self("1") + "spreads": 0}},
		{[]string{"heads:1.2", "heads:1.3"}, map[string]int{self("0") + "centers": 2, self("0") + "spreads": 1}},
		{[]string{"heads:1.1", "heads:1"}, map[string]int{self("0") + "centers": 0, self("0") + "spreads": 0}},
		{[]string{"centers"}, map[string]int{self("0") + "centers": 0, self("1") + "centers": 0}},
		{[]string{"widths"}, map[string]int{self("0") + "spreads": 0, self("1") + "spreads": 0}},
		{[]string{"widths:1", "centers:2.3"}, map[string]int{self("0") + "spreads": 0, self("1") + "centers": 4}},
		{[]string{"centers:1", "widths:1"}, map[string]int{self("0") + "centers": 0, self("0") + "spreads": 0}},
		{[]string{"classifier.*"}, map[string]int{"classifier.weight": 0, "classifier.bias": 0}},
	} {
		net, err := model.New(small(), 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := Freeze(net, tt.items); err != nil {
			t.Errorf("%v: %v", tt.items, err)
		}
		got := frozenIn(net)
		if len(got) != len(tt.want) {
			t.Errorf("%v freezes %v, want %v", tt.items, got, tt.want)
		}
		for name, n := range tt.want {
			if moving, ok := got[name]; !ok || moving != n {
				t.Errorf("%v: %d elements of %s move, want %d", tt.items, moving, name, n)
			}
		}
	}
}

// The heads of an encoding that shares its tables freeze by layers, all that says where they look and no values.
func TestFreezeTables(t *testing.T) {
	for _, encoding := range []string{"learned", "content", "relative", "content-only"} {
		s := small()
		s.Encoding = encoding
		net, err := model.New(s, 1)
		if err == nil {
			err = Freeze(net, []string{"heads:1"})
		}
		if err != nil {
			t.Fatal(err)
		}
		got := frozenIn(net)
		if len(got) == 0 {
			t.Errorf("%s: nothing is frozen", encoding)
		}
		for name := range got {
			if !strings.HasPrefix(name, "encoder.layer.0.attention.self.") || strings.Contains(name, "value") {
				t.Errorf("%s: %s is frozen", encoding, name)
			}
		}
	}
}

// The widths of general heads are all four entries of their roots. A layer of another encoding has none.
func TestFreezePartsOfGeneral(t *testing.T) {
	s := small()
	s.Encoding = "quadratic-general"
	s.Layers = model.Layers{{}, {Own: map[string]any{"encoding": "learned"}}}
	for item, want := range map[string]map[string]int{
		"widths":      {"encoder.layer.0.attention.self.attention_spreads": 0},
		"centers":     {"encoder.layer.0.attention.self.attention_centers": 0},
		"widths:1.2":  {"encoder.layer.0.attention.self.attention_spreads": 8},
		"centers:1.2": {"encoder.layer.0.attention.self.attention_centers": 4},
	} {
		net, err := model.New(s, 1)
		if err == nil {
			err = Freeze(net, []string{item})
		}
		if got := frozenIn(net); err != nil || !maps.Equal(got, want) {
			t.Errorf("%s freezes %v, %v; want %v", item, got, err, want)
		}
	}
	const want = "heads of encoding learned have no center and no width"
	if err := s.CheckFreeze([]string{"centers:2"}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("centers:2: %v, want %q", err, want)
	}
	if _, err := s.ParseSurgery("freeze centers:1"); err == nil || !strings.Contains(err.Error(), "want heads") {
		t.Errorf("surgery freezes centers: %v", err)
	}
}

func TestFreezeRefused(t *testing.T) {
	for _, tt := range []struct{ kind, encoding, item, want string }{
		{"mhsa", "quadratic", "heads:3", "with layers 1 to 2"},
		{"mhsa", "quadratic", "heads:0", "with layers 1 to 2"},
		{"mhsa", "quadratic", "heads:1.4", "layer 1 has heads 1 to 3"},
		{"mhsa", "quadratic", "heads:1.x", "layer 1 has heads 1 to 3"},
		{"mhsa", "learned", "heads:1.2", "share parameters"},
		{"mhsa", "quadratic", "centers:3", "want centers:LAYER or centers:LAYER.HEAD, with layers 1 to 2"},
		{"mhsa", "quadratic", "widths:1.4", "layer 1 has heads 1 to 3"},
		{"mhsa", "quadratic-free", "centers", "no block of this network has Gaussian heads"},
		{"mhsa", "learned", "widths:1", "no block of this network has Gaussian heads"},
		{"conv-twin", "quadratic", "widths", "a conv-twin has no heads; its convolutions are"},
		{"mhsa", "quadratic", "head", "no parameter has such a name; one is features_upscale.weight"},
		{"mhsa", "quadratic", "", "want heads, heads:LAYER"},
		{"mhsa", "quadratic", "[", "want heads, heads:LAYER"},
		{"resnet18", "quadratic", "heads", "a resnet18 has no heads"},
		{"conv-twin", "quadratic", "heads", "a conv-twin has no heads; its convolutions are"},
	} {
		s := small()
		s.Kind, s.Encoding = tt.kind, tt.encoding
		if tt.kind == "conv-twin" {
			s.Heads = model.Ints{4}
		}
		net, err := model.New(s, 1)
		if err != nil {
			t.Fatal(err)
		}
		var bad *option.Error
		if err := Freeze(net, []string{tt.item}); !errors.As(err, &bad) || bad.Key != "train.freeze" ||
			!strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %s, %q: %v; want an error with %q", tt.kind, tt.encoding, tt.item, err, tt.want)
		}
	}
}
