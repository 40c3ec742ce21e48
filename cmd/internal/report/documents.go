package report

import "github.com/attnconv/attnconv/cmd/internal/cli"

// Documents lists the documents of --json.
var Documents = []cli.Document{
	{Command: "report", Value: cli.Files{}},
}
