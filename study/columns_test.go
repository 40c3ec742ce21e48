package study

import (
	"slices"
	"testing"
)

// Every name in Columns has a column of the table, and every column a name, in one order.
func TestColumnsAreThoseOfTheTable(t *testing.T) {
	c := withPaper(sample(t))
	columns := slices.Concat(c.accuracy(), cost(), c.speed(), paper(), layers())
	var got []string
	for _, col := range columns {
		if !slices.Contains(got, col.Word) {
			got = append(got, col.Word)
		}
	}
	want := slices.DeleteFunc(Columns.Names(), func(name string) bool { return slices.Contains(onRequest, name) })
	if !slices.Equal(got, want) {
		t.Errorf("the table has %v, Columns says %v", got, want)
	}
	for _, name := range Columns.Names() {
		if wide := c.Table([]string{name}); len(wide.Columns) == 0 || name != "model" && len(wide.Columns) < 2 {
			t.Errorf("column %s: the table has %d columns", name, len(wide.Columns))
		}
	}
}
