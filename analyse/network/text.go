package network

import (
	"cmp"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/internal/table"
)

// Screen returns analyses in short: the verdict on each network and one table of its layers, for a terminal of so many
// columns, 0 for any width. Text has the rest.
func Screen(runs []Analysis, seeds []SeedLayer, width int) (text string) {
	for i, d := range runs {
		if i > 0 {
			text += "\n"
		}
		text += d.Source + "\n"
		if d.Foreign != nil {
			text += strings.Join(table.Wrap(d.Foreign.String(), width), "\n") + "\n"
		}
		text += "\n"
		for _, sentence := range d.Verdict {
			text += strings.Join(table.Wrap(sentence, width), "\n") + "\n"
		}
		text += "\n" + screenTable(d).Text(width)
	}
	if len(seeds) > 0 {
		text += "\n" + seedTable(runs, seeds).Text(width)
	}
	return text
}

// screenTable lists the layers with the measures that the verdict rests on, each next to its baseline. It has the
// columns of which some layer has a value.
func screenTable(d Analysis) *table.Table {
	columns, notes := append([]column{numbered}, named(d)...), []string{}
	for _, m := range measures {
		columns = append(columns, m.screen...)
	}
	columns = slices.DeleteFunc(columns, func(c column) bool {
		return !c.among(d.Layers) || c.shown == ofOwn && d.Foreign != nil
	})
	for _, c := range columns {
		if c.legend != nil && c.legend(d) != "" {
			notes = append(notes, c.legend(d))
		}
	}
	return layerTable(d.Layers, columns, "", notes...)
}

// Text returns the tables of analyses for a terminal of so many columns, 0 for any width, with a sentence for each
// layer.
func Text(runs []Analysis, seeds []SeedLayer, width int) string {
	var tables []*table.Table
	for _, d := range runs {
		if len(d.Layers) > 0 && !d.some(hasShares) {
			tables = append(tables, spectrumTable(d, sentences(d)))
		} else {
			tables = append(tables, detailsTable(d))
		}
		for _, m := range measures {
			if m.tables != nil {
				tables = append(tables, m.tables(d)...)
			}
		}
	}
	if len(seeds) > 0 {
		tables = append(tables, seedTable(runs, seeds))
	}
	return texts(tables, width)
}

// texts returns tables, one below the other.
func texts(tables []*table.Table, width int) string {
	var all []string
	for _, t := range tables {
		all = append(all, t.Text(width))
	}
	return strings.Join(all, "\n")
}

// SimilarText is the tables of Similar for a terminal of so many columns, 0 for any width.
func SimilarText(s *Similarity, width int) string { return texts(similarTables(s), width) }

// order is that of the columns by their keys, which programs may read by their places. Others come behind them.
var order = strings.Fields("layer k1 k3 k5 k7 larger place within3 interior_k3 null_within3 r2_k3 null_r2_k3 null_tokens " +
	"null_maps tap_score content_bits source path kind null_std p r2_k1 r2_k5 r2_k7 r2_mean_by_shift r2_mean_attention " +
	"null_place raw_within3 with_residual_within3 size acc_replaced_k3 k90 leverage_k3 rank")

// columnsOf are those of --details and of --format csv, for layers of a run.
func columnsOf(source string) []column {
	text := func(key string, of func(l Layer) string) column {
		return right("", key, func(l Layer) table.Cell { return table.Cell{Value: of(l)} })
	}
	all := []column{numbered, text("source", func(Layer) string { return source }),
		text("path", func(l Layer) string { return l.Path }), text("kind", func(l Layer) string { return l.Kind })}
	for _, m := range measures {
		all = append(all, m.columns...)
	}
	place := func(c column) int {
		if at := slices.Index(order, c.Key); at >= 0 {
			return at
		}
		return len(order)
	}
	slices.SortStableFunc(all, func(a, b column) int { return cmp.Compare(place(a), place(b)) })
	return all
}

// detailsTable lists the layers with all columns.
func detailsTable(d Analysis) *table.Table {
	columns := columnsOf(d.Source)
	for i, c := range columns {
		if c.shown == onArrays && !ofArrays(d) && d.Foreign == nil ||
			c.shown == withValues && ofArrays(d) && !c.among(d.Layers) {
			columns[i].Head = ""
		}
	}
	columns = slices.Insert(columns, 1, named(d)...)
	var notes []string
	for _, m := range measures {
		if m.legend != nil {
			notes = append(notes, m.legend(d)...)
		}
	}
	return layerTable(d.Layers, columns, d.Source+"   percent of each layer's squared norm that is a convolution of this "+
		"size, beyond the smaller ones", append(notes, sentences(d)...)...)
}

// among reports whether some layer has a value of the column.
func (c column) among(layers []Layer) bool {
	return slices.ContainsFunc(layers, func(l Layer) bool { return c.cell(l).Value != nil })
}

// CSV returns the layers of analyses, a row each.
func CSV(runs []Analysis) string {
	all := &table.Table{}
	for _, d := range runs {
		all = below(all, layerTable(d.Layers, columnsOf(d.Source), ""))
	}
	return all.CSV()
}

// below adds the rows of a table to those of another.
func below(all, t *table.Table) *table.Table {
	t.Rows = append(all.Rows, t.Rows...)
	return t
}

// sentences says what each layer's values say, and what was not measured.
func sentences(d Analysis) []string {
	lines := []string{""}
	for _, l := range d.Layers {
		lines = append(lines, l.Sentence)
	}
	for _, n := range d.Notes {
		lines = append(lines, "note   "+n)
	}
	return lines
}
