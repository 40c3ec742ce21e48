package figures

import (
	"errors"
	"math"
	"testing"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/heads"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/viz"
)

// A map is a distribution over the tokens, and options that do not fit the network are errors that name them.
func TestViews(t *testing.T) {
	spec := model.Default()
	spec.Layers, spec.Heads, spec.Dim, spec.FFN, spec.Pool = model.Equal(2), model.Ints{3}, 12, 16, 8
	net, err := model.New(spec, 0)
	if err != nil {
		t.Fatal(err)
	}
	r, err := heads.NewReader(net)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	views, err := Views(r, nil, ViewOptions{Layers: []int{2}, Queries: [][2]int{{0, 0}, {3, 1}}})
	if err != nil {
		t.Fatal(err)
	}
	if len(views) != 2 || len(views[1].Layers) != 1 || len(views[1].Layers[0].Heads) != 3 {
		t.Fatalf("%d views", len(views))
	}
	for _, m := range views[1].Layers[0].Heads {
		sum := 0.0
		for _, p := range m.Values {
			sum += p
		}
		if len(m.Values) != 16 || math.Abs(sum-1) > 1e-6 {
			t.Errorf("%d values with the sum %v", len(m.Values), sum)
		}
	}
	for _, tt := range []struct {
		key string
		o   ViewOptions
	}{
		{"layers", ViewOptions{Layers: []int{3}}},
		{"query", ViewOptions{Queries: [][2]int{{0, 4}}}},
		{"score", ViewOptions{Part: "content"}}, // which these heads do not have
		{"score", ViewOptions{Part: "color"}},
	} {
		wrong := (*option.Error)(nil)
		if _, err := Views(r, nil, tt.o); !errors.As(err, &wrong) || wrong.Key != tt.key {
			t.Errorf("%+v: %v, want an error for %s", tt.o, err, tt.key)
		}
	}
}

// A summary has the mean, the largest weight and the effective number of tokens of a map.
func TestSummaries(t *testing.T) {
	m := viz.Map{Rows: 2, Cols: 2, Values: []float64{0, 0.25, 0, 0.75}}
	got := Summaries([]viz.View{{Query: [2]int{1, 0}, Layers: []viz.MapLayer{{Number: 4, Heads: []viz.Map{m}}}}})
	tokens := math.Exp(-0.25*math.Log(0.25) - 0.75*math.Log(0.75))
	want := MapSummary{Query: [2]int{1, 0}, Layer: 4, Head: 1, Mean: [2]float64{-0.25, 1}, Peak: 0.75, At: [2]int{0, 1},
		Tokens: tokens}
	if len(got) != 1 || math.Abs(got[0].Tokens-tokens) > 1e-12 {
		t.Fatalf("%+v", got)
	}
	if got[0].Tokens = tokens; got[0] != want {
		t.Errorf("%+v, want %+v", got[0], want)
	}
}
