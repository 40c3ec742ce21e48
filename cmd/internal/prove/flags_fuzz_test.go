package prove

import "testing"

// The text of an accepted value parses to the same value, and numbers are above 0.
func FuzzProveFlags(f *testing.F) {
	for _, s := range []string{"46", "16:32", "3", "1e-300", "", ":", "0:1", "NaN", "-1", "Inf"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if x, err := positive("")(text); err == nil && !(x > 0 && x-x == 0) {
			t.Errorf("%q is taken as %g", text, x)
		}
		if two, err := pair(text); err == nil {
			if same, err := pair(two.String()); err != nil || same != two || two[0] < 1 || two[1] < 1 {
				t.Errorf("%q is taken as %v, then %v: %v", text, two, same, err)
			}
		}
	})
}
