//go:build unix

package cli

import (
	"os"
	"os/exec"
	"syscall"
)

// OwnProcessGroup shields a child from Ctrl-C, so that only Interrupt tells it to stop.
func OwnProcessGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Interrupt tells a child to save and stop.
func Interrupt(p *os.Process) error { return p.Signal(syscall.SIGTERM) }
