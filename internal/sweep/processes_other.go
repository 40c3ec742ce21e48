//go:build !unix

package sweep

import (
	"os"
	"os/exec"
)

// shield does nothing: here Ctrl-C reaches all processes of a console.
func shield(*exec.Cmd) {}

// interrupt kills a child that Ctrl-C has not reached. Its run can be resumed from the last checkpoint.
func interrupt(p *os.Process) error { return p.Kill() }

// requestSave does nothing: this system has no SIGUSR1.
func requestSave(*os.Process) {}
