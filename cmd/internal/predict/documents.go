package predict

import (
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/session/trained"
)

// Documents lists the documents of --json.
var Documents = []term.Document{
	{Command: "predict", Value: Predictions{}},
}

// Predictions classifies images.
type Predictions struct {
	V           int                  `json:"v"`               // 1
	Checkpoint  string               `json:"checkpoint"`      // path
	Predictions []trained.Prediction `json:"predictions"`     // in the order of the images
	Files       []string             `json:"files,omitempty"` // with -o: the figures
}
