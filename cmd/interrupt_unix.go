//go:build unix

package cmd

import (
	"os"
	"os/exec"
	"syscall"
)

// ownProcessGroup shields a child from Ctrl-C, so that only interrupt tells it to stop.
func ownProcessGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// interrupt tells a child to save and stop.
func interrupt(p *os.Process) error { return p.Signal(syscall.SIGTERM) }
