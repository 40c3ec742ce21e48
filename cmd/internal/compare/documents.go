package compare

import (
	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/study"
)

// Documents lists the documents of --json.
var Documents = []cli.Document{
	{Command: "compare", Value: study.Comparison{}},
	{Command: "compare", If: "--dry-run", Value: PlanReport{}},
}
