package sets

import (
	"github.com/attnconv/attnconv/data"
)

// An Archive is the file that was read.
type Archive struct {
	Bytes     int64  `json:"bytes"`     // of the file
	SHA256    string `json:"sha256"`    // of the file
	Published bool   `json:"published"` // it is the published one
}

// A Check compares one digest.
type Check struct {
	What  string `json:"what"`  // archive, train, val or test
	Got   string `json:"got"`   // the SHA-256 that it has
	Want  string `json:"want"`  // the one that it should have; "": none is known
	By    string `json:"by"`    // who says so: published or imported
	Holds bool   `json:"holds"` // got is want, or want is not known
}

// Verification is one data set that was checked.
type Verification struct {
	Name   string  `json:"name"`      // of the set
	Form   string  `json:"form"`      // layout of its files
	Path   string  `json:"path"`      // of its files
	Checks []Check `json:"checks"`    // one for each digest
	Exact  bool    `json:"published"` // the images are the published ones
	Holds  bool    `json:"holds"`     // all checks do
}

// ImportReport is a data set that was imported or downloaded.
type ImportReport struct {
	V         int          `json:"v"`         // 1
	Name      string       `json:"name"`      // as --data takes it
	Path      string       `json:"path"`      // of its files; "": nothing was written
	Source    string       `json:"source"`    // file or folder that was read
	Archive   *Archive     `json:"archive"`   // null: a folder was read
	Train     int          `json:"train"`     // images
	Val       int          `json:"val"`       // images
	Test      int          `json:"test"`      // images
	Classes   []string     `json:"classes"`   // names
	Digest    data.Digests `json:"digest"`    // of its images
	Published bool         `json:"published"` // the digests are those of the published images
	Altered   bool         `json:"altered"`   // decoded from a lossy format, or resized

	Inventory data.Inventory `json:"inventory"` // what was taken and what was left
}

// A CatalogEntry is one stored or built-in data set.
type CatalogEntry struct {
	Name    string `json:"name"`              // as --data takes it
	Form    string `json:"form"`              // layout of its files
	Path    string `json:"path,omitempty"`    // of its files; omitted: built in
	Train   int    `json:"train"`             // images
	Val     int    `json:"val"`               // images
	Test    int    `json:"test"`              // images
	Bytes   int64  `json:"bytes"`             // of its files
	Altered bool   `json:"altered,omitempty"` // decoded from a lossy format, or resized
}

// Catalog lists the stored data sets.
type Catalog struct {
	V    int            `json:"v"`    // 1
	Dir  string         `json:"dir"`  // the data folder
	Sets []CatalogEntry `json:"sets"` // stored ones, then built-in ones
}
