package run

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

// bootID returns the kernel's random identifier of this boot.
func bootID() string {
	b, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(b))
}

// pidNamespace returns the name of this process's PID namespace: the same PID in another container is another process.
func pidNamespace() string {
	name, _ := os.Readlink("/proc/self/ns/pid")
	return name
}

// zombie reports whether a process has ended but its parent has not yet waited for it.
func zombie(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // PID (NAME) STATE …; NAME may contain parentheses
	if err != nil {
		return false
	}
	_, after, ok := bytes.Cut(b[bytes.LastIndexByte(b, ')')+1:], []byte(" "))
	return ok && len(after) > 0 && (after[0] == 'Z' || after[0] == 'X')
}
