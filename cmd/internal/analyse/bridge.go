package analyse

import (
	_ "embed"

	"github.com/attnconv/attnconv/cmd/internal/term"
)

// bridge is a Python file that writes what --arrays reads, of models of PyTorch.
//
//go:embed bridge.py
var bridge string

func printBridge(c *term.Console, more bool) error {
	if more {
		return term.Usagef("", "--bridge prints a file of Python: want it without other flags and arguments")
	}
	return c.WriteText(bridge)
}
