package analyse

import (
	"fmt"
	"math"
)

// A Finding is what Sentence says of a layer.
type Finding struct {
	Shares   Shares
	Mean     bool    // the shares are those of E_X P, of attention that depends on the image
	Null     *Null   // nil: none was drawn; a name is told
	R2       float64 // of the best 3 × 3 convolution on images; NaN: not measured
	TapScore float64 // NaN: not measured
	Content  float64 // bits, a mean over heads; NaN: not measured
	NullR2   *Band   // R² of untrained layers; nil: not measured
}

// Sentence says in words how convolutional a layer is: "layer 3: 71 % of its operator is one 3 × 3 convolution (null 12
// ± 3 %); on images 3 × 3 has R² 0.90; tap score 0.83; content 0 bit". Layers count from 1. It is of the least K of 1,
// 3, 5 and 7 that has half of the operator, else of all convolutions. Values are rounded by Percent and Hundredths, as
// in tables. A share within the null's middle 95 % is said to be, and what was not measured, too. It returns an *Error
// for shares that do not add up to 1.
func Sentence(layer int, f Finding) (string, error) {
	sum := 0.0
	for _, v := range f.Shares.List() {
		if !(v >= 0) {
			return "", wrong("shares", "%v", v)
		}
		sum += v
	}
	if !(math.Abs(sum-1) < 1e-6) {
		return "", wrong("shares", "they add up to %v", sum)
	}
	k, what := 9, "a convolution of any size"
	for _, side := range []int{1, 3, 5, 7} {
		if f.Shares.Within(side) >= 0.5 {
			k, what = side, fmt.Sprintf("one %d × %d convolution", side, side)
			break
		}
	}
	if k > 7 && f.Shares.Within(k) >= 0.5 {
		what = "one convolution larger than 7 × 7"
	}
	operator := "operator"
	if f.Mean {
		operator = "mean operator over images"
	}
	share := f.Shares.Within(k)
	return fmt.Sprintf("layer %d: %s %% of its %s is %s (%s); %s; %s; %s",
		layer, Percent(share), operator, what, against(f.Null, k, share), f.OnImages(), f.tap(), f.content()), nil
}

func against(n *Null, k int, share float64) string {
	if n == nil || len(n.Draws) == 0 {
		return "no null"
	}
	b := n.Of(func(s Shares) float64 { return s.Within(k) })
	text := "null"
	if n.Name != "" {
		text += " with " + n.Name
	}
	text += " " + Percent(float64(b.Mean))
	if b.Draws > 1 {
		text += " ± " + Percent(float64(b.Std))
	}
	if text += " %"; share <= float64(b.Hi) {
		text += ", which it does not exceed"
	}
	return text
}

// OnImages says in words what the best 3 × 3 convolution explains of a layer's output, with its null: all that Sentence
// could say of a layer that is no linear map of its tokens.
func (f Finding) OnImages() string {
	if math.IsNaN(f.R2) {
		return "R² on images not measured"
	}
	text := "on images 3 × 3 has R² " + Hundredths(f.R2)
	if f.NullR2 == nil || f.NullR2.Draws == 0 {
		return text
	}
	text += " (null " + Hundredths(float64(f.NullR2.Mean))
	if f.NullR2.Draws > 1 {
		text += " ± " + Hundredths(float64(f.NullR2.Std))
	}
	if f.R2 <= float64(f.NullR2.Hi) {
		text += ", which it does not exceed"
	}
	return text + ")"
}

func (f Finding) tap() string {
	if math.IsNaN(f.TapScore) {
		return "tap score not measured"
	}
	return "tap score " + Hundredths(f.TapScore)
}

func (f Finding) content() string {
	switch c := f.Content; {
	case math.IsNaN(c):
		return "content not measured"
	case c < 1e-9:
		return "content 0 bit"
	default:
		return "content " + Hundredths(c) + " bit"
	}
}
