package table

import (
	"fmt"
	"math"
	"strings"
)

// Spark draws fractions as a line of bars, NaN as a space, and says the range in per cent.
func Spark(values []float64) string {
	bars := []rune("▁▂▃▄▅▆▇█")
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if !math.IsNaN(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	var b strings.Builder
	for _, v := range values {
		switch {
		case math.IsNaN(v):
			b.WriteByte(' ')
		case high > low:
			b.WriteRune(bars[int((v-low)/(high-low)*float64(len(bars)-1)+0.5)])
		default:
			b.WriteRune(bars[0])
		}
	}
	if !(high > low) {
		return b.String()
	}
	return fmt.Sprintf("%s  %.1f to %.1f %%", b.String(), 100*low, 100*high)
}
