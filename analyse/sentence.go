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

// Sentence says in words how convolutional a layer is: "layer 3: 71 % of its operator is one 3 × 3 convolution (null 12 ± 3
// %); on images 3 × 3 has R² 0.90; tap score 0.83; content 0 bit". Layers count from 1. It is of the least K of 1, 3, 5 and 7 that has half of the operator,
// else of all convolutions, and no stronger than its values: a share, R² and a tap score are rounded down, a null's share and
// content up, a share within the null's middle 95 % is said to be, and what was not measured, too. It returns an *Error for
// shares that do not add up to 1.
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
	return fmt.Sprintf("layer %d: %s of its %s is %s (%s); %s; %s; %s",
		layer, percent(share), operator, what, against(f.Null, k, share), f.OnImages(), f.tap(), f.content()), nil
}

// percent rounds down, but for what is 1 up to rounding.
func percent(share float64) string {
	if p := 100 * (share + 1e-9); p < 99 || p >= 100 {
		return fmt.Sprintf("%.0f %%", math.Floor(p))
	}
	return fmt.Sprintf("%.1f %%", math.Floor(1000*(share+1e-9))/10)
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
	text += fmt.Sprintf(" %.0f", math.Ceil(100*b.Mean-1e-7))
	if b.Draws > 1 {
		text += fmt.Sprintf(" ± %.0f", math.Ceil(100*b.Std-1e-7))
	}
	if text += " %"; share <= b.Hi {
		text += ", which it does not exceed"
	}
	return text
}

// OnImages says in words what the best 3 × 3 convolution explains of a layer's output, with its null: all that Sentence could say of a
// layer that is no linear map of its tokens.
func (f Finding) OnImages() string {
	if math.IsNaN(f.R2) {
		return "R² on images not measured"
	}
	text := fmt.Sprintf("on images 3 × 3 has R² %.2f", floor(f.R2))
	if f.NullR2 == nil || f.NullR2.Draws == 0 {
		return text
	}
	text += fmt.Sprintf(" (null %.2f", math.Ceil(100*f.NullR2.Mean-1e-7)/100)
	if f.NullR2.Draws > 1 {
		text += fmt.Sprintf(" ± %.2f", math.Ceil(100*f.NullR2.Std-1e-7)/100)
	}
	if f.R2 <= f.NullR2.Hi {
		text += ", which it does not exceed"
	}
	return text + ")"
}

func (f Finding) tap() string {
	if math.IsNaN(f.TapScore) {
		return "tap score not measured"
	}
	return fmt.Sprintf("tap score %.2f", floor(f.TapScore))
}

// floor rounds down to hundredths, but for what is one up to rounding.
func floor(x float64) float64 { return math.Floor(100*(x+1e-9)) / 100 }

func (f Finding) content() string {
	switch c := f.Content; {
	case math.IsNaN(c):
		return "content not measured"
	case c < 1e-9:
		return "content 0 bit"
	default:
		return fmt.Sprintf("content %.1f bit", math.Ceil(10*c-1e-7)/10)
	}
}
