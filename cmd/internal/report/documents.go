package report

import (
	"github.com/attnconv/attnconv/cmd/internal/term"
)

// Documents lists the documents of --json.
var Documents = []term.Document{
	{Command: "report", Value: term.Files{}},
}
