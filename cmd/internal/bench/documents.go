package bench

import (
	"github.com/attnconv/attnconv/cmd/internal/term"
)

// Documents lists the documents of --json.
var Documents = []term.Document{
	{Command: "bench", Value: Bench{}},
	{Command: "bench", If: "--report time-to-accuracy", Value: TimeToAccuracy{}},
}
