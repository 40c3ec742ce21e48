package cmd

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/study"
)

// nullRow is a quantity of trained heads beside its null, for programs. What is not known is null.
type nullRow struct {
	Name  string   `json:"name"`
	Heads int      `json:"heads"`
	Now   *float64 `json:"now"`
	Start *float64 `json:"start"` // of the run's own seed
	Mean  *float64 `json:"mean"`  // of the initial values of so many seeds
	Lo    *float64 `json:"lo"`    // their middle 95 %
	Hi    *float64 `json:"hi"`
	Seeds int      `json:"seeds"`

	words string
}

// newNulls are the rows of heads with Gaussian heads; start is nil where it is not known.
func newNulls(spec model.Spec, now, start [][]posenc.Head) ([]nullRow, error) {
	nulls, err := study.HeadNulls(spec, now, start)
	rows := []nullRow{}
	for _, n := range nulls {
		rows = append(rows, nullRow{n.Key, n.Heads, finite(n.Now), finite(n.Start), finite(n.Mean), finite(n.Range.Lo),
			finite(n.Range.Hi), n.Seeds, n.Name})
	}
	return rows, err
}

// knownStart is where the heads of m stood before training, nil where that is not known.
func (m loaded) knownStart() ([][]posenc.Head, error) {
	heads, err := m.initialHeads()
	var unknown *unknownStart
	if errors.As(err, &unknown) {
		return nil, nil
	}
	if now, _ := m.net.Heads(); !slices.EqualFunc(now, heads, func(a, b []posenc.Head) bool { return len(a) == len(b) }) {
		return nil, err // a file in the run's folder that is of another network
	}
	return heads, err
}

// runNulls are the rows of a run: of its heads after the newest epoch whose heads it wrote down. There are none where
// that, or config, cannot be read.
func runNulls(d *run.Dir, config *configs.Run) []nullRow {
	none := []nullRow{}
	status := d.Status()
	if config == nil || status.Epoch < 1 {
		return none
	}
	now, err := headsAfter(d.HeadsPath(status.Epoch))
	if err != nil {
		return none
	}
	start, err := headsAfter(d.HeadsPath(0))
	if err != nil || status.From != "" {
		start = nil // its heads began with other weights
	}
	rows, err := newNulls(config.Model, now, start)
	if err != nil {
		return none
	}
	return rows
}

// nullTable puts what was trained beside its null.
func nullTable(rows []nullRow) *table.Table {
	t := &table.Table{
		Title: fmt.Sprintf("heads beside their null: the same numbers before training, of %d seeds", rows[0].Seeds),
		Columns: []table.Column{{Head: fmt.Sprintf("of %d heads", rows[0].Heads), Name: true}, {Head: "now", Right: true},
			{Head: "at the start", Right: true}, {Head: "null: mean [95 %]", Right: true}},
	}
	for _, r := range rows {
		t.Add(table.Words(r.words), short3(r.Now), short3(r.Start),
			table.Words(fmt.Sprintf("%s [%s, %s]", short3(r.Mean).Text, short3(r.Lo).Text, short3(r.Hi).Text)))
	}
	return t
}

// short3 writes a number to three digits.
func short3(x *float64) table.Cell {
	switch {
	case x == nil:
		return table.Cell{Text: "–"}
	case *x == math.Trunc(*x):
		return table.Cell{Text: fmt.Sprintf("%.0f", *x), Value: *x}
	}
	return table.Cell{Text: fmt.Sprintf("%.3g", *x), Value: *x}
}
