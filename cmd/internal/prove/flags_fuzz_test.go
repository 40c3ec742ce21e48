package prove

import "testing"

// The text of an accepted value parses to the same value.
func FuzzProveFlags(f *testing.F) {
	for _, s := range []string{"46", "1, 4.5", "16:32", "3", "1e-300,1e300", "", ":", "0:1", "NaN", "-1", "1,,2", "Inf"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var list, again []float64
		if (floats{&list}).Set(text) == nil {
			if err := (floats{&again}).Set(floats{&list}.String()); err != nil || len(again) != len(list) {
				t.Errorf("%q is taken as %s, which is not: %v", text, floats{&list}, err)
			}
			for i := range list {
				if !(list[i] > 0) || list[i] != again[i] {
					t.Errorf("%q is taken as %v, then %v", text, list, again)
				}
			}
		}
		var two, same [2]int
		if (pair{&two}).Set(text) == nil {
			if err := (pair{&same}).Set(pair{&two}.String()); err != nil || same != two || two[0] < 1 || two[1] < 1 {
				t.Errorf("%q is taken as %v, then %v: %v", text, two, same, err)
			}
		}
	})
}
