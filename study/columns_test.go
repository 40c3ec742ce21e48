package study

import (
	"slices"
	"testing"
)

// Every name in Columns has a column of the table, and the questions of the models come first.
func TestColumnsAreThoseOfTheTable(t *testing.T) {
	if first := Columns.Names()[:4]; !slices.Equal(first, []string{"model", "data", "epochs", "n"}) {
		t.Errorf("Columns begins with %v", first)
	}
	c := withPaper(sample(t))
	for _, name := range Columns.Names() {
		if wide := c.Table([]string{name}); len(wide.Columns) == 0 || name != "model" && len(wide.Columns) < 2 {
			t.Errorf("column %s: the table has %d columns", name, len(wide.Columns))
		}
	}
}
