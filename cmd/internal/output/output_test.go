package output

import "testing"

// A length is in its range, whatever a flag says.
func FuzzLength(f *testing.F) {
	for _, s := range []string{"", "17.5", "12cm", "NaN", "1e3", "-4"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if cm, err := centimeters(s); err == nil && !(cm >= 4 && cm <= 200) {
			t.Errorf("length %q: %v", s, cm)
		}
	})
}
