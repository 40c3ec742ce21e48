package progress

import (
	"fmt"
	"strconv"

	"github.com/attnconv/attnconv/internal/visible"
)

// percent is a fraction in percent, as wide as 12.3 %.
func percent(fraction float64) string { return fmt.Sprintf("%4.1f %%", 100*fraction) }

// rate is a learning rate with three digits.
func rate(lr float64) string { return strconv.FormatFloat(lr, 'g', 3, 64) }

// count is a number of images a second: an integer, except for very slow ones.
func count(n float64) string {
	if n > 0 && n < 10 {
		return strconv.FormatFloat(n, 'f', 1, 64)
	}
	return strconv.FormatFloat(n, 'f', 0, 64)
}

// epochOf is "epoch  1/15", as wide as the last epoch's.
func epochOf(epoch, epochs int) string {
	if epochs == 0 {
		return fmt.Sprintf("epoch %2d", epoch)
	}
	width := max(2, len(strconv.Itoa(epochs)))
	return fmt.Sprintf("epoch %*d/%d", width, epoch, epochs)
}

// clip cuts s to width columns; 0 is any width.
func clip(s string, width int) string {
	if width <= 0 {
		return s
	}
	return visible.Clip(s, width)
}
