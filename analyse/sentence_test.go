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
			"layer 3: 72 % of the squared norm of its operator is one 3 × 3 convolution, a relative error of 53 % " +
				"(untrained 12 ± 3 %); 10 % depends on the place (untrained 88 ± 3 %, which it does not exceed); on " +
				"images 3 × 3 has R² 0.90; tap score 0.84; content 0 bit"},
		{Finding{Shares{0.3, 0.4199, 0.1, 0.05, 0.03, 0.1001}, false, permuted, 0.8999, 0.8399, 0, nil},
			"layer 3: 72 % of the squared norm of its operator is one 3 × 3 convolution, a relative error of 53 % " +
				"(permuted tokens 12 ± 3 %); 10 % depends on the place (permuted tokens 88 ± 3 %, which it does not " +
				"exceed); on images 3 × 3 has R² 0.90; tap score 0.84; content 0 bit"},
		{Finding{Shares{0.1, 0.3, 0.05, 0.05, 0.2, 0.3}, false, one, -0.001, 1, 0.01, nil},
			"layer 3: 50 % of the squared norm of its operator is one 7 × 7 convolution, a relative error of 71 % " +
				"(untrained 12 %); 30 % depends on the place (untrained 88 %, which it does not exceed); on images " +
				"3 × 3 has R² 0.00; tap score 1.00; content 0.01 bit"},
		{Finding{Shares{0.1, 0.1, 0.05, 0.05, 0.3, 0.4}, true, nil, math.NaN(), math.NaN(), math.NaN(), nil},
			"layer 3: 60 % of the squared norm of its mean operator over images is a convolution of any size up to " +
				"the whole grid, as a mean over all tokens is, a relative error of 63 % (no baseline); 40 % depends " +
				"on the place (no baseline); R² on images not measured; tap score not measured; content not measured"},
		{Finding{Shares{0.05, 0.05, 0, 0, 0, 0.9}, false, null, 0.5, 0.1, 1.41, &r2},
			"layer 3: 10 % of the squared norm of its operator is a convolution of any size up to the whole grid, as " +
				"a mean over all tokens is, a relative error of 95 % (untrained 12 ± 3 %, which it does not exceed); " +
				"90 % depends on the place (untrained 88 ± 3 %, which it does not exceed); on images 3 × 3 has R² " +
				"0.50 (untrained 0.50 ± 0.11, which it does not exceed); tap score 0.10; content 1.41 bit"},
		{Finding{Shares{1 - 1e-13, 0, 0, 0, 0, 1e-13}, false, nil, 1 - 1e-13, 1 - 1e-13, 0, nil},
			"layer 3: 100 % of the squared norm of its operator is one 1 × 1 convolution, a relative error of 0 % " +
				"(no baseline); 0 % depends on the place (no baseline); on images 3 × 3 has R² 1.00; tap score 1.00; " +
				"content 0 bit"},
		{Finding{Shares{0.9999, 0, 0, 0, 0, 0.0001}, false, nil, 0.9999, 0.9999, 0, nil},
			"layer 3: 99.9 % of the squared norm of its operator is one 1 × 1 convolution, a relative error of 1 % " +
				"(no baseline); 0 % depends on the place (no baseline); on images 3 × 3 has R² 0.99; tap score 0.99; " +
				"content 0 bit"},
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

// Only a layer whose share exceeds the baseline, and which is not missed if it is replaced, acts as a convolution.
func TestJudge(t *testing.T) {
	const share, noShare = "its share exceeds that of untrained layers (p 0.01)",
		"its share does not exceed that of untrained layers (p 0.05)"
	cheap, dear := &Replacement{Cost: 0.002, Lo: -0.001, Hi: 0.0099}, &Replacement{Cost: 0.006, Lo: 0.002, Hi: 0.01}
	const cheapWords, dearWords = "replacing it by a 3 × 3 convolution costs 0.2 [-0.1, 1.0] points of accuracy",
		"replacing it by a 3 × 3 convolution costs 0.6 [0.2, 1.0] points of accuracy"
	for _, tt := range []struct {
		p    float64
		r    *Replacement
		v    Verdict
		want string
	}{
		{0.01, cheap, Verdict{true, true}, "it acts as a 3 × 3 convolution: " + share + ", and " + cheapWords},
		{0.01, dear, Verdict{true, false}, share + ", but " + dearWords},
		{0.05, cheap, Verdict{false, true}, cheapWords + ", but " + noShare},
		{0.05, dear, Verdict{}, noShare + ", and " + dearWords},
		{0.01, nil, Verdict{Share: true}, share + ", and no accuracy with the layer replaced was measured"},
		{math.NaN(), cheap, Verdict{Function: true}, cheapWords +
			", but its share was compared with too few untrained layers"},
		{0.01, &Replacement{Needless: true}, Verdict{true, true}, "it acts as a 3 × 3 convolution: " + share +
			", and replacing it by a 3 × 3 convolution costs 0.0 [0.0, 0.0] points of accuracy (as little as " +
			"replacing it by its mean output)"},
	} {
		if v, words := Judge(tt.p, tt.r); v != tt.v || words != tt.want {
			t.Errorf("p %g, %+v: %+v\n%s, want %+v\n%s", tt.p, tt.r, v, words, tt.v, tt.want)
		}
	}
}
