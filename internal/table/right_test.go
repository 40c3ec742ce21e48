package table

import "testing"

// Columns count characters, not bytes, and the one cell more ends its line as it is.
func TestRight(t *testing.T) {
	var r, narrow Right
	if r.String() != "" {
		t.Errorf("an empty table is %q", r.String())
	}
	r.Addf("border\tα\terror")
	r.Addf("%s\t%d\t%.1e\t%s", "zero", 104, 0.5, "  degenerate")
	if got, want := r.String(), "  border    α    error\n    zero  104  5.0e-01  degenerate\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	narrow.Gap = 1
	narrow.Add("a", "b")
	narrow.Add("10", "2")
	if got, want := narrow.String(), "  a b\n 10 2\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
