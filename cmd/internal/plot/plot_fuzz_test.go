package plot

import (
	"slices"
	"testing"
)

// Every value that a plot flag accepts is in its range.
func FuzzPlotFlags(f *testing.F) {
	for _, s := range []string{
		"", "1-3", "1,4", "3-1", "8,8", "-1,0", " 7 , 2 ", "50,90", "50%, 90 %", "NaN", "1e3", "17.5", "12cm",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if numbers, err := layerNumbers(s, 6); err == nil && s != "" {
			if len(numbers) == 0 || numbers[0] < 1 || numbers[len(numbers)-1] > 6 || !slices.IsSorted(numbers) {
				t.Errorf("layers %q: %v", s, numbers)
			}
		}
		var parts []float64
		err := (shares{&parts}).Set(s)
		if err == nil && (len(parts) == 0 || !(slices.Min(parts) > 0 && slices.Max(parts) < 1)) {
			t.Errorf("shares %q: %v", s, parts)
		}
	})
}
