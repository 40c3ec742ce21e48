package term

import "encoding/json"

// Files lists files that were written.
type Files struct {
	V     int      `json:"v"`     // 1
	Files []string `json:"files"` // paths
}

// Several has the documents of several runs.
type Several struct {
	V    int               `json:"v"`    // 1
	Runs []json.RawMessage `json:"runs"` // the document that the command writes of one run, for each
}

// Removal lists what was removed, or on a dry run what would be.
type Removal struct {
	V       int           `json:"v"`       // 1
	Removed []RemovedFile `json:"removed"` // files and folders
	Bytes   int64         `json:"bytes"`   // of all of them
}

// A RemovedFile is one file or folder.
type RemovedFile struct {
	Path  string `json:"path"`          // of the file or folder
	Why   string `json:"why,omitempty"` // it is no longer needed
	Bytes int64  `json:"bytes"`         // that it takes
}

// Error is what a command that fails writes to standard error with --json.
type Error struct {
	V     int     `json:"v"`     // 1
	Error Failure `json:"error"` // what failed
}

// A Failure is an error.
type Failure struct {
	Code    int    `json:"code"`           // exit code
	Message string `json:"message"`        // what is wrong
	Hint    string `json:"hint,omitempty"` // what to do
}

// FailureLine is the error with which a command ends: the line error of --progress json.
type FailureLine struct {
	Error Failure `json:"error"` // what failed
}

// Warning is what a command writes to standard error with --json when something is probably not intended.
type Warning struct {
	V       int    `json:"v"`       // 1
	Warning string `json:"warning"` // the message
}

// A Document is one kind of document, and the command that writes it.
type Document struct {
	Command string // runs ls
	// the flag, or the flag and its value, with which the command writes this document instead of its usual one, or ""
	If    string
	Value any // a zero value of its type
	// zero values of the types that it has for other networks, or for several runs; nil: it has one type
	Or []any
}
