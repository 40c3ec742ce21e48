package listing

import (
	"fmt"
	"math"

	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/heads"
	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/study"
)

// recordedNulls is HeadNulls of the last epoch that a run of the model spec has recorded. It returns none if there is
// none, or if its heads cannot be read.
func recordedNulls(e run.Entry, spec model.Spec) []study.HeadNull {
	none, status, d := []study.HeadNull{}, e.Status, run.Dir{Path: e.Path}
	if status.Epoch < 1 {
		return none
	}
	now, err := run.ReadHeads(d.HeadsPath(status.Epoch))
	if err != nil {
		return none
	}
	start, err := run.ReadHeads(d.HeadsPath(0))
	if err != nil || status.From != "" {
		start.Layers = nil // it began with the weights of another run
	}
	nulls, err := study.HeadNulls(spec, heads.Recorded(now), heads.Recorded(start))
	if err != nil {
		return none
	}
	return nulls
}

// NullTable returns a table of nulls, a row each; without nulls it is empty.
func NullTable(nulls []study.HeadNull) *table.Table {
	if len(nulls) == 0 {
		return &table.Table{}
	}
	t := &table.Table{
		Title: fmt.Sprintf("trained heads and their null: the same statistics of untrained heads, for %d seeds",
			nulls[0].Seeds),
		Columns: []table.Column{{Head: fmt.Sprintf("of %d heads", nulls[0].Heads), Name: true},
			{Head: "now", Right: true},
			{Head: "at the start", Right: true}, {Head: "null: mean [95 %]", Right: true}},
	}
	for _, n := range nulls {
		t.Add(table.Words(n.Words), short(n.Now), short(n.Start),
			table.Words(fmt.Sprintf("%s [%s, %s]", short(n.Mean).Text, short(n.Lo).Text, short(n.Hi).Text)))
	}
	return t
}

// short formats a value with three significant digits; an unknown one is a dash.
func short(x null.Float) table.Cell {
	return table.Float(x, func(v float64) string {
		if v == math.Trunc(v) {
			return fmt.Sprintf("%.0f", v)
		}
		return fmt.Sprintf("%.3g", v)
	})
}
