package compare

import (
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/study"
)

// Documents lists the documents of --json.
var Documents = []term.Document{
	{Command: "compare", Value: study.Comparison{}},
	{Command: "compare", If: "--dry-run", Value: PlanReport{}},
}
