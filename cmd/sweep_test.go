package cmd

import (
	"math"
	"slices"
	"testing"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/spf13/pflag"
)

func TestSeeds(t *testing.T) {
	for text, want := range map[string][]uint64{
		"0..2": {0, 1, 2}, "5": {5}, "3, 1": {3, 1}, "0..1,7": {0, 1, 7}, "18446744073709551615": {math.MaxUint64},
		"": nil, "2..0": nil, "0..1000": nil, "0,0": nil, "-1": nil, "1..": nil, "0..600,1000..1600": nil,
	} {
		var got []uint64
		f := cli.FlagsIn(pflag.NewFlagSet("", 0), "")
		f.Seeds(&got, "seeds", "")
		err := f.Set("seeds", text)
		if !slices.Equal(got, want) || (err == nil) != (want != nil) {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
}

func TestSpread(t *testing.T) {
	s := newSpread([]float64{0.5, math.NaN(), 0.7, 0.6}) // by hand: √((0.01+0.01)/2)
	if s.N != 3 || math.Abs(s.Mean-0.6) > 1e-12 || math.Abs(*s.Std-0.1) > 1e-12 || s.percent() != "60.00 ± 10.00 %" {
		t.Errorf("got %+v, %s", s, s.percent())
	}
	if s := newSpread([]float64{0.5}); s.Std != nil || s.percent() != "50.00 %" {
		t.Errorf("one number: %+v, %s", s, s.percent())
	}
	if s := newSpread([]float64{math.NaN()}); s != nil || s.percent() != "-" {
		t.Errorf("nothing known: %+v", s)
	}
}
