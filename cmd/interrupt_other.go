//go:build !unix

package cmd

import (
	"os"
	"os/exec"
)

// ownProcessGroup would keep the keyboard's Ctrl-C from a child; here it reaches all processes of a console.
func ownProcessGroup(*exec.Cmd) {}

// interrupt ends a child that the keyboard's Ctrl-C has not reached; a run goes on from its last checkpoint.
func interrupt(p *os.Process) error { return p.Kill() }
