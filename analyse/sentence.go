package analyse

import (
	"cmp"
	"fmt"
	"math"
	"strings"
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

// A Replacement is what accuracy it costs to replace a layer by the best 3 × 3 convolution, in 0..1, with the 95 %
// interval of the difference over images.
type Replacement struct {
	Cost, Lo, Hi float64
	Needless     bool // the layer's mean output costs no more than MaxCost either
}

const (
	// MaxCost is the cost in accuracy, in 0..1, below which a replaced layer is not missed.
	MaxCost = 0.01
	// Level is the corrected p-value below which a share exceeds that of untrained layers.
	Level = 0.05
)

// A Verdict says whether a layer acts as a 3 × 3 convolution.
type Verdict struct {
	Share    bool `json:"share"`    // its share exceeds that of untrained layers, corrected for the number of layers
	Function bool `json:"function"` // replaced by one, it costs less than MaxCost, at the upper end of the interval
}

// Judge returns the verdict on a layer with corrected p-value p, NaN where it says nothing, and the words for it. The
// words claim that a layer acts as a convolution if both hold, and else say which one does not.
func Judge(p float64, r *Replacement) (v Verdict, words string) {
	v = Verdict{Share: p < Level, Function: r != nil && r.Hi < MaxCost}
	share := fmt.Sprintf("its share exceeds that of untrained layers (p %s)", PValue(p))
	switch {
	case math.IsNaN(p):
		share = "its share was compared with too few untrained layers"
	case !v.Share:
		share = fmt.Sprintf("its share does not exceed that of untrained layers (p %s)", PValue(p))
	}
	if r == nil {
		return v, share + ", and no accuracy with the layer replaced was measured"
	}
	switch {
	case v.Share && v.Function:
		return v, "it acts as a 3 × 3 convolution: " + share + ", and " + r.String()
	case v.Share:
		return v, share + ", but " + r.String()
	case v.Function:
		return v, r.String() + ", but " + share
	}
	return v, share + ", and " + r.String()
}

// String says what the replacement costs.
func (r *Replacement) String() string {
	points := func(x float64) string { return fmt.Sprintf("%.1f", math.Round(1000*x)/10+0) }
	text := fmt.Sprintf("replacing it by a 3 × 3 convolution costs %s [%s, %s] points of accuracy", points(r.Cost),
		points(r.Lo), points(r.Hi))
	if r.Needless {
		text += " (as little as replacing it by its mean output)"
	}
	return text
}

// PValue formats a p-value.
func PValue(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.3f", p), "0"), ".")
}

// Sentence says in words how convolutional a layer is: "layer 3: 71 % of the squared norm of its operator is one 3 × 3
// convolution, a relative error of 54 % (untrained 12 ± 3 %); 5 % depends on the place (untrained 20 ± 4 %); on images
// 3 × 3 has R² 0.90; tap score 0.83; content 0 bit". Layers count from 1. It is of the least K of 1, 3, 5, 7 with
// half of the squared norm, else of all convolutions, of which a mean over all tokens is one. The relative error is
// that of the operator, √(1 - share). Values are rounded by Percent and Hundredths, as
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
	k, what := 9, "a convolution of any size up to the whole grid, "+
		"as a mean over all tokens is"
	for _, side := range []int{1, 3, 5, 7} {
		if f.Shares.Within(side) >= 0.5 {
			k, what = side, fmt.Sprintf("one %d × %d convolution", side, side)
			break
		}
	}
	operator := "operator"
	if f.Mean {
		operator = "mean operator over images"
	}
	share := f.Shares.Within(k)
	within := against(f.Null, share, func(s Shares) float64 { return s.Within(k) })
	place := against(f.Null, f.Shares.Place, func(s Shares) float64 { return s.Place })
	return fmt.Sprintf("layer %d: %s %% of the squared norm of its %s is %s, a relative error of %s %% (%s); "+
		"%s %% depends on the place (%s); %s; %s; %s", layer, Percent(share), operator, what,
		Percent(math.Sqrt(max(0, 1-share))), within, Percent(f.Shares.Place), place, f.OnImages(), f.tap(),
		f.content()), nil
}

// against compares a share with its baseline: layers of untrained networks, or what the null is called.
func against(n *Null, share float64, of func(Shares) float64) string {
	if n == nil || len(n.Draws) == 0 {
		return "no baseline"
	}
	b := n.Of(of)
	text := cmp.Or(n.Name, "untrained") + " " + Percent(float64(b.Mean))
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
	text += " (untrained " + Hundredths(float64(f.NullR2.Mean))
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
