//go:build unix

package cmd

import (
	"os"
	"os/exec"
	"syscall"
)

// ownProcessGroup keeps the keyboard's Ctrl-C from a child: it is told by interrupt, once.
func ownProcessGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// interrupt tells a child to save and stop.
func interrupt(p *os.Process) error { return p.Signal(syscall.SIGTERM) }
