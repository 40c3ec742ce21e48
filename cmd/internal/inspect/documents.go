package inspect

import (
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/study"
)

// Documents lists the documents of --json.
var Documents = []term.Document{
	{Command: "inspect", Value: study.Inspection{}},
}
