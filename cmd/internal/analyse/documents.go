package analyse

import (
	"github.com/attnconv/attnconv/analyse/network"
	"github.com/attnconv/attnconv/cmd/internal/term"
)

// Documents lists the documents of --json.
var Documents = []term.Document{
	{Command: "analyse", Value: network.Analysis{}, Or: []any{network.Analyses{}}},
	{Command: "analyse", If: "--over epochs", Value: network.Epochs{}, Or: []any{network.EpochsOfRuns{}}},
}
