package cmd

import (
	"cmp"
	"slices"

	"github.com/attnconv/attnconv"
	"github.com/attnconv/attnconv/cmd/internal/analyse"
	"github.com/attnconv/attnconv/cmd/internal/bench"
	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/cmd/internal/compare"
	"github.com/attnconv/attnconv/cmd/internal/config"
	"github.com/attnconv/attnconv/cmd/internal/data"
	"github.com/attnconv/attnconv/cmd/internal/demo"
	"github.com/attnconv/attnconv/cmd/internal/doctor"
	"github.com/attnconv/attnconv/cmd/internal/eval"
	"github.com/attnconv/attnconv/cmd/internal/inspect"
	"github.com/attnconv/attnconv/cmd/internal/plot"
	"github.com/attnconv/attnconv/cmd/internal/predict"
	"github.com/attnconv/attnconv/cmd/internal/prove"
	"github.com/attnconv/attnconv/cmd/internal/report"
	"github.com/attnconv/attnconv/cmd/internal/runs"
	"github.com/attnconv/attnconv/cmd/internal/sweep"
	"github.com/attnconv/attnconv/cmd/internal/train"
	"github.com/attnconv/attnconv/cmd/internal/weights"
)

// A Document is one kind of JSON document, and the command that writes it.
type Document struct {
	Command string // runs ls
	If      string // the flag, with its value, with which the command writes it instead of its usual one, or ""
	Value   any    // a zero value of its type
	Or      []any  // zero values of its types for other networks, or for several runs; nil: it has one type
}

// Documents lists the documents of --json, by command.
func Documents() (all []Document) {
	for _, d := range documents {
		all = append(all, Document(d))
	}
	return all
}

var documents = slices.SortedStableFunc(slices.Values(slices.Concat(
	analyse.Documents, bench.Documents, compare.Documents, config.Documents, data.Documents, demo.Documents,
	doctor.Documents, eval.Documents, inspect.Documents, plot.Documents, predict.Documents, prove.Documents,
	report.Documents, runs.Documents, sweep.Documents, train.Documents, weights.Documents,
	[]cli.Document{{Command: "version", Value: attnconv.Build{}}})),
	func(a, b cli.Document) int { return cmp.Compare(a.Command, b.Command) })
