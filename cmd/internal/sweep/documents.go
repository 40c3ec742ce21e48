package sweep

import (
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/internal/sweep"
	"github.com/attnconv/attnconv/run"
)

// Documents lists the documents of --json.
var Documents = []term.Document{
	{Command: "sweep collect", Value: sweep.Collection{}},
	{Command: "sweep plan", Value: sweep.PlanSummary{}},
	{Command: "sweep retry", Value: sweep.SubmissionReport{}},
	{Command: "sweep run", Value: sweep.Collection{}},
	{Command: "sweep run", If: "--task", Value: run.Summary{}},
	{Command: "sweep status", Value: sweep.Status{}},
	{Command: "sweep submit", Value: sweep.SubmissionReport{}},
}
