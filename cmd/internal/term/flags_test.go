package term

import "testing"

// A query is one token with row and column from 0, whatever a flag says.
func FuzzQueries(f *testing.F) {
	for _, s := range []string{"", "8,8", "-1,0", " 7 , 2 ", "1,2,3", "1e3,0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := query(s)
		if err == nil && min(got[0], got[1]) < 0 || err != nil && got != [2]int{} {
			t.Errorf("query %q: %v, %v", s, got, err)
		}
	})
}
