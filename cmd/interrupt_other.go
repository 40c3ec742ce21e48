//go:build !unix

package cmd

import (
	"os"
	"os/exec"
)

// ownProcessGroup does nothing: here Ctrl-C reaches all processes of a console.
func ownProcessGroup(*exec.Cmd) {}

// interrupt kills a child that Ctrl-C has not reached. Its run can be resumed from the last checkpoint.
func interrupt(p *os.Process) error { return p.Kill() }
