//go:build unix

package sweep

import (
	"os"
	"os/exec"
	"syscall"
)

// shield shields a child from Ctrl-C, so that only interrupt tells it to stop.
func shield(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// interrupt tells a child to save and stop.
func interrupt(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

// requestSave tells a child to save, and to go on.
func requestSave(p *os.Process) { p.Signal(syscall.SIGUSR1) }
