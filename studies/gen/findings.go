package main

import (
	"github.com/attnconv/attnconv/internal/table"
)

// resultTable has accuracies next to what a training step costs.
func resultTable(v *verdict) string {
	var lines [][]string
	for _, arm := range controlled {
		n := v.find("control/accuracy/" + arm)
		cost := func(what string) Number { return v.find("cost/" + what + "/" + arm) }
		lines = append(lines, []string{"`" + arm + "`", form(n), count(n.N),
			table.SI(float64(cost("params").Value), ""), amount(cost("gflop"), 1), amount(cost("ms"), 0)})
	}
	return rows([]string{"model", "test accuracy, %:", "n:", "parameters:", "GFLOP a step:", "ms a step:"}, lines)
}

// trendTable has the correlations of depth with measures of the heads at half width, next to heads that do not move.
func trendTable(v *verdict) string {
	var lines [][]string
	for _, of := range []struct{ label, prefix, arm string }{
		{"`quadratic`, rate 0.01", ownPrefix, "quadratic"}, {"`quadratic`, rate 0.003", halfPrefix, "quadratic"},
		{"frozen heads", ownPrefix, "quadratic-frozen"}, {"3 × 3 grid", ownPrefix, "quadratic-grid"},
		{"`quadratic`, full width", "", "quadratic"},
	} {
		line, n := []string{of.label}, 0
		for _, what := range []string{"shift", "width", "width-spread", "profiles"} {
			t := v.find(of.prefix + "layers/trend-" + what + "/" + of.arm)
			line, n = append(line, amount(t, 2)), t.N
		}
		lines = append(lines, append(line, count(n)))
	}
	return rows([]string{"τ of depth and", "mean shift:", "width:", "spread of widths:", "profiles:", "n:"}, lines)
}
