package runs

import (
	"github.com/attnconv/attnconv/cmd/internal/listing"
	"github.com/attnconv/attnconv/cmd/internal/term"
)

// Documents lists the documents of --json.
var Documents = []term.Document{
	{Command: "runs diff", Value: listing.SettingsDiff{}},
	{Command: "runs examples", Value: listing.ListReport{}},
	{Command: "runs gc", Value: term.Removal{}},
	{Command: "runs ls", Value: listing.ListReport{}},
	{Command: "runs note", Value: Labels{}},
	{Command: "runs rename", Value: Labels{}},
	{Command: "runs rm", Value: term.Removal{}},
	{Command: "runs show", Value: listing.RunDetails{}},
	{Command: "runs tag", Value: Labels{}},
}

// Labels has the labels of runs after a change.
type Labels struct {
	V    int     `json:"v"`    // 1
	Runs []Label `json:"runs"` // that were changed
}

// A Label is what a person noted about a run.
type Label struct {
	ID   string   `json:"id"`   // of the run
	Path string   `json:"path"` // of its folder
	Tags []string `json:"tags"` // all of them
	Note string   `json:"note"` // "": none
}
