package network

import (
	"fmt"
	"slices"

	"github.com/attnconv/attnconv/internal/table"
)

// functionTable lists the accuracies of replaced layers; nil if they were not asked for.
func functionTable(d Analysis) *table.Table {
	if d.Unchanged == nil || d.FunctionAll == nil {
		return nil
	}
	type row struct {
		name string
		*Replacements
	}
	fields := []table.Field[row]{table.For(table.Column{Head: "layer", Right: true, Name: true},
		func(r row) table.Cell { return table.Words(r.name) })}
	for _, r := range replacements {
		if !r.headline && !fullTable(d) {
			continue
		}
		fields = append(fields, table.For(table.Column{Head: r.head, Right: true},
			func(f row) table.Cell { return accuracyCell(*r.of(f.Replacements)) }))
	}
	var rows []row
	for _, l := range d.Layers {
		if l.Function != nil {
			rows = append(rows, row{fmt.Sprint(l.Layer), l.Function})
		}
	}
	t := &table.Table{Title: fmt.Sprintf("%s   accuracy, %%, if a layer is replaced, without training: %s as it is",
		d.Source, accuracyCell(d.Unchanged).Text)}
	ci := d.Unchanged.CI
	t.Notes = []string{
		"K×K       the best convolution of the layer's input; all: each fitted on what the earlier ones leave",
		"uniform   baseline: heads attend to all tokens alike; constant: the layer's mean output",
		fmt.Sprintf("images    %s of %s that nothing was fitted on; 95 %% interval of %s: %.1f–%.1f",
			table.Thousands(d.Unchanged.N), d.Images.Split, accuracyCell(d.Unchanged).Text, 100*ci.Lo, 100*ci.Hi),
	}
	if fullTable(d) {
		t.Notes = append([]string{"mean      attention's mean over images; shift: its mean by shift, the nearest " +
			"convolution; taps: each head on one shift"}, t.Notes...)
	}
	return table.Fill(t, fields, append(rows, row{"all", d.FunctionAll}))
}

// fullTable reports whether all replacements were asked for.
func fullTable(d Analysis) bool {
	return slices.ContainsFunc(replacements, func(r replacement) bool {
		return !r.headline && *r.of(d.FunctionAll) != nil
	})
}

func accuracyCell(a *TestedAccuracy) table.Cell {
	if a == nil {
		return table.Words("–")
	}
	return table.Words(fmt.Sprintf("%.1f", 100*a.Acc))
}
