//go:build !unix

package cli

import (
	"os"
	"os/exec"
)

// OwnProcessGroup does nothing: here Ctrl-C reaches all processes of a console.
func OwnProcessGroup(*exec.Cmd) {}

// Interrupt kills a child that Ctrl-C has not reached. Its run can be resumed from the last checkpoint.
func Interrupt(p *os.Process) error { return p.Kill() }
