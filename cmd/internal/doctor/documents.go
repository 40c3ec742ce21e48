package doctor

import (
	"github.com/attnconv/attnconv/cmd/internal/cli"
)

// Documents lists the documents of --json.
var Documents = []cli.Document{
	{Command: "doctor", Value: Doctor{}},
}

// Doctor has the checks of the installation.
type Doctor struct {
	V      int       `json:"v"`      // 1
	OK     bool      `json:"ok"`     // no check failed
	Checks []Finding `json:"checks"` // in order
}
