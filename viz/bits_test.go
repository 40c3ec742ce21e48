package viz

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

func bits(t *testing.T) *Figure {
	t.Helper()
	var heads []HeadBits
	for layer := 1; layer <= 3; layer++ {
		for head := 1; head <= 9; head++ {
			x := float64(layer * head)
			heads = append(heads, HeadBits{layer, head, []float64{0.2 * x, 0.1 * float64(head),
				0.4 * float64(layer-1)}})
		}
	}
	f, err := Bits(heads, BitsOptions{Parts: []string{"blur", "place", "content"}, Width: 14})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestBitsLookAsBefore(t *testing.T) { looksAsBefore(t, "bits", bits(t)) }

// Every head has a row for each part.
func TestBitsTable(t *testing.T) {
	if got := string(bits(t).Data.CSV()); strings.Count(got, "\n") != 1+27*3 ||
		!strings.Contains(got, "\n2,5,blur,2\n") {
		t.Error(got)
	}
}

func TestBitsRefuse(t *testing.T) {
	o := BitsOptions{Parts: []string{"a", "b"}}
	for _, h := range []HeadBits{{}, {Bits: []float64{1}}, {Bits: []float64{-1, 0}}, {Bits: []float64{math.NaN(), 0}},
		{Bits: []float64{0, math.Inf(1)}}} {
		if _, err := Bits([]HeadBits{h}, o); err == nil {
			t.Errorf("%+v: want an error", h)
		}
	}
	if _, err := Bits(nil, o); err == nil {
		t.Error("no heads: want an error")
	}
}

// A head that is blurred, and does not depend on the image.
func ExampleBits() {
	f, err := Bits([]HeadBits{{Layer: 1, Head: 1, Bits: []float64{3.5, 0.25, 0}}},
		BitsOptions{Parts: []string{"blur", "place", "content"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.ReplaceAll(f.Alt, "; ", ";\n"))
	// Output:
	// Stacked bars of each head. Means: layer 1: blur 3.50 bits;
	// layer 1: place 0.25 bits;
	// layer 1: content 0.00 bits.
}
