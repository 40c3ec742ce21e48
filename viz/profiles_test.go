package viz

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

func profileFigure(t *testing.T, width float64) *Figure {
	t.Helper()
	wide, narrow := bump(15, 15, [2]float64{}, 20), bump(15, 15, [2]float64{}, 0.5)
	many := ProfileLayer{Number: 2}
	for i := range 8 {
		many.Profiles = append(many.Profiles, HeadProfile{1, float64(i-1) / 20, bump(15, 15, [2]float64{0, 1},
			float64(i+1))})
	}
	f, err := Profiles([]ProfileLayer{{1, []HeadProfile{{7, 0.92, narrow}, {2, math.NaN(), wide}}}, many},
		ProfilesOptions{Width: width})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestProfilesLookAsBefore(t *testing.T) { looksAsBefore(t, "profiles", profileFigure(t, 16)) }

// Every profile is in the table, also those that the figure only counts, and a narrow figure has fewer panels.
func TestProfilesTable(t *testing.T) {
	f := profileFigure(t, 0)
	csv := string(f.Data.CSV())
	for _, want := range []string{"\n1,1,7,0.92,0,0,3\n", "\n1,2,2,,0,0,3\n", "\n2,8,1,0.3,0,1,3\n"} {
		if !strings.Contains(csv, want) {
			t.Errorf("no %q in the table", want)
		}
	}
	if want := "layer 1: 2 profiles, of 7, 2 heads; layer 2: 8 profiles, of 1, 1"; !strings.Contains(f.Alt, want) {
		t.Errorf("no %q in %q", want, f.Alt)
	}
	for width, more := range map[float64]string{18: "+2 more", 8: "+6 more"} {
		svg, err := profileFigure(t, width).Encode("x.svg", Output{})
		if err != nil || !strings.Contains(string(svg), more) {
			t.Errorf("%g cm: no %q, %v", width, more, err)
		}
	}
}

// A share that rounds to 0 has no sign.
func TestProfilesOfNoShare(t *testing.T) {
	f, err := Profiles([]ProfileLayer{{1, []HeadProfile{{1, -0.004, [][]float64{{1}}}}}}, ProfilesOptions{})
	if err != nil {
		t.Fatal(err)
	}
	svg, err := f.Encode("x.svg", Output{})
	if err != nil || !strings.Contains(string(svg), ">0 %<") {
		t.Errorf("want a share of 0 %%, %v", err)
	}
}

func TestProfilesRefuse(t *testing.T) {
	for _, layers := range [][]ProfileLayer{nil, {{Number: 1}}, {{1, []HeadProfile{{0, 0.5, [][]float64{{1}}}}}},
		{{1, []HeadProfile{{1, math.Inf(1), [][]float64{{1}}}}}}, {{1, []HeadProfile{{1, 0.5, nil}}}},
		{{1, []HeadProfile{{1, 0.5, [][]float64{{1, 2}}}}}}} {
		if _, err := Profiles(layers, ProfilesOptions{}); err == nil {
			t.Errorf("%v: want an error", layers)
		}
	}
}

// Two heads that are taps, and one that is blurred.
func ExampleProfiles() {
	f, err := Profiles([]ProfileLayer{{Number: 1, Profiles: []HeadProfile{
		{Heads: 2, Share: 0.8, Values: [][]float64{{0, 0, 0}, {0, 1, 0}, {0, 0, 0}}},
		{Heads: 1, Share: 0.2, Values: [][]float64{{0.1, 0.1, 0.1}, {0.1, 0.2, 0.1}, {0.1, 0.1, 0.1}}},
	}}}, ProfilesOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Alt)
	// Output: Profiles of heads around their centers. layer 1: 2 profiles, of 2, 1 heads.
}
