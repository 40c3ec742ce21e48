package eval

import (
	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/session/trained"
)

// Documents lists the documents of --json.
var Documents = []cli.Document{
	{Command: "eval", Value: trained.Scores{}, Or: []any{cli.Several{}}},
}
