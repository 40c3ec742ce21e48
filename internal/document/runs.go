package document

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
