package prove

import (
	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/theorem"
)

// Documents lists the documents of --json.
var Documents = []cli.Document{
	{Command: "prove", Value: theorem.ProofReport{}, Or: []any{theorem.LedgerReport{}}},
	{Command: "prove", If: "--all", Value: theorem.LedgerReport{}},
	{Command: "prove", If: "--claims", Value: theorem.LedgerReport{}},
	{Command: "prove", If: "--exercise", Value: theorem.ExerciseReport{}},
	{Command: "prove", If: "--from", Value: theorem.NetworkProof{}},
}
