package analyse

import (
	"math"
	"testing"
)

// Values are rounded to the nearest; nothing is claimed that was not measured.
func TestSentence(t *testing.T) {
	null := &Null{Draws: []Shares{{K1: 0.09, Place: 0.91}, {K1: 0.118, Place: 0.882}, {K1: 0.15, Place: 0.85}}}
	permuted := &Null{Name: "permuted tokens", Draws: null.Draws}
	r2 := NewBand([]float64{0.4, 0.502, 0.61})
	one := &Null{Draws: null.Draws[1:2]}
	for _, tt := range []struct {
		f    Finding
		want string
	}{
		{Finding{Shares{0.3, 0.4199, 0.1, 0.05, 0.03, 0.1001}, false, null, 0.8999, 0.8399, 0, nil},
			"layer 3: 72 % of its operator is one 3 × 3 convolution (null 12 ± 3 %); on images 3 × 3 has R² 0.90; " +
				"tap score 0.84; content 0 bit"},
		{Finding{Shares{0.3, 0.4199, 0.1, 0.05, 0.03, 0.1001}, false, permuted, 0.8999, 0.8399, 0, nil},
			"layer 3: 72 % of its operator is one 3 × 3 convolution (null with permuted tokens 12 ± 3 %); on images " +
				"3 × 3 has R² 0.90; tap score 0.84; content 0 bit"},
		{Finding{Shares{0.1, 0.3, 0.05, 0.05, 0.2, 0.3}, false, one, -0.001, 1, 0.01, nil},
			"layer 3: 50 % of its operator is one 7 × 7 convolution (null 12 %); on images 3 × 3 has R² 0.00; tap " +
				"score 1.00; content 0.01 bit"},
		{Finding{Shares{0.1, 0.1, 0.05, 0.05, 0.3, 0.4}, true, nil, math.NaN(), math.NaN(), math.NaN(), nil},
			"layer 3: 60 % of its mean operator over images is one convolution larger than 7 × 7 (no null); R² on " +
				"images not measured; tap score not measured; content not measured"},
		{Finding{Shares{0.05, 0.05, 0, 0, 0, 0.9}, false, null, 0.5, 0.1, 1.41, &r2},
			"layer 3: 10 % of its operator is a convolution of any size (null 12 ± 3 %, which it does not exceed); " +
				"on images 3 × 3 has R² 0.50 (null 0.50 ± 0.11, which it does not exceed); tap score 0.10; content " +
				"1.41 bit"},
		{Finding{Shares{1 - 1e-13, 0, 0, 0, 0, 1e-13}, false, nil, 1 - 1e-13, 1 - 1e-13, 0, nil},
			"layer 3: 100 % of its operator is one 1 × 1 convolution (no null); on images 3 × 3 has R² 1.00; tap " +
				"score 1.00; content 0 bit"},
		{Finding{Shares{0.9999, 0, 0, 0, 0, 0.0001}, false, nil, 0.9999, 0.9999, 0, nil},
			"layer 3: 99.9 % of its operator is one 1 × 1 convolution (no null); on images 3 × 3 has R² 0.99; tap " +
				"score 0.99; content 0 bit"},
	} {
		if got, err := Sentence(3, tt.f); err != nil || got != tt.want {
			t.Errorf("%v\n%s, want\n%s", err, got, tt.want)
		}
	}
	for _, s := range []Shares{{}, {K1: math.NaN()}, {K1: 2, Place: -1}, {K1: math.Inf(1)}} {
		if _, err := Sentence(1, Finding{Shares: s}); err == nil {
			t.Errorf("%+v: want an error", s)
		}
	}
}
