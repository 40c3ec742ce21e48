package term

import (
	"slices"
	"strings"
	"testing"
)

// A table that is too wide for the terminal loses the columns that hold one value only, in order, then some others.
func TestNarrowedTable(t *testing.T) {
	table := func() [][]string {
		return [][]string{{"id", "when", "preset", "data", "seed"}, {"a", "now", "tiny", "x", "1"},
			{"b", "once", "tiny", "x", "2"}}
	}
	for _, tt := range []struct {
		width int
		want  []string
	}{{0, table()[0]}, {28, table()[0]}, {24, []string{"id", "when", "data", "seed"}},
		{16, []string{"id", "when", "seed"}},
		{10, []string{"id", "seed"}}, {5, []string{"id", "seed"}}} {
		c := &Console{OutWidth: func() int { return tt.width }}
		got := c.Narrowed(table(), []string{"seed", "none", "preset", "data"}, []string{"when"})
		if !slices.Equal(got[0], tt.want) || len(got[2]) != len(got[0]) {
			t.Errorf("%d columns: %v, want %v", tt.width, got, tt.want)
		}
	}
}

// The last cell of a line goes on below itself; without room for that, the line is cut.
func TestTableFitsTerminal(t *testing.T) {
	for width, want := range map[int]string{
		0:  "id  differs\na1  lr 0.1, dim 96, heads 16, epochs 2\n",
		24: "id  differs\na1  lr 0.1, dim 96,\n    heads 16, epochs 2\n",
		12: "id  differs\na1  lr 0.1,…\n",
	} {
		var said strings.Builder
		c := &Console{Out: &said, OutWidth: func() int { return width }}
		if err := c.Table([][]string{{"id", "differs"}, {"a1", "lr 0.1, dim 96, heads 16, epochs 2"}}); err != nil ||
			said.String() != want {
			t.Errorf("%d columns, %v:\n%s, want\n%s", width, err, said.String(), want)
		}
	}
}

// A path that has no room next to the other cells is on a line of its own, whole, so that it can be copied.
func TestTableShowsPathsWhole(t *testing.T) {
	var said strings.Builder
	c := &Console{Out: &said, OutWidth: func() int { return 40 }}
	const path = "/home/somebody/.cache/attnconv/flowers"
	if err := c.Table([][]string{{"name", "what", "path"}, {"日本", "images", path},
		{"b", "built in", "-"}}); err != nil {
		t.Fatal(err)
	}
	if want := "name  what      path\n日本  images\n  " + path + "\nb     built in  -\n"; said.String() != want {
		t.Errorf("got\n%swant\n%s", said.String(), want)
	}
}
