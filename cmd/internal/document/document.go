// Package document lists the JSON documents that commands write to standard output with --json, and that some write to
// files. A document is a type of the package that makes its values. A value that is unknown, NaN or infinite is null.
// Accuracies are fractions in 0..1, times are seconds, sizes are bytes.
//
// Stable: every key. A later version may add keys, and changes no meaning without a higher v.
package document

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

// All lists the documents, by command.
var All = slices.SortedStableFunc(slices.Values(slices.Concat(
	analyse.Documents, bench.Documents, compare.Documents, config.Documents, data.Documents, demo.Documents,
	doctor.Documents, eval.Documents, inspect.Documents, plot.Documents, predict.Documents, prove.Documents,
	report.Documents, runs.Documents, sweep.Documents, train.Documents, weights.Documents,
	[]cli.Document{{Command: "version", Value: attnconv.Build{}}})),
	func(a, b cli.Document) int { return cmp.Compare(a.Command, b.Command) })
