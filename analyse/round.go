package analyse

import (
	"fmt"
	"math"
)

// Percent formats a share in percent, rounded to the nearest whole number. A share below 1 is never shown as 100.
func Percent(share float64) string {
	if p := 100 * share; p >= 99 && p < 100-1e-7 {
		return fmt.Sprintf("%.1f", min(p, 99.9))
	}
	return fmt.Sprintf("%.0f", math.Round(100*share)+0) // + 0: no -0
}

// Hundredths formats a value, rounded to the nearest hundredth. A value below 1 is never shown as 1.00.
func Hundredths(x float64) string {
	if x >= 0.99 && x < 1-1e-9 {
		x = 0.99
	}
	return fmt.Sprintf("%.2f", math.Round(100*x)/100+0)
}
