package network

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/null"
)

const (
	similarImages = 500
	freshNetworks = 3 // untrained ones to compare with
)

// Similarity is CKA between the layers of two networks.
type Similarity struct {
	Rows      string         `json:"rows"`          // network of the rows
	Cols      string         `json:"cols"`          // network of the columns
	CKA       [][]null.Float `json:"cka"`           // between what the layers read, and the logits
	Images    int            `json:"images"`        // that it was estimated on
	Null      [][]null.Float `json:"cka_untrained"` // the same of untrained networks, the mean; null: unknown
	Untrained int            `json:"untrained"`     // pairs of untrained networks, or networks compared with themselves
}

// ErrOtherImages is the error of Similar for networks whose held-out images differ.
var ErrOtherImages = errors.New("their validation images differ: CKA compares layers on the same images")

// Similar returns CKA between what the layers of two networks read, and their logits, on the same held-out images.
func Similar(ctx context.Context, a, b Subject, o Options) (*Similarity, error) {
	if a.scored(o, a.Held).Len() < 4 || !slices.Equal(a.Held.Pixels, b.Held.Pixels) ||
		!slices.Equal(a.Held.Floats, b.Held.Floats) {
		return nil, ErrOtherImages
	}
	return a.similar(ctx, o, b)
}

// similar compares the layers of the network with those of another, or its own, and untrained networks of both
// likewise.
func (s Subject) similar(ctx context.Context, o Options, other Subject) (*Similarity, error) {
	score := s.scored(o, s.Held)
	n := min(score.Len(), similarImages) / 4 * 4 // batches of four images or more
	if n%batch > 0 && n%batch < 4 {
		n -= n % batch
	}
	d := &Similarity{Rows: s.Name, Cols: other.Name, Images: n}
	rows := score.Subset(upTo(0, n))
	cols := s.scored(o, other.Held).Subset(upTo(0, n)) // the same images, normalized for the other network
	own, err := ckaOf(ctx, s.Net, other.Net, rows, cols)
	if err != nil {
		return nil, err
	}
	d.CKA = means([][][]float64{own})
	var null [][][]float64
	err = s.eachFresh(ctx, o, freshNetworks, func(n int, a *model.Network) (err error) {
		b := a
		if other.Net != s.Net {
			if other.Fresh == nil {
				return nil
			}
			// which is a's weights for no n
			if b, err = other.Untrained(o.Seed + uint64(freshNetworks+n)); err != nil {
				return err
			}
		}
		values, err := ckaOf(ctx, a, b, rows, cols)
		null = append(null, values)
		return err
	})
	if err != nil {
		return nil, err
	}
	d.Untrained, d.Null = len(null), means(null)
	return d, nil
}

// means returns the mean matrix; nil of none.
func means(all [][][]float64) (mean [][]null.Float) {
	if len(all) == 0 {
		return nil
	}
	for i := range all[0] {
		row := make([]null.Float, len(all[0][i]))
		for j := range row {
			sum := 0.
			for _, values := range all {
				sum += values[i][j]
			}
			row[j] = null.Float(sum / float64(len(all)))
		}
		mean = append(mean, row)
	}
	return mean
}

// ckaOf returns CKA between what the layers of a read of the images x, and those of b of the same images y.
func ckaOf(ctx context.Context, a, b *model.Network, x, y data.Split) (values [][]float64, err error) {
	rows, err := layerInputs(a)
	if err != nil {
		return nil, err
	}
	defer rows.f.Close()
	cols := rows
	var batches [][]float32 // of b
	if b != a {
		if cols, err = layerInputs(b); err != nil {
			return nil, err
		}
		defer cols.f.Close()
		err = eachBatch(ctx, y, batch, func(b *data.Batch) error {
			batches = append(batches, slices.Clone(b.X))
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	sum, err := analyse.NewCKA(len(rows.y), len(cols.y))
	if err != nil {
		return nil, err
	}
	at := 0
	err = rows.each(ctx, x, func(b *data.Batch) error {
		p := rows.values(b.N)
		q := p
		if cols != rows {
			if _, err := cols.run(batches[at]); err != nil {
				return err
			}
			q, at = cols.values(b.N), at+1
		}
		return sum.Add(b.N, p, q)
	})
	for i := range rows.y {
		row := make([]float64, len(cols.y))
		for j := range row {
			row[j] = sum.Of(i, j)
		}
		values = append(values, row)
	}
	return values, err
}

// layerInputs computes what every layer of a network reads, and its logits.
func layerInputs(net *model.Network) (*program, error) {
	sites, err := sitesOf(net)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, s := range sites {
		names = append(names, s.inputName())
	}
	return newProgram(net, batch, append(names, logits))
}

// values are the results of the last run for n images.
func (p *program) values(n int) (all [][]float32) {
	for i := range p.y {
		all = append(all, p.value(i, n))
	}
	return all
}

// widest is the most layers of which a table shows CKA.
const widest = 12

// similarTables list CKA between the layers of two networks, and of untrained ones; none of more layers than fit.
func similarTables(s *Similarity) []*table.Table {
	if s == nil || len(s.CKA) == 0 || len(s.CKA[0]) > widest {
		return nil
	}
	t := similarTable(s.CKA, fmt.Sprintf("CKA between what layers read, %s down, %s across", s.Rows, s.Cols))
	t.Notes = []string{fmt.Sprintf("1: the same except for a rotation and a scale; over %s validation images",
		table.Thousands(s.Images))}
	if s.Untrained == 0 {
		return []*table.Table{t}
	}
	what := fmt.Sprintf("the same of untrained networks, mean of %d", s.Untrained)
	if s.Rows != s.Cols {
		what = fmt.Sprintf("the same of untrained networks, mean of %s", table.Count(s.Untrained, "pair"))
	}
	return []*table.Table{t, similarTable(s.Null, what)}
}

func similarTable(values [][]null.Float, title string) *table.Table {
	type row struct {
		name string
		cka  []null.Float
	}
	var rows []row
	for i, name := range layerNames(len(values)) {
		rows = append(rows, row{name, values[i]})
	}
	fields := []table.Field[row]{table.For(table.Column{Head: "layer", Right: true, Name: true},
		func(r row) table.Cell { return table.Words(r.name) })}
	for j, name := range layerNames(len(values[0])) {
		fields = append(fields, table.For(table.Column{Head: name, Right: true},
			func(r row) table.Cell { return number(r.cka[j], "%.2f") }))
	}
	return table.Fill(&table.Table{Title: title}, fields, rows)
}

// layerNames are 1, 2, …, and the logits.
func layerNames(n int) (names []string) {
	for i := range n - 1 {
		names = append(names, fmt.Sprint(i+1))
	}
	return append(names, "logits")
}
