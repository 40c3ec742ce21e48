package viz

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"testing"
)

// profiles returns the map of a position-only head: the product of a softmax along rows and one along columns.
func profiles(rows, cols int, query [2]int, rng *rand.Rand) Map {
	axis := func(n, at int) []float64 {
		p, sum := make([]float64, n), 0.0
		center, sharp := float64(at)+2*rng.NormFloat64(), math.Exp(2*rng.NormFloat64()-1)
		for i := range p {
			p[i] = math.Exp(-sharp*(float64(i)-center)*(float64(i)-center) + 0.5*rng.NormFloat64())
			sum += p[i]
		}
		for i := range p {
			p[i] /= sum
		}
		return p
	}
	r, c := axis(rows, query[0]), axis(cols, query[1])
	m := Map{Rows: rows, Cols: cols}
	for i := range rows * cols {
		m.Values = append(m.Values, r[i/cols]*c[i%cols])
	}
	return m
}

// view returns random maps of three layers of five heads.
func view(rows, cols int, query [2]int) View {
	rng := rand.New(rand.NewPCG(9, 9))
	v := View{Query: query}
	for l := range 3 {
		layer := MapLayer{Number: l + 1}
		for range 5 {
			layer.Heads = append(layer.Heads, profiles(rows, cols, query, rng))
		}
		v.Layers = append(v.Layers, layer)
	}
	return v
}

// disc returns an image of 32 × 32 pixels.
func disc() image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, 32, 32))
	for i := range 32 * 32 {
		x, y := i%32, i/32
		col := color.NRGBA{uint8(90 + 3*y), uint8(140 + 2*y), 220, 255}
		if (x-20)*(x-20)+(y-12)*(y-12) < 60 {
			col = color.NRGBA{240, uint8(160 - 3*y), 40, 255}
		}
		img.SetNRGBA(x, y, col)
	}
	return img
}

func drawn(t testing.TB, views []View, o MapsOptions) *Figure {
	t.Helper()
	f, err := Maps(views, o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestMapsLookAsBefore(t *testing.T) {
	withImage := view(8, 8, [2]int{2, 5})
	withImage.Image, withImage.Title = disc(), "query (2, 5)"
	scores := view(8, 8, [2]int{4, 4})
	for _, l := range scores.Layers {
		for _, m := range l.Heads {
			for i, p := range m.Values {
				m.Values[i] = math.Log(p)
			}
		}
	}
	for _, tt := range []struct {
		name  string
		views []View
		o     MapsOptions
	}{
		{"maps", []View{view(16, 16, [2]int{8, 8}), view(16, 16, [2]int{3, 12})}, MapsOptions{Sort: "peak"}},
		{"zoom", []View{view(16, 16, [2]int{1, 14})}, MapsOptions{Zoom: 7, Sort: "center"}},
		{"with_image", []View{withImage}, MapsOptions{}},
		{"overlay", []View{withImage}, MapsOptions{Overlay: true}},
		{"scores", []View{scores}, MapsOptions{Scores: true}},
		{"wide", []View{view(4, 10, [2]int{3, 9})}, MapsOptions{}},
	} {
		looksAsBefore(t, tt.name, drawn(t, tt.views, tt.o))
	}
}

func TestOrder(t *testing.T) {
	query := [2]int{1, 1}
	heads := []Map{
		{3, 3, []float64{.2, .1, .1, .1, .1, .1, .1, .1, .1}}, // nearly uniform
		{3, 3, []float64{0, 0, 0, 0, 0, 0, 0, 0, 1}},          // one token, far
		{3, 3, []float64{0, 0, 0, 0, .5, .5, 0, 0, 0}},        // two tokens, half a token away
	}
	for sort, want := range map[string]string{"": "[0 1 2]", "number": "[0 1 2]", "center": "[0 2 1]",
		"peak": "[1 2 0]"} {
		o := MapsOptions{Sort: sort}
		if got := fmt.Sprint(o.order(heads, query)); got != want {
			t.Errorf("by %q: %s, want %s", sort, got, want)
		}
	}
}

func TestMapsRefuses(t *testing.T) {
	good := view(4, 4, [2]int{1, 1})
	outside, short := view(4, 4, [2]int{1, 1}), view(4, 4, [2]int{1, 1})
	outside.Query = [2]int{4, 0}
	short.Layers[1].Heads[2].Values = short.Layers[1].Heads[2].Values[:15]
	for _, tt := range []struct {
		name string
		v    View
		o    MapsOptions
	}{
		{"no layers", View{}, MapsOptions{}},
		{"even zoom", good, MapsOptions{Zoom: 6}},
		{"unknown order", good, MapsOptions{Sort: "name"}},
		{"query outside", outside, MapsOptions{}},
		{"too few values", short, MapsOptions{}},
	} {
		if _, err := Maps([]View{tt.v}, tt.o); err == nil {
			t.Errorf("%s: want an error", tt.name)
		}
	}
}

// One head of one layer that attends mostly to the query's right neighbor.
func ExampleMaps() {
	f, err := Maps([]View{{
		Query: [2]int{1, 1},
		Layers: []MapLayer{{Number: 1, Heads: []Map{
			{Rows: 3, Cols: 3, Values: []float64{.02, .02, .02, .02, .02, .84, .02, .02, .02}},
		}}},
	}}, MapsOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Alt)
	// Output: Maps of how much each head attends to every token. Query (1, 1): layer 1, 1 heads.
}
