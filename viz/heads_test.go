package viz

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"gonum.org/v1/plot/cmpimg"
)

// figure is layers of all kinds of heads: round, long, outside of the frame, uniform.
func figure(t testing.TB) *Figure {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	layers := []Layer{{Number: 1}, {Number: 2}}
	for range 9 {
		h := round(0.5 + rng.Float64())
		h.Center = [2]float64{2 * rng.NormFloat64(), 2 * rng.NormFloat64()}
		layers[0].Heads = append(layers[0].Heads, h)
	}
	layers[1].Heads = []Head{golden, round(1e-7), round(0.05), {Center: [2]float64{12, -3}, Precision: round(1).Precision}}
	f, err := Heads(layers, HeadsOptions{Width: 14})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestHeadsLookAsBefore(t *testing.T) { looksAsBefore(t, "heads", figure(t)) }

// looksAsBefore compares a figure with a golden one. It may differ in what fonts and rounding leave open, and no more.
// UPDATE_GOLDEN=1 accepts a new one: look at it first.
func looksAsBefore(t *testing.T, name string, f *Figure) {
	t.Helper()
	path := "testdata/" + name + "_golden.png"
	got, err := f.Encode("x.png", Output{DPI: 96})
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if same, err := cmpimg.EqualApprox("png", got, want, 0.1); err != nil || !same {
		t.Errorf("the figure no longer looks like %s (%v)", path, err)
	}
}

func TestBytesAreStable(t *testing.T) {
	for _, name := range []string{"a.svg", "a.PNG"} {
		a, err := figure(t).Encode(name, Output{DPI: 96})
		if err != nil {
			t.Fatal(err)
		}
		if b, _ := figure(t).Encode(name, Output{DPI: 96}); !bytes.Equal(a, b) {
			t.Errorf("%s: two drawings differ", name)
		}
	}
	if _, err := figure(t).Encode("a.gif", Output{}); err == nil {
		t.Error("a.gif: want an error that lists the formats")
	}
	if _, err := Heads(nil, HeadsOptions{}); err == nil {
		t.Error("no layers: want an error")
	}
}

// Nine heads on the 3 × 3 shifts around the query: a convolution, drawn.
func ExampleHeads() {
	var heads []Head
	for i := range 9 {
		heads = append(heads, Head{
			Center:    [2]float64{float64(i/3 - 1), float64(i%3 - 1)},
			Precision: [2][2]float64{{20, 0}, {0, 20}},
		})
	}
	f, err := Heads([]Layer{{Number: 1, Heads: heads}}, HeadsOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	svg, err := f.Encode("heads.svg", Output{})
	fmt.Println(bytes.HasPrefix(svg, []byte("<?xml")), err)
	// Output: true <nil>
}
