package viz

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/plot/cmpimg"

	"github.com/attnconv/attnconv/posenc/geometry"
)

// figure draws layers of all kinds of heads: isotropic, elongated, outside of the frame, uniform.
func figure(t testing.TB) *Figure {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	layers := []Layer{{Number: 1}, {Number: 2}}
	for range 9 {
		h := round(0.5 + rng.Float64())
		h.Center = [2]float64{2 * rng.NormFloat64(), 2 * rng.NormFloat64()}
		layers[0].Heads = append(layers[0].Heads, h)
	}
	layers[1].Heads = []geometry.Head{golden, round(1e-7), round(0.05),
		{Center: [2]float64{12, -3}, Precision: round(1).Precision}}
	f, err := Heads(layers, HeadsOptions{Width: 14})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestHeadsLookAsBefore(t *testing.T) { looksAsBefore(t, "heads", figure(t)) }

// looksAsBefore compares a figure with the golden one, within the tolerance that fonts and rounding need. With
// UPDATE_GOLDEN=1 it writes the golden figure: look at it before you commit it.
func looksAsBefore(t *testing.T, name string, f *Figure) {
	t.Helper()
	checkSVG(t, name, f)
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

// The same figure gives the same bytes, in every theme, except in pdf, which contains the date.
func TestBytesAreStable(t *testing.T) {
	withImage := view(8, 8, [2]int{2, 5})
	withImage.Image = disc()
	shifts, err := Shifts(convolution(), ShiftsOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for what, f := range map[string]*Figure{
		"heads": figure(t), "curves": twoPanels(t, 3), "maps": drawn(t, []View{withImage}, MapsOptions{}),
		"shifts":  shifts,
		"overlay": drawn(t, []View{withImage}, MapsOptions{Overlay: true}),
	} {
		for _, out := range []struct{ name, theme string }{
			{"a.svg", "light"}, {"a.svg", "dark"}, {"a.PNG", "paper"}, {"a.pdf", ""},
		} {
			a, err := f.Encode(out.name, Output{DPI: 50, Theme: out.theme})
			if err != nil {
				t.Fatal(err)
			}
			if b, _ := f.Encode(out.name, Output{DPI: 50, Theme: out.theme}); !bytes.Equal(a, b) &&
				out.name != "a.pdf" {
				t.Errorf("%s, %s, %s: two drawings differ", what, out.name, out.theme)
			}
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	if _, err := figure(t).Encode("a.gif", Output{}); err == nil {
		t.Error("a.gif: want an error that lists the formats")
	}
	if _, err := figure(t).Encode("a.svg", Output{Theme: "blue"}); err == nil {
		t.Error("theme blue: want an error that lists the themes")
	}
}

func TestHeadsRefuses(t *testing.T) {
	layers := []Layer{{Number: 1, Heads: []geometry.Head{golden}}}
	for _, tt := range []struct {
		name   string
		layers []Layer
		o      HeadsOptions
	}{
		{"no layers", nil, HeadsOptions{}},
		{"a contour that contains everything", layers, HeadsOptions{Contours: []float64{1}}},
		{"a query outside", layers, HeadsOptions{Grid: Grid{4, 4, [2]int{0, 4}}}},
	} {
		if _, err := Heads(tt.layers, tt.o); err == nil {
			t.Errorf("%s: want an error", tt.name)
		}
	}
}

// The values of a figure in the plane: axes of the contours, and how each head is drawn.
func TestHeadsTable(t *testing.T) {
	far := geometry.Head{Center: [2]float64{20, 0}, Precision: round(1).Precision}
	layers := []Layer{{Number: 2, Heads: []geometry.Head{round(4), round(1e-9), far}}}
	f, err := Heads(layers, HeadsOptions{Contours: []float64{0.5}})
	if err != nil {
		t.Fatal(err)
	}
	want := "layer,head,row,column,mass,long_axis,short_axis,angle,drawn\n" +
		"2,1,0,0,0.5,0.41627730557884884,0.41627730557884884,90,contour\n"
	if got := string(f.Data.CSV()); !strings.HasPrefix(got, want) || !strings.Contains(got, ",listed\n2,3,20,0,") ||
		!strings.HasSuffix(got, ",arrow\n") {
		t.Errorf("values:\n%s\nwant\n%s…", got, want)
	}
}

// Nine heads on the 3 × 3 shifts around the query: a convolution, drawn.
func ExampleHeads() {
	var heads []geometry.Head
	for i := range 9 {
		heads = append(heads, geometry.Head{
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
