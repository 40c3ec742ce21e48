package measure

import (
	"fmt"
	"strings"

	"github.com/attnconv/attnconv/report"
)

// Sentence says what the values of a layer say, and no more.
func Sentence(l report.AnalysedLayer) string {
	head := fmt.Sprintf("layer %d: ", l.Layer)
	if l.Shares == nil {
		if s := l.Spectrum; s != nil && s.K3 != nil {
			return head + fmt.Sprintf("a 3 × 3 convolution explains %s of its output on images", percent(*s.K3))
		}
		return head + "not measured"
	}
	of := "its operator"
	if l.ByImage {
		of = "its mean operator"
	}
	within := l.Shares.K1 + l.Shares.K3
	parts := []string{fmt.Sprintf("%s of %s is one 3 × 3 convolution%s", percent(within), of, against(within, l.Null)),
		percent(l.Shares.Place) + " depends on the place"}
	if s := l.Spectrum; s != nil && s.K3 != nil {
		parts = append(parts, fmt.Sprintf("on images 3 × 3 explains %s of its output", percent(*s.K3)))
	}
	if l.TapScore != nil {
		parts = append(parts, fmt.Sprintf("tap score %.2f", *l.TapScore))
	}
	if len(l.Heads) > 0 {
		parts = append(parts, "content "+bits(mean(l.Heads, func(h report.AnalysedHead) float64 { return h.Content })))
	}
	return head + strings.Join(parts, "; ")
}

// against compares a share with the initialiser's: of untrained layers, mean ± standard deviation, and whether the share is
// outside of the middle 95 % of them.
func against(x float64, null *report.NullShares) string {
	if null == nil || null.Within.Mean == nil {
		return ""
	}
	text := ", untrained " + strings.TrimSuffix(percent(*null.Within.Mean), " %")
	if null.Within.Std != nil {
		text += fmt.Sprintf(" ± %.0f", 100**null.Within.Std)
	}
	text += " %"
	if null.Within.Lo != nil && x >= *null.Within.Lo && x <= *null.Within.Hi {
		text += " (no different)"
	}
	return text
}

func percent(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) }

func bits(x float64) string {
	if x < 0.005 {
		return "0 bit"
	}
	return fmt.Sprintf("%.2f bit", x)
}

func mean[T any](list []T, of func(T) float64) (m float64) {
	for _, v := range list {
		m += of(v) / float64(len(list))
	}
	return m
}
