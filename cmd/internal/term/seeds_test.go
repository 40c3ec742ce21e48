package term

import (
	"math"
	"slices"
	"testing"
)

func TestSeeds(t *testing.T) {
	for text, want := range map[string][]uint64{
		"0..2": {0, 1, 2}, "5": {5}, "3, 1": {3, 1}, "0..1,7": {0, 1, 7}, "18446744073709551615": {math.MaxUint64},
		"": nil, "2..0": nil, "0..1000": nil, "0,0": nil, "-1": nil, "1..": nil, "0..600,1000..1600": nil,
	} {
		got, err := Seeds(text)
		if !slices.Equal(got, want) || (err == nil) != (want != nil) {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
}
