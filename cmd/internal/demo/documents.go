package demo

import (
	"encoding/json"

	"github.com/attnconv/attnconv/cmd/internal/term"
)

// Documents lists the documents of --json.
var Documents = []term.Document{
	{Command: "demo", Value: Demo{}},
}

// Demo has the results of the demo's steps.
type Demo struct {
	V      int        `json:"v"`      // 1
	Folder string     `json:"folder"` // that it wrote to
	Steps  []DemoStep `json:"steps"`  // in order
}

// A DemoStep is one command of the demo.
type DemoStep struct {
	Command string          `json:"command"` // as typed
	Result  json.RawMessage `json:"result"`  // its document
}
