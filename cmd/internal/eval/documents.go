package eval

import (
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/session/trained"
)

// Documents lists the documents of --json.
var Documents = []term.Document{
	{Command: "eval", Value: trained.Scores{}, Or: []any{term.Several{}}},
}
