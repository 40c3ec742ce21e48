package plot

import "testing"

// Every percentage that a flag accepts is in its range.
func FuzzShare(f *testing.F) {
	for _, s := range []string{"", "50", "50%", "90 %", "NaN", "1e3", "-1", "100"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if x, err := share(s); err == nil && !(x > 0 && x < 1) {
			t.Errorf("share %q: %v", s, x)
		}
	})
}
