package session

// Setup says what is about to be trained: the line setup of --progress json.
type Setup struct {
	Version string   `json:"version"`  // of the program
	Device  string   `json:"device"`   // where steps run, and its kernels or precision
	Seed    uint64   `json:"seed"`     // of all random numbers
	Data    string   `json:"data"`     // name of the data set
	Digest  string   `json:"digest"`   // of its training images; "": none is recorded
	Train   int      `json:"train"`    // number of images
	Val     int      `json:"val"`      // number of images
	Test    int      `json:"test"`     // number of images
	Model   string   `json:"model"`    // in words
	Params  int      `json:"params"`   // number of trained values
	MACs    int      `json:"macs_run"` // multiply-adds of an image that this program computes in evaluation
	Preset  string   `json:"preset"`   // that the settings began with; "": none
	Run     string   `json:"run"`      // path of its folder; "": nothing is written
	Notes   []string `json:"notes"`    // choices that the program made, with reasons
}
