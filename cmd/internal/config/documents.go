package config

import (
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/configs"
)

// Documents lists the documents of --json.
var Documents = []term.Document{
	{Command: "config cat", Value: PresetText{}},
	{Command: "config cp", Value: term.Files{}},
	{Command: "config ls", Value: Presets{}},
	{Command: "config show", Value: configs.SettingsReport{}},
	{Command: "config validate", Value: ConfigChecks{}},
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
