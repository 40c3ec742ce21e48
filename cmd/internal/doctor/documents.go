package doctor

import (
	"github.com/attnconv/attnconv/cmd/internal/term"
)

// Documents lists the documents of --json.
var Documents = []term.Document{
	{Command: "doctor", Value: Doctor{}},
}

// Doctor has the checks of the installation.
type Doctor struct {
	V      int       `json:"v"`      // 1
	OK     bool      `json:"ok"`     // no check failed
	Checks []Finding `json:"checks"` // in order
}
