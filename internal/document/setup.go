package document

import (
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/internal/doctor"
)

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

// Presets lists the presets.
type Presets struct {
	V       int      `json:"v"`       // 1
	Presets []Preset `json:"presets"` // by name
}

// A Preset is one preset.
type Preset struct {
	Name    string `json:"name"`    // as --preset takes it
	Purpose string `json:"purpose"` // what it is for
	Params  int    `json:"params"`  // number of trained values of its network
}

// PresetText is the file of a preset.
type PresetText struct {
	V      int    `json:"v"`      // 1
	Preset string `json:"preset"` // name
	Text   string `json:"text"`   // YAML
}

// Files lists files that were written.
type Files struct {
	V     int      `json:"v"`     // 1
	Files []string `json:"files"` // paths
}

// ConfigChecks says which configuration files are valid.
type ConfigChecks struct {
	V     int           `json:"v"`     // 1
	Files []ConfigCheck `json:"files"` // in the order of the command line
}

// A ConfigCheck is one configuration file.
type ConfigCheck struct {
	File  string `json:"file"`            // path
	OK    bool   `json:"ok"`              // it is valid
	Error string `json:"error,omitempty"` // why it is not
}

// Doctor has the checks of the installation.
type Doctor struct {
	V      int              `json:"v"`      // 1
	OK     bool             `json:"ok"`     // no check failed
	Checks []doctor.Finding `json:"checks"` // in order
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

// Warning is what a command writes to standard error with --json when something is probably not intended.
type Warning struct {
	V       int    `json:"v"`       // 1
	Warning string `json:"warning"` // the message
}
