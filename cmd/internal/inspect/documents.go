package inspect

import (
	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/study"
)

// Documents lists the documents of --json.
var Documents = []cli.Document{
	{Command: "inspect", Value: study.Inspection{}},
}
