package prove

import (
	"github.com/attnconv/attnconv/cmd/internal/claims"
	"github.com/attnconv/attnconv/cmd/internal/term"
)

// Documents lists the documents of --json.
var Documents = []term.Document{
	{Command: "prove", Value: claims.ProofReport{}, Or: []any{claims.LedgerReport{}}},
	{Command: "prove", If: "--all", Value: claims.LedgerReport{}},
	{Command: "prove", If: "--claims", Value: claims.LedgerReport{}},
	{Command: "prove", If: "--exercise", Value: claims.ExerciseReport{}},
	{Command: "prove", If: "--from", Value: claims.NetworkProof{}},
}
