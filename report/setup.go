package report

// DataSets lists the stored data sets.
type DataSets struct {
	V    int       `json:"v"`    // 1
	Dir  string    `json:"dir"`  // the data folder
	Sets []DataSet `json:"sets"` // stored ones, then built-in ones
}

// A DataSet is one stored or built-in data set.
type DataSet struct {
	Name    string `json:"name"`              // as --data takes it
	Form    string `json:"form"`              // layout of its files
	Path    string `json:"path,omitempty"`    // of its files; omitted: built in
	Train   int    `json:"train"`             // images
	Val     int    `json:"val"`               // images
	Test    int    `json:"test"`              // images
	Bytes   int64  `json:"bytes"`             // of its files
	Altered bool   `json:"altered,omitempty"` // decoded from a lossy format, or resized
}

// Path is one path.
type Path struct {
	V    int    `json:"v"`    // 1
	Path string `json:"path"` // of the data folder
}

// DataShown are figures of images of a data set.
type DataShown struct {
	V      int      `json:"v"`              // 1
	Files  []string `json:"files"`          // written
	Data   string   `json:"data"`           // name of the data set
	Images int      `json:"images"`         // that are shown
	Kind   string   `json:"kind,omitempty"` // of images, where they are not 32 × 32 RGB
}

// DataChecks compares data sets with their digests.
type DataChecks struct {
	V    int           `json:"v"`    // 1
	Sets []CheckedData `json:"sets"` // one for each form of a data set
}

// CheckedData is one data set that was checked.
type CheckedData struct {
	Name   string      `json:"name"`      // of the set
	Form   string      `json:"form"`      // layout of its files
	Path   string      `json:"path"`      // of its files
	Checks []DataCheck `json:"checks"`    // one for each digest
	Exact  bool        `json:"published"` // the images are the published ones
	Holds  bool        `json:"holds"`     // all checks do
}

// A DataCheck compares one digest.
type DataCheck struct {
	What  string `json:"what"`  // archive, train, val or test
	Got   string `json:"got"`   // the SHA-256 that it has
	Want  string `json:"want"`  // the one that it should have; "": none is known
	By    string `json:"by"`    // who says so: published or imported
	Holds bool   `json:"holds"` // got is want, or want is not known
}

// DataImport is a data set that was imported or downloaded.
type DataImport struct {
	V         int      `json:"v"`         // 1
	Name      string   `json:"name"`      // as --data takes it
	Path      string   `json:"path"`      // of its files
	Source    string   `json:"source"`    // file or folder that was read
	Archive   *Archive `json:"archive"`   // null: a folder was read
	Train     int      `json:"train"`     // images
	Val       int      `json:"val"`       // images
	Test      int      `json:"test"`      // images
	Classes   []string `json:"classes"`   // names
	Digest    Digests  `json:"digest"`    // of its images
	Published bool     `json:"published"` // the digests are those of the published images
	Altered   bool     `json:"altered"`   // decoded from a lossy format, or resized
}

// An Archive is the file that was read.
type Archive struct {
	Bytes     int64  `json:"bytes"`     // of the file
	SHA256    string `json:"sha256"`    // of the file
	Published bool   `json:"published"` // it is the published one
}

// Digests are the SHA-256 of a data set's images, as hexadecimal digits.
type Digests struct {
	Train string `json:"train"` // of the training images
	Test  string `json:"test"`  // of the test images
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

// Settings has all settings of a run, with the origin of each.
type Settings struct {
	V        int              `json:"v"`        // 1
	Settings []SettingsOrigin `json:"settings"` // in the order of a configuration file
}

// A SettingsOrigin is one setting, and where its value comes from.
type SettingsOrigin struct {
	Key    string `json:"key"`    // such as train.lr
	Value  string `json:"value"`  // as YAML
	Origin string `json:"origin"` // flag, variable, file with line, preset or default
}

// Doctor has the checks of the installation.
type Doctor struct {
	V      int       `json:"v"`      // 1
	OK     bool      `json:"ok"`     // no check failed
	Checks []Finding `json:"checks"` // in order
}

// A Finding is the outcome of one check.
type Finding struct {
	Name   string `json:"name"`   // of the check
	Status string `json:"status"` // PASS, WARN or FAIL
	Detail string `json:"detail"` // what was found
}

// Version describes the program.
type Version struct {
	V       int               `json:"v"`       // 1
	Version string            `json:"version"` // of the program
	Commit  *string           `json:"commit"`  // null: unknown
	Dirty   *bool             `json:"dirty"`   // built from uncommitted files; null: unknown
	Go      string            `json:"go"`      // version of Go that built it
	OS      string            `json:"os"`      // operating system
	Arch    string            `json:"arch"`    // architecture of the processor
	Kernels string            `json:"kernels"` // set of kernels that computes
	Modules map[string]string `json:"modules"` // versions of the libraries that compute and draw
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
