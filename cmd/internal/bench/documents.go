package bench

import (
	"github.com/attnconv/attnconv/cmd/internal/cli"
)

// Documents lists the documents of --json.
var Documents = []cli.Document{
	{Command: "bench", Value: Bench{}},
	{Command: "bench", If: "--report time-to-accuracy", Value: TimeToAccuracy{}},
}
