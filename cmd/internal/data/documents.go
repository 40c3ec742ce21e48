package data

import (
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/data/sets"
)

// Documents lists the documents of --json.
var Documents = []term.Document{
	{Command: "data get", Value: sets.ImportReport{}},
	{Command: "data import", Value: sets.ImportReport{}},
	{Command: "data ls", Value: sets.Catalog{}},
	{Command: "data path", Value: Path{}},
	{Command: "data rm", Value: term.Removal{}},
	{Command: "data show", Value: DataFigures{}},
	{Command: "data verify", Value: DataChecks{}},
}

// Path is one path.
type Path struct {
	V    int    `json:"v"`    // 1
	Path string `json:"path"` // of the data folder
}

// DataFigures are figures of images of a data set.
type DataFigures struct {
	V      int      `json:"v"`              // 1
	Files  []string `json:"files"`          // written
	Data   string   `json:"data"`           // name of the data set
	Images int      `json:"images"`         // that are shown
	Kind   string   `json:"kind,omitempty"` // of images, where they are not 32 × 32 RGB
}

// DataChecks compares data sets with their digests.
type DataChecks struct {
	V    int                 `json:"v"`    // 1
	Sets []sets.Verification `json:"sets"` // one for each form of a data set
}
