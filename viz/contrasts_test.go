package viz

import (
	"fmt"
	"strings"
	"testing"
)

func contrasts() []Contrast {
	return []Contrast{
		{Number: 1, Trained: 0.94, Interval: [2]float64{0.83, 0.98}, Untrained: 0.25, Deviation: 0.08},
		{Number: 2, Trained: 0.12, Interval: [2]float64{0.02, 0.41}, Untrained: 0.25, Deviation: 0.08, Pale: true},
	}
}

func TestContrastsLookAsBefore(t *testing.T) {
	f, err := Contrasts(contrasts(), ContrastsOptions{Axis: "% of the norm", Trained: "trained",
		Untrained: "untrained", Pale: "no significant difference from untrained"})
	if err != nil {
		t.Fatal(err)
	}
	looksAsBefore(t, "contrasts", f)
}

// The legend explains pale bars where there are some.
func TestContrastsLegend(t *testing.T) {
	for _, pale := range []bool{true, false} {
		layers := contrasts()
		layers[1].Pale = pale
		f, err := Contrasts(layers, ContrastsOptions{Pale: "no difference"})
		if err != nil {
			t.Fatal(err)
		}
		svg, err := f.Encode("x.svg", Output{})
		if err != nil || strings.Contains(string(svg), "no difference") != pale {
			t.Errorf("pale bars: %v; the legend is wrong (%v)", pale, err)
		}
	}
}

func TestContrastsRefuses(t *testing.T) {
	if _, err := Contrasts(nil, ContrastsOptions{}); err == nil {
		t.Error("no layers: want an error")
	}
	percent := contrasts()
	percent[0].Trained = 94
	if _, err := Contrasts(percent, ContrastsOptions{}); err == nil {
		t.Error("percent for a share: want an error")
	}
}

func ExampleContrasts() {
	f, err := Contrasts(contrasts(), ContrastsOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Alt)
	// Output: Bars. layer 1: 94 % [83, 98], untrained 25 ± 8; layer 2: 12 % [2, 41], untrained 25 ± 8.
}
