package cmd

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/heads"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/session"
	"github.com/attnconv/attnconv/study"
)

// A nullRow compares a statistic of trained heads with its null distribution, in JSON. Unknown values are null.
type nullRow struct {
	Name  string   `json:"name"`
	Heads int      `json:"heads"`
	Now   *float64 `json:"now"`
	Start *float64 `json:"start"` // of the run's own seed
	Mean  *float64 `json:"mean"`  // over the initial heads of Seeds seeds
	Lo    *float64 `json:"lo"`    // central 95 %
	Hi    *float64 `json:"hi"`
	Seeds int      `json:"seeds"`

	words string
}

// newNulls compares Gaussian heads with their null distribution. start is nil if the initial heads are unknown.
func newNulls(spec model.Spec, now, start [][]posenc.Head) ([]nullRow, error) {
	nulls, err := study.HeadNulls(spec, now, start)
	rows := []nullRow{}
	for _, n := range nulls {
		rows = append(rows, nullRow{n.Key, n.Heads, cli.Finite(n.Now), cli.Finite(n.Start), cli.Finite(n.Mean), cli.Finite(n.Range.Lo),
			cli.Finite(n.Range.Hi), n.Seeds, n.Name})
	}
	return rows, err
}

// knownStart returns the Gaussian heads of m before training, or nil if they are unknown.
func knownStart(m *session.Model) ([][]posenc.Head, error) {
	heads, err := m.InitialHeads()
	var unknown *session.UnknownStart
	if errors.As(err, &unknown) {
		return nil, nil
	}
	if now, _ := m.Net.Heads(); !slices.EqualFunc(now, heads, func(a, b []posenc.Head) bool { return len(a) == len(b) }) {
		return nil, err // the run's folder has the heads of another network
	}
	return heads, err
}

// runNulls compares the heads after the last recorded epoch of a run with their null distribution. It returns no rows
// if the heads or the configuration cannot be read.
func runNulls(d *run.Dir, config *configs.Run) []nullRow {
	none := []nullRow{}
	status := d.Status()
	if config == nil || status.Epoch < 1 {
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
	rows, err := newNulls(config.Model, heads.Recorded(now), heads.Recorded(start))
	if err != nil {
		return none
	}
	return rows
}

func nullTable(rows []nullRow) *table.Table {
	t := &table.Table{
		Title: fmt.Sprintf("trained heads and their null: the same statistics of untrained heads, for %d seeds", rows[0].Seeds),
		Columns: []table.Column{{Head: fmt.Sprintf("of %d heads", rows[0].Heads), Name: true}, {Head: "now", Right: true},
			{Head: "at the start", Right: true}, {Head: "null: mean [95 %]", Right: true}},
	}
	for _, r := range rows {
		t.Add(table.Words(r.words), short3(r.Now), short3(r.Start),
			table.Words(fmt.Sprintf("%s [%s, %s]", short3(r.Mean).Text, short3(r.Lo).Text, short3(r.Hi).Text)))
	}
	return t
}

// short3 formats a value with three significant digits.
func short3(x *float64) table.Cell {
	switch {
	case x == nil:
		return table.Cell{Text: "–"}
	case *x == math.Trunc(*x):
		return table.Cell{Text: fmt.Sprintf("%.0f", *x), Value: *x}
	}
	return table.Cell{Text: fmt.Sprintf("%.3g", *x), Value: *x}
}
