package cli

import (
	"slices"
	"testing"
)

// A table that is too wide for the terminal loses the columns that hold one value only, in order, and no others.
func TestNarrowedTable(t *testing.T) {
	table := func() [][]string {
		return [][]string{{"id", "preset", "data", "seed"}, {"a", "tiny", "x", "1"}, {"b", "tiny", "x", "2"}}
	}
	for _, tt := range []struct {
		width int
		want  []string
	}{{0, table()[0]}, {23, table()[0]}, {19, []string{"id", "data", "seed"}}, {5, []string{"id", "seed"}}} {
		c := &Console{OutWidth: func() int { return tt.width }}
		got := c.Narrowed(table(), "seed", "preset", "data")
		if !slices.Equal(got[0], tt.want) || len(got[2]) != len(got[0]) {
			t.Errorf("%d columns: %v, want %v", tt.width, got, tt.want)
		}
	}
}
